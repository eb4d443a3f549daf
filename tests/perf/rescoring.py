"""What rescoring costs beside the scoring alone: ``python -m tests.perf.rescoring FOLDER COUNT``.

The public table crops under new ids, as often as are asked for, with the replies
of a saved run. Prints the CPU seconds of both sides as one JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_benchbed.adapters.reference import Reference
from pytest_benchbed.benchmarks.score import quality
from pytest_benchbed.benchmarks.score import score
from pytest_benchbed.benchmarks.score import validate_prediction
from pytest_benchbed.benchmarks.table_separators import TableSeparators
from pytest_benchbed.calls.line import seal
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.pin import pin
from pytest_benchbed.data.verify import verify_digests
from pytest_benchbed.evaluate.offline import Bench
from pytest_benchbed.evaluate.offline import Choice
from pytest_benchbed.evaluate.offline import score_run
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.usage import Usage
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.results_file import write_results
from pytest_benchbed.runs.status import write_record
from tests.perf.cost import rounds
from tests.unit.compare.builders import record

ROOT = Path(__file__).parents[2]
# Row and reply of a case are known to belong together by these.
TIMES = {"latency_s": 0.01, "queue_s": 0.0}
USAGE = Usage(cost_usd=0).to_json()
PUBLIC = ROOT / "cases" / "table-separators" / "synthetic-v1"


def dataset(folder: Path, count: int) -> Path:
    """Write the crops again and again until there are ``count``; their pictures are left out."""
    root = folder / "cases" / "table-separators" / "many"
    root.mkdir(parents=True)
    for name in ("cases.jsonl", "answers.jsonl"):
        rows = [json.loads(line) for line in (PUBLIC / name).read_text("utf-8").splitlines()]
        with (root / name).open("wb") as file:
            for number in range(count):
                row = {**rows[number % len(rows)], "id": f"case-{number:06}"}
                row.pop("files", None)
                file.write(canonical(row) + b"\n")
    pin(root, visibility="public")
    return root


def main(folder: Path, count: int) -> dict[str, float]:
    """Return the CPU seconds of scoring alone and of ``benchbed score``."""
    root = dataset(folder, count)
    data, answers = Dataset.open(root), Answers.open(root)
    verify_digests(data, answers)
    benchmark = TableSeparators()
    public, system = Dataset.open(PUBLIC), Reference(variant="baseline")
    replies = [system.predict(case) for case in public.cases()]
    folder_of_run = folder / "runs" / "saved"
    (folder_of_run / "report-assets").mkdir(parents=True)
    with (folder_of_run / "calls.jsonl").open("wb") as calls:
        for line in outcomes(data, replies):
            calls.write(line)
    (folder_of_run / "adapter-request.json").write_text('{"cases": []}', "utf-8")
    saved = record(
        "saved",
        benchmark={
            "id": benchmark.id,
            "format": benchmark.format,
            "scoring_version": "benchbed.table-separators.scores.v0",
            "profiles": list(benchmark.profiles),
        },
        counts={"scope": count, "selected": count, "scored": count},
        dataset={
            "id": data.id,
            "version": data.version,
            "identity": data.identity,
            "digests": data.manifest.digests.to_json(),
        },
    )
    parts = {"inputs": "0" * 64, "files": "0" * 64, "answer": "0" * 64}
    row: dict[str, Any] = {
        "state": "scored", "reason": None, "category": None, "quality": 1.0, "errors": {},
        "metrics": {}, "keys": {}, "key_parts": parts,
        "x": {**TIMES, "cost_usd": USAGE["cost_usd"], "usage": USAGE},
    }  # fmt: skip
    tasks = [
        (data.case(case), answers.answer(case), replies[number % len(replies)])
        for number, case in enumerate(data.ids)
    ]
    bench = Bench(
        benchmark, data, answers, None, folder / "runs", folder, "2026-01-01T00:00:00.000Z"
    )
    alone, whole = [], []
    for _ in range(rounds()):
        start = time.process_time()
        for case, answer, reply in tasks:
            validate_prediction(benchmark, reply)
            quality(benchmark, score(benchmark, case, answer, reply))
        alone.append(time.process_time() - start)
        lines = (canonical({"case": case, **row}) for case in sorted(data.ids))
        digest = write_results(folder_of_run / "results.jsonl", lines)
        write_record(folder_of_run, saved.model_copy(update={"results_sha256": digest}))
        start = time.process_time()
        offline = score_run(bench, Run.open(folder_of_run), Choice(None, ()))
        whole.append(time.process_time() - start)
        assert offline.judged.record.counts.scored == count
    return {"alone_s": min(alone), "rescore_s": min(whole)}


def outcomes(data: Dataset, replies: list[Any]) -> Iterator[bytes]:
    """Yield the line of each case's outcome."""
    for number, case in enumerate(data.ids):
        yield seal(
            {
                "kind": "outcome",
                "benchmark": data.benchmark,
                "case": case,
                "context": None,
                "attempt": 1,
                "request_sha256": "0" * 64,
                "at": "2026-01-01T00:00:00.000Z",
                "state": "ok",
                "raw": json.dumps(replies[number % len(replies)]),
                "error": None,
                "usage": USAGE,
                **TIMES,
                "slot": 0,
            }
        )[1]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))) + "\n")
