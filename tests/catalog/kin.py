# SPDX-License-Identifier: BSD-2-Clause
"""What the tests share that compare a family with the one it is like: the catalogues of both, and where they are apart."""
from rows import Catalogue

KINDS = ("registers", "fields", "events", "subevents", "metrics", "packets", "messages")


class Kin:
    """`own` is like `other`; what `more` names are further families to compare with."""

    def __init__(self, own, *others):
        self.own = Catalogue(own, *KINDS)
        self.others = [Catalogue(other, *KINDS) for other in others]

    @staticmethod
    def rows(catalogue, kind, leave):
        """The rows of a kind, without the columns to leave out."""
        return {tuple(v for k, v in r.items() if k not in leave) for r in catalogue[kind]}

    def apart(self, kind, *leave):
        """Rows of one that the first other has not: (only the own, only the other)."""
        own, other = (self.rows(c, kind, leave) for c in (self.own, self.others[0]))
        return own - other, other - own

    @staticmethod
    def events(catalogue, *boxes):
        return {(r["box"], r["event"]) for r in catalogue["events"] if not boxes or r["box"] in boxes}

    @staticmethod
    def subevents(catalogue, *boxes):
        return {(r["box"], r["event"], r["subevent"]) for r in catalogue["subevents"] if not boxes or r["box"] in boxes}
