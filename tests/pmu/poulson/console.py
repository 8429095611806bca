# SPDX-License-Identifier: BSD-2-Clause
"""The console on an Itanium 9500, for the tests that write its lines themselves."""
import subprocess


def console(boxscore, lines, errors=subprocess.STDOUT):
    """Type the lines; what came back, messages among the answers unless `errors` says otherwise."""
    return subprocess.run([boxscore, "shell", "-M", "poulson"], input="\n".join(lines) + "\n", text=True,
                          stdout=subprocess.PIPE, stderr=errors, timeout=300, check=False)
