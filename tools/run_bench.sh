#!/bin/sh
# All benchmarks, smallest part first.  They print rates and ratios and judge nothing.
set -eu
build=$1
for name in encode_bench pmu_bench xcore_bench llc_bench imc_bench fabric_bench latency; do
	printf '\n== %s\n' "$name"
	"$build/bench/$name"
done
printf '\n== feed_bench\n'
for name in triad chase matmul hashjoin sort; do
	# Its figures come on standard error; what the program prints is not wanted.
	# shellcheck disable=SC2069
	"$build/bench/feed_bench" "$build/src/feed/boxscore-plugin.so" "$build/bench/$name" 2>&1 >/dev/null
done
printf '\n== start of boxscore list, seconds\n'
for _ in 1 2 3; do
	python3 - "$build/boxscore" <<'END'
import subprocess, sys, time
start = time.perf_counter()
subprocess.run([sys.argv[1], "list"], stdout=subprocess.DEVNULL, check=True)
print(f"{time.perf_counter() - start:.4f}")
END
done
printf '\n== the machine beside published measurements\n'
python3 bench/published.py "$build/boxscore"
printf '\n== five programs against cachegrind and plain qemu-x86_64\n'
python3 bench/run_bench.py --build "$build"
printf '\n== threads\n'
python3 bench/threads_bench.py --build "$build"
printf '\n== registers through the file-system door\n'
python3 bench/door_bench.py "$build/boxscore"
