# SPDX-License-Identifier: BSD-2-Clause
"""Measuring with a tool on a busy computer.

A tool measures for a time of the machine's, not of the world's (Boxscore.client(), stay()).  Even so it reads one register after
the other, and on a busy computer may be held up in between, where the machine goes on: what does not fit is measured again over a
longer time, and only what does not fit in the longest has failed."""
import os
import sys

from tools import check_that

WINDOWS = (0.005, 0.01, 0.02, 0.04, 0.08)  # seconds of the machine; under a load a hundred times as long in the world


def stay(seconds):
    """A command that stays for so many seconds of the machine's, where sleeping is done in the world's."""
    return [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "stay.py"), str(seconds)]


class Apart(Exception):
    """Counts that should fit and do not, in a window that is not the last."""


class Steady:
    """scale: of the windows, for a tool or a load that needs longer or shorter ones."""

    def __init__(self, scale=1):
        self.windows = [w * scale for w in WINDOWS]
        self.window = self.windows[0]

    def near(self, what, got, want, percent=3):
        self.that(f"{what}: {got} is within {percent} % of {want}", abs(got - want) * 100 <= abs(want) * percent)

    def few(self, what, got, of):
        self.that(f"{what}: {got} is next to nothing of {of}", got * 100 <= of)

    def that(self, what, holds, detail=""):
        if not holds and self.window != self.windows[-1]:
            raise Apart(f"{what} {detail}")
        check_that(what, holds, detail)

    def run(self, scenario, *arguments):
        """scenario(self, ...) measures for self.window seconds and compares with near(), few() and that()."""
        for self.window in self.windows:
            try:
                scenario(self, *arguments)
                return
            except Apart as apart:
                print(f"again, for longer: {apart}")
