"""An adapter that knows no letter beyond a to z."""

from __future__ import annotations

from collections import Counter

from pytest_benchbed import Adapter


class Reader(Adapter):
    version = "1"
    deterministic = True
    paid = False

    def predict(self, case):
        letters = Counter(one for one in case.inputs["text"].lower() if "a" <= one <= "z")
        most = min(letters, key=lambda one: (-letters[one], one))
        return {"letters": sorted(letters), "most": most}
