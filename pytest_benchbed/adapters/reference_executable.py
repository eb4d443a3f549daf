"""The reference adapter as an executable: ``run --request FILE --output DIR``.

An example of the protocol for programs in any language. It writes
``predictions.json`` with exactly the requested case ids, then
``adapter-result.json``. Start it as ``examples/reference-adapter``, or from an
installed package as ``python -m pytest_benchbed.adapters.reference_executable``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import Final

from pytest_benchbed.adapters.reference import VERSION
from pytest_benchbed.adapters.reference import Reference
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import UsageProblem

NAME: Final = "reference-adapter"
PREDICTIONS: Final = "predictions.json"
RESULT: Final = "adapter-result.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer a request; return 0, or 2 with a line on stderr if it cannot be answered."""
    parser = argparse.ArgumentParser(prog=NAME, description=__doc__)
    command = parser.add_subparsers(dest="command", required=True).add_parser("run")
    command.add_argument("--request", required=True, type=Path)
    command.add_argument("--output", required=True, type=Path)
    parsed = parser.parse_args(arguments)
    request = json.loads(parsed.request.read_text(encoding="utf-8"))
    try:
        adapter = Reference(**request["options"])
    except (UsageProblem, TypeError) as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return 2
    if not adapter.supports(request["benchmark"]):
        print(f"{NAME}: no cases of {request['benchmark']!r} are known", file=sys.stderr)
        return 2
    parsed.output.mkdir(parents=True, exist_ok=True)
    _write(parsed.output / PREDICTIONS, answer_all(adapter, request))
    # The result is written last: it says that the predictions are complete.
    _write(parsed.output / RESULT, result(request))
    return 0


def answer_all(adapter: Reference, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer the cases of a request; one that is not known is left out and named on stderr."""
    folder = Path(request["files_dir"])
    predictions = {}
    for row in request["cases"]:
        case = Case(
            id=row["id"],
            benchmark=request["benchmark"],
            inputs=row["inputs"],
            files={file["path"]: folder / file["path"] for file in row["files"]},
            context=row.get("context"),
            attempt=request["attempt"],
        )
        try:
            predictions[case.id] = adapter.predict(case)
        except NoAnswer as error:
            print(f"{NAME}: {case.id}: {error}", file=sys.stderr)
    return predictions


def result(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result record: no model was called, so nothing was spent."""
    system = {
        "role": "candidate",
        "model": request["model"] or "none",
        "cost_usd": 0,
        "execution_failures": 0,
        "unpriced_attempts": 0,
    }
    return {
        "id": request["benchmark"],
        "status": "completed",
        "format": request["format"],
        "data": PREDICTIONS,
        "systems": [system],
        "adapter": NAME,
        "adapter_version": VERSION,
    }


def _write(path: Path, value: Any) -> None:
    path.write_bytes(json.dumps(value, sort_keys=True).encode("ascii") + b"\n")


if __name__ == "__main__":
    sys.exit(main())
