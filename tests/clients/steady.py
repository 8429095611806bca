# SPDX-License-Identifier: BSD-2-Clause
"""Comparing what a tool counts in a time that is the world's: on a busy computer hardly any of the machine's passes in it, so what
does not fit is measured again over a longer one."""
from tools import check_that

WINDOWS = (0.5, 2, 8)  # seconds


class Apart(Exception):
    """Counts that should fit and do not, in a window that is not the last."""


class Steady:
    def __init__(self):
        self.window = WINDOWS[0]

    def near(self, what, got, want, percent=3):
        self._check(f"{what}: {got} is within {percent} % of {want}", abs(got - want) * 100 <= abs(want) * percent)

    def few(self, what, got, of):
        self._check(f"{what}: {got} is next to nothing of {of}", got * 100 <= of)

    def _check(self, what, holds):
        if not holds and self.window != WINDOWS[-1]:
            raise Apart(what)
        check_that(what, holds)

    def run(self, scenario, *arguments):
        """scenario(self, ...) measures for self.window seconds and compares with near() and few()."""
        for self.window in WINDOWS:
            try:
                scenario(self, *arguments)
                return
            except Apart as apart:
                print(f"again, for longer: {apart}")
