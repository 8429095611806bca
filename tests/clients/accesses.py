# SPDX-License-Identifier: BSD-2-Clause
"""What a log (`boxscore with --log`) says of when a tool reached a register, in seconds of the machine.  A tool that is held up
between two readings counts for longer: with the length of each counter's own interval that does not matter."""


class Accesses:
    def __init__(self, path):
        """reads: {(CPU or function, register): [(time, value)]}; writes likewise."""
        self.reads, self.writes = {}, {}
        with open(path, encoding="utf-8") as f:
            for line in f:
                word = line.split(" ; ")[0].split()
                if line.startswith("#") or word[-1] == "#GP":
                    continue
                kind = self.writes if word[3].startswith("wr") else self.reads
                kind.setdefault((word[4], word[5]), []).append((float(word[0]), int(word[-1], 0)))

    def between(self, where, register):
        """Seconds and difference between the last two times that it was read."""
        (t0, v0), (t1, v1) = self.reads[where, register][-2:]
        return t1 - t0, v1 - v0

    def running(self, where, register, runs):
        """How long the last time was that the register held a value for which runs(value); 0: it never did."""
        begun, length = None, 0
        for time, value in self.writes.get((where, register), []):
            if runs(value):
                begun = time
            elif begun is not None:
                length, begun = time - begun, None
        return length
