"""Write a run that was scored again: every file as the session would have, ``run.json`` last.

A process that is killed in between leaves rows whose digest is not that of the
record, which every reader refuses; scoring the run once more completes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_benchbed.evaluate.case import Scorer
from pytest_benchbed.evaluate.verdict import Judged
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.report.page import save_page
from pytest_benchbed.report.summary import save_summary
from pytest_benchbed.report.view import RunView
from pytest_benchbed.report.view import TypeWords
from pytest_benchbed.runs.assets import copy_assets
from pytest_benchbed.runs.atomic import write_json
from pytest_benchbed.runs.comparison import Replies
from pytest_benchbed.runs.comparison import write_comparison
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.results_file import write_results
from pytest_benchbed.runs.row_text import row_text
from pytest_benchbed.runs.status import write_record


def write_rescored(
    paths: RunPaths,
    judged: Judged,
    rows: Mapping[str, dict[str, Any]],
    scorer: Scorer,
    replies: Sequence[Replies],
    *,
    base: Path,
    baseline: RunRecord | None,
    hide_texts: bool,
    keeps_comparison: bool = False,
) -> RunView:
    """Write all files of a run; return what its reports show.

    Args:
        paths: the run; its lock is held.
        judged: its record, metrics and review brief.
        rows: its rows by case, in order of the ids.
        scorer: of the dataset; its answers go into ``comparison.jsonl``.
        replies: of the run, of its baseline if there is one, and of each control.
        base: the folder where commands of the reports will be pasted.
        baseline: record of the baseline, for commands that repeat it.
        hide_texts: private texts stay out of the summary.
        keeps_comparison: ``comparison.jsonl`` has these answers and replies already; it
            holds no score.

    Raises:
        RunError: a file cannot be written; score the run again.
    """
    record = write_rows(paths, judged.record, rows)
    write_json(paths.metrics, judged.metrics)
    write_json(paths.review_brief, judged.brief)
    candidate, *others = replies

    def compare() -> None:
        write_comparison(
            paths.comparison,
            rows,
            lambda case: _answer(scorer, case),
            candidate,
            others[0] if baseline is not None else None,
            others[1:],
            is_canonical=scorer.is_batch,
            # What has a score was read strictly for it.
            read={case for case in candidate if _is_answered(rows.get(case))},
        )

    keeps_comparison = keeps_comparison and _has_lines(paths.comparison, len(rows))
    if not keeps_comparison:
        compare()
    dataset = scorer.dataset
    copy_assets(
        [
            dataset.root.joinpath(*path.split("/"))
            for case in judged.with_something_to_see
            for path in dataset.known_row(case).get("files") or ()
        ],
        paths.report_assets,
    )

    def report() -> RunView:
        words = TypeWords.of(scorer.benchmark)
        loaded = RunView.load(paths.root, words=words, base=base, baseline=baseline)
        view = replace(loaded, record=record)
        save_summary(view, hide_texts=hide_texts)
        save_page(view)
        return view

    try:
        view = report()
    except RunError:
        if not keeps_comparison:
            raise
        # What was kept is damaged.
        compare()
        view = report()
    write_record(paths.root, record)
    return view


def write_rows(paths: RunPaths, record: RunRecord, rows: Mapping[str, dict[str, Any]]) -> RunRecord:
    """Write ``results.jsonl`` and return the record with its digest; ``run.json`` is not written.

    Raises:
        RunError: the file cannot be written.
    """
    lines = (row_text(row).encode("utf-8") for row in rows.values())
    return record.model_copy(update={"results_sha256": write_results(paths.results, lines)})


def _has_lines(path: Path, count: int) -> bool:
    """Say whether a file has so many whole lines."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        return sum(line.endswith(b"\n") for line in file) == count


def _is_answered(row: Mapping[str, Any] | None) -> bool:
    return row is not None and row["state"] == "scored"


def _answer(scorer: Scorer, case: str) -> Any:
    try:
        return scorer.answers.known(case)
    except DatasetError:
        return None
