"""The reference adapter: it knows how the public synthetic cases were made.

It calls no model and opens no answer file. It builds each case again from its
id with the generator's code and reads the truth off it, so it serves to try
out a benchmark, the gate and the report, not to measure anything.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any
from typing import Final

from pytest_benchbed.adapters.base import Adapter
from pytest_benchbed.generators import table_variants
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import unknown_name

VARIANTS: Final = ("default", "baseline", "flaky")
VERSION: Final = "1"
"""Raised when an answer changes for an unchanged case."""


class Reference(Adapter):
    """Answers from the generator's code, right or wrong as wanted.

    Option ``variant``:

    - ``default``: right everywhere.
    - ``baseline``: wrong in a fixed set of cases, of ``table-separators``:
      sep-002 and sep-022 lose a column; sep-003, sep-011 and sep-047 lose a
      row; sep-005 and sep-031 cut a row, sep-036 and sep-052 a column; sep-015
      takes a word into the next cell and sep-019 moves a value there; sep-024
      has an empty row; sep-017 and sep-020 lose a spanning cell, sep-030 makes
      one too short, sep-038 invents two; sep-026 finds nothing; sep-067 cuts
      through ink, which only the profile ``geometric`` sees.
    - ``flaky``: wrong in about half of the attempts at eight cases: sep-008,
      sep-018, sep-028, sep-043, sep-063, sep-078, sep-103, sep-140.

    Option ``seed`` (of ``flaky``): text or number; one seed, case and attempt
    always give one answer. ``null``: drawn anew whenever the adapter starts, so
    that two runs with equal options differ.
    """

    name = "reference"
    version = VERSION
    deterministic = True
    """True but for ``flaky``."""
    paid = False

    def __init__(self, variant: str = "default", seed: str | int | None = 0) -> None:
        """Choose the variant.

        Raises:
            UsageProblem: there is no such variant.
        """
        if variant not in VARIANTS:
            raise UsageProblem(unknown_name("variant", str(variant), VARIANTS, ""))
        self.variant = variant
        self.seed = secrets.token_hex(8) if seed is None else str(seed)
        self.deterministic = variant != "flaky"

    def supports(self, benchmark: str) -> bool:
        """Say whether ``benchmark`` has a public synthetic dataset."""
        return benchmark in SOLVERS

    def predict(self, case: Case) -> Any:
        """Answer one case.

        Raises:
            NoAnswer: the case is none of the generator's, or was changed.
        """
        return SOLVERS[case.benchmark](case, self.variant, self.seed)


def solve_table(case: Case, variant: str, seed: str) -> Any:
    """Answer one case of ``table-separators``.

    Raises:
        NoAnswer: as :meth:`Reference.predict`.
    """
    crop = table_variants.known_table(case.id, case.inputs)
    if crop is None:
        raise NoAnswer("not a case of the public synthetic dataset, or changed since")
    if variant == "baseline":
        return table_variants.baseline(case.id, crop)
    if variant == "flaky":
        return table_variants.flaky(case.id, crop, seed, case.attempt)
    return crop.prediction()


SOLVERS: Final[Mapping[str, Callable[[Case, str, str], Any]]] = {"table-separators": solve_table}
"""Per benchmark with a public synthetic dataset what answers its cases."""
