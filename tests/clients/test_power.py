#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Power, frequencies, temperatures and memory as sysfs shows them, against the registers that they come from.

usage: test_power.py BOXSCORE
"""
import errno
import os
import sys

from tools import Boxscore, check, check_that, done

CAP, CPU, HEAT = "/sys/class/powercap/", "/sys/devices/system/cpu/", "/sys/class/hwmon/"

# (machine, file, its lines).  Two cores a socket.  By hand: 145 W in eighths of a watt and 1.2 times that; 2^32 units of 61.035 uJ
# and of 15.3 uJ; 1/1024 s; 92 degrees less the 56 of the sensor at rest.
FILES = [
    ("hsx", CAP + "intel-rapl:0/name", "package-0"), ("hsx", CAP + "intel-rapl:1/name", "package-1"),
    ("hsx", CAP + "intel-rapl:1:0/name", "dram"), ("hsx", CAP + "intel-rapl/intel-rapl:0/intel-rapl:0:0/name", "dram"),
    ("hsx", CAP + "intel-rapl:0/constraint_0_power_limit_uw", "145000000"),
    ("hsx", CAP + "intel-rapl:0/constraint_1_power_limit_uw", "174000000"),
    ("hsx", CAP + "intel-rapl:0/constraint_0_max_power_uw", "145000000"), ("hsx", CAP + "intel-rapl:0/enabled", "1"),
    ("hsx", CAP + "intel-rapl:0/constraint_0_time_window_us", "976"), ("hsx", CAP + "intel-rapl:0/constraint_1_name", "short_term"),
    ("hsx", CAP + "intel-rapl:0/max_energy_range_uj", str(0xffffffff * 61035 // 1000)),
    ("hsx", CAP + "intel-rapl:0:0/max_energy_range_uj", str(0xffffffff * 15300 // 1000)),
    ("snbep", CAP + "intel-rapl:0:0/name", "core"), ("snbep", CAP + "intel-rapl:0:1/name", "dram"),
    ("snbep", CAP + "intel-rapl:0:1/max_energy_range_uj", str(0xffffffff * 15258 // 1000)),
    ("hsx", CPU + "cpu3/cpufreq/scaling_cur_freq", "2300000"), ("hsx", CPU + "cpu3/cpufreq/related_cpus", "3"),
    ("hsx", CPU + "cpufreq/policy7/cpuinfo_max_freq", "2300000"), ("hsx", CPU + "cpufreq/policy7/cpuinfo_min_freq", "1200000"),
    ("hsx", CPU + "cpu0/cpufreq/scaling_driver", "intel_cpufreq"), ("hsx", CPU + "intel_pstate/no_turbo", "1"),
    ("hsx,turbo=on", CPU + "cpu0/cpufreq/cpuinfo_max_freq", "3600000"), ("hsx,turbo=on", CPU + "intel_pstate/no_turbo", "0"),
    ("hsx,core_mhz=2600", CPU + "cpu0/cpufreq/scaling_cur_freq", "2600000"),
    ("snbep", CPU + "cpu0/cpufreq/cpuinfo_max_freq", "2900000"),
    ("nhmex", CPU + "cpu0/cpufreq/scaling_driver", "acpi-cpufreq"), ("nhmex", CPU + "cpu0/cpufreq/scaling_cur_freq", str(17 * 133333)),
    ("nhmex", CPU + "cpu0/cpufreq/cpuinfo_min_freq", str(9 * 133333)),
    ("hsx", CPU + "cpu5/power/energy_perf_bias", "6"),
    ("hsx", HEAT + "hwmon1/name", "coretemp"), ("hsx", HEAT + "hwmon1/temp1_label", "Package id 1"),
    ("hsx", HEAT + "hwmon0/temp3_label", "Core 1"), ("hsx", HEAT + "hwmon0/temp1_input", "36000"),
    ("hsx", HEAT + "hwmon0/temp2_input", "36000"), ("hsx", HEAT + "hwmon0/temp2_crit", "92000"), ("hsx", HEAT + "hwmon0/temp2_max", "92000"),
    ("hsx", HEAT + "hwmon0/temp2_crit_alarm", "0"), ("nhmex", HEAT + "hwmon0/temp2_label", "Core 0"),
    ("hsx", "/sys/devices/platform/coretemp.1/hwmon/hwmon1/device/modalias", "platform:coretemp"),
    ("hsx", "/sys/devices/system/node/node1/numastat", "numa_hit 0\nnuma_miss 0\nnuma_foreign 0\ninterleave_hit 0\nlocal_node 0\nother_node 0"),
    ("hsx,memory=2G", "/sys/devices/system/node/node1/meminfo",
     "Node 1 MemTotal:        2097152 kB\nNode 1 MemFree:         2097152 kB\nNode 1 MemUsed:               0 kB"),
]

# (machine, directory, all that is in it): what this computer has of the kind is not there.
FOLDERS = [
    ("hsx", CAP, "intel-rapl intel-rapl:0 intel-rapl:0:0 intel-rapl:1 intel-rapl:1:0"),
    ("snbep", CAP, "intel-rapl intel-rapl:0 intel-rapl:0:0 intel-rapl:0:1 intel-rapl:1 intel-rapl:1:0 intel-rapl:1:1"), ("nhmex", CAP, ""),
    ("hsx", HEAT, "hwmon0 hwmon1"), ("nhmex", "/sys/devices/virtual/powercap", None), ("nhmex", CPU + "cpu0/power", None),
    ("nhmex", CPU + "intel_pstate", None),
]

# (what is written to the bias of CPU 1, what comes of it, the register after it)
BIASES = [("15\n", None, 15), ("0x4", None, 4), ("performance\n", None, 0), ("power", None, 15), ("balance-performance", None, 4),
          ("balance-power", None, 8), ("normal\n", None, 6), ("16", errno.EINVAL, 6), ("-1", errno.EINVAL, 6), ("fast", errno.EINVAL, 6),
          ("3 4", errno.EINVAL, 6), ("7" * 80, errno.EINVAL, 6)]

# (machine, zone, CPU, register of the energy, thousandths of a microjoule of its unit)
ENERGIES = [("hsx", "intel-rapl:0", 0, 0x611, 61035), ("hsx", "intel-rapl:1:0", 2, 0x619, 15300), ("snbep", "intel-rapl:1", 2, 0x611, 15258),
            ("snbep", "intel-rapl:0:0", 0, 0x639, 15258), ("snbep", "intel-rapl:0:1", 0, 0x619, 15258)]


def text(path):
    with open(path, encoding="ascii") as f:
        return f.read()


def msr(cpu, number):
    fd = os.open(f"/dev/cpu/{cpu}/msr", os.O_RDONLY)
    value = int.from_bytes(os.pread(fd, 8, number), "little")
    os.close(fd)
    return value


def write(path, what):
    try:
        fd = os.open(path, os.O_WRONLY)
        try:
            os.write(fd, what.encode())
        finally:
            os.close(fd)
        return None
    except OSError as e:
        return e.errno


def rows_of(machine):
    """What comes out otherwise."""
    for _, path, want in (row for row in FILES if row[0] == machine):
        got = text(path) if os.path.exists(path) else None
        if got != want + "\n":
            yield f"{path}: {got!r}, want {want!r}"
    for _, path, want in (row for row in FOLDERS if row[0] == machine):
        got = " ".join(sorted(os.listdir(path))) if os.path.isdir(path) else None
        if got != want:
            yield f"{path}: {got}, want {want}"
    for _, zone, cpu, number, unit in (row for row in ENERGIES if row[0] == machine):
        before, got, after = msr(cpu, number), int(text(f"{CAP}{zone}/energy_uj")), msr(cpu, number)
        if not before * unit // 1000 <= got <= after * unit // 1000:
            yield f"{zone}: {got} uJ, want {before} to {after} units"


def biases():
    path = f"{CPU}cpu1/power/energy_perf_bias"
    for what, want, value in BIASES:
        got = write(path, what)
        if (got, msr(1, 0x1b0), text(path)) != (want, value, f"{value}\n"):
            yield f"writing {what!r}: {got}, register {msr(1, 0x1b0)}, file {text(path)!r}; want {want}, {value}"
    if msr(0, 0x1b0) != 6:
        yield "the bias of another CPU has changed"
    for path in (f"{CAP}intel-rapl:0/constraint_0_max_power_uw", f"{CAP}intel-rapl:0/energy_uj", f"{HEAT}hwmon0/temp1_input"):
        if write(path, "1") != errno.EACCES:
            yield f"{path} can be written"
    if write(f"{CPU}cpu1/cpufreq/scaling_governor", "schedutil") is not None or text(f"{CPU}cpu1/cpufreq/scaling_governor") != "performance\n":
        yield "the governor is another"


# (file, what is written, the error or None, the register, the bits of it that it is about, they, what the file then shows).  By hand:
# power in 125 mW, time in 976 us (1/1024 s): 10 ms are 10 of these, 2^3 * (1 + 1/4), so Y 3, Z 1.
LIMITS = [
    ("intel-rapl:0/constraint_0_power_limit_uw", "100000000", None, 0x610, (14, 0), 800, "100000000"),
    ("intel-rapl:0/constraint_0_power_limit_uw", "100124999", None, 0x610, (14, 0), 800, "100000000"),
    ("intel-rapl:0/constraint_0_power_limit_uw", "4095875000", None, 0x610, (14, 0), 32767, "4095875000"),
    ("intel-rapl:0/constraint_0_power_limit_uw", "4096000000", errno.EINVAL, 0x610, (14, 0), 32767, "4095875000"),
    ("intel-rapl:0/constraint_0_power_limit_uw", "-1", errno.EINVAL, 0x610, (14, 0), 32767, "4095875000"),
    ("intel-rapl:0/constraint_0_power_limit_uw", "much", errno.EINVAL, 0x610, (14, 0), 32767, "4095875000"),
    ("intel-rapl:0/constraint_0_power_limit_uw", "99999999999999999999", errno.EINVAL, 0x610, (14, 0), 32767, "4095875000"),
    ("intel-rapl:0/constraint_1_power_limit_uw", "200000000", None, 0x610, (46, 32), 1600, "200000000"),
    ("intel-rapl:0/constraint_0_time_window_us", "10000", None, 0x610, (23, 17), 3 | 1 << 5, "9760"),
    ("intel-rapl:0/constraint_0_time_window_us", "975", errno.EINVAL, 0x610, (23, 17), 3 | 1 << 5, "9760"),
    ("intel-rapl:0/constraint_1_time_window_us", "976", None, 0x610, (55, 49), 0, "976"),
    ("intel-rapl:0/enabled", "0", None, 0x610, (15, 15), 0, "0"),
    ("intel-rapl:0/enabled", "2", errno.EINVAL, 0x610, (15, 15), 0, "0"),
    ("intel-rapl:0/enabled", "1", None, 0x610, (15, 15), 1, "1"),
    ("intel-rapl:0:0/constraint_0_power_limit_uw", "20000000", None, 0x618, (14, 0), 160, "20000000"),
]


def limits():
    for name, what, want, number, (high, low), bits, shown in LIMITS:
        got = write(CAP + name, what)
        register = msr(0, number) >> low & (1 << high - low + 1) - 1
        if (got, register, text(CAP + name)) != (want, bits, shown + "\n"):
            yield f"writing {what!r} to {name}: {got}, {register}, {text(CAP + name)!r}; want {want}, {bits}, {shown}"
    if text(f"{CAP}intel-rapl:1/constraint_0_power_limit_uw") != "145000000\n":
        yield "the limit of another socket has changed"


def main():
    if sys.argv[1] == "inside":
        print("\n".join([*rows_of(sys.argv[2]), *([*biases(), *limits()] if sys.argv[2] == "hsx" else [])]), end="")
        return
    b = Boxscore(sys.argv[1])
    for machine in dict.fromkeys(row[0] for row in FILES):
        spec = machine.replace(",", ",cores=2,", 1) if "," in machine else machine + ",cores=2"
        check(machine, b.client(["-M", spec], [sys.executable, os.path.abspath(__file__), "inside", machine]), "")
    # A sensor that cannot be read: as the driver says.
    got = b.run(["with", "-M", "hsx,cores=2", "--fault", "gp=0x1a2", "--", "cat", HEAT + "hwmon0/temp1_input"])
    check_that("a register that faults", got.returncode == 1 and "Input/output error" in got.stderr, got.stderr)
    done()


main()
