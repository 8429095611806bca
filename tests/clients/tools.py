# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of unmodified tools share: running them under `boxscore with`, skipping, checking."""
import ctypes
import shutil
import signal
import subprocess
import sys

SKIPPED = 77
checks = 0
failures = 0


def check(what, got, want):
    """Count a check and report it when it fails."""
    global checks, failures
    checks += 1
    if got != want:
        failures += 1
        print(f"{what}: {got!r}, want {want!r}")


def check_that(what, holds, detail=""):
    global checks, failures
    checks += 1
    if not holds:
        failures += 1
        print(f"{what} does not hold: {detail}")


def done():
    print(f"{checks} checks, {failures} failed")
    sys.exit(1 if failures else 0)


def table(text):
    """Rows of PCM's two-line CSV as {(upper, lower): value}, the interval that was printed last."""
    rows = [line.split(",") for line in (text or "").splitlines() if line.count(",") > 5]
    top, found = "", {}
    for i, (upper, lower) in enumerate(zip(rows[0], rows[1])):
        top = upper or top
        found[top, lower] = rows[-1][i].strip()
    return found


def die_with_us():
    """For preexec_fn: a test that is interrupted leaves nothing running."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


class Boxscore:
    def __init__(self, program, *needs):
        """needs: programs of Debian packages that the test is about."""
        self.program = program
        for name in needs:
            if not shutil.which(name):
                print(f"skipped: there is no {name}")
                sys.exit(SKIPPED)
        probe = self.run(["with", "-M", "hsx,sockets=1,cores=1", "--", "true"])
        if probe.returncode == 69:
            print(f"skipped: {probe.stderr.strip()}")
            sys.exit(SKIPPED)
        check("boxscore with -- true", (probe.returncode, probe.stdout, probe.stderr), (0, "", ""))

    def run(self, arguments, timeout=1200, **more):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False,
                              timeout=timeout, **more)

    def client(self, options, command, machine_time=True, **more):
        """A command under the machine, sleeping in its time; what it prints when all went well, else None."""
        got = self.run(["with", *(["--machine-time"] if machine_time else []), *options, "--", *command], **more)
        check(f"exit status of {' '.join(command)[:60]}", got.returncode, 0)
        if got.returncode:
            print(got.stdout[-2000:], got.stderr[-2000:])
        return got.stdout if got.returncode == 0 else None
