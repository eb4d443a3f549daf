"""The adapter ``predictions``: outputs that were recorded before, without any system."""

from __future__ import annotations

import hashlib
from typing import Any

from pytest_benchbed.adapters.base import Adapter
from pytest_benchbed.adapters.prediction_settings import PredictionSettings
from pytest_benchbed.adapters.recorded import read_outputs
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.usage import Usage


class Predictions(Adapter):
    """Replays the outputs in a file; its version is the digest of the file.

    Options:

    - ``path``: a ``.jsonl`` or ``.csv`` (``.tsv``) file with a row a case, or a
      ``.json`` object ``{case id: prediction}``;
    - ``id`` (id), ``prediction`` (prediction): columns, or keys of JSON Lines;
      several predicted columns as a list, or ``{field: column}``; in JSON Lines
      a JSON pointer is allowed; ``key``: the prediction becomes ``{key: …}``;
    - ``cells``: how a cell of a CSV file is read: ``auto`` (JSON where it begins
      with a bracket), ``text``, ``json``;
    - ``cost`` (cost_usd), ``latency`` (latency_s): columns, used where they are;
    - ``missing``: what a case without a row is: ``technical`` or ``no-answer``;
    - ``encoding`` (UTF-8), ``delimiter`` (found in the header), ``decimal``: the
      sign in costs and latencies, where ``1.234`` could be read in two ways;
    - ``paid``: false: no output cost anything; without it and without a cost in
      the file the cost is not reported.

    A row whose prediction is null, or an empty cell, is a case the system declined.
    """

    name = "predictions"
    deterministic = True
    max_concurrency = 16

    def __init__(self, **options: Any) -> None:
        """Read the file.

        Raises:
            UsageProblem: naming the option, or the line of the file, and what to do.
        """
        self.settings = PredictionSettings.read(options, self.folders)
        self.reads = (str(self.settings.path),)
        self._outputs = read_outputs(self.settings.path, self.settings)
        is_priced = any(output.cost_usd is not None for output in self._outputs.values())
        # Where some rows have a cost the others are named, and the spend is without them.
        self.paid = False if is_priced else self.settings.paid

    def version(self) -> str:
        """Return the beginning of the file's SHA-256."""
        with self.settings.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]

    async def predict(self, case: Case) -> Any:
        """Return what was recorded; async so that all calls share one process and one reading.

        Raises:
            NoAnswer: the row is empty, or there is none and ``missing`` says so.
            TechnicalFailure: kind ``missing_prediction``.
        """
        found = self._outputs.get(case.id)
        if found is None:
            text = f"{self.settings.path.name} has no row for {case.id}"
            if self.settings.missing == "no-answer":
                raise NoAnswer(text)
            raise TechnicalFailure("missing_prediction", text)
        if found.prediction is None:
            raise NoAnswer("the recorded prediction is empty")
        return found.prediction, Usage(cost_usd=found.cost_usd, latency_s=found.latency_s)
