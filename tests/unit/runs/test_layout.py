from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchbed.runs.layout import RunPaths


@pytest.mark.req("ENV-093")
def test_the_files_of_a_run_have_the_names_of_the_format() -> None:
    paths = RunPaths(Path("runs/base"))

    names = {
        path.relative_to("runs/base").as_posix()
        for path in (
            paths.run, paths.request, paths.adapter, paths.calls, paths.results, paths.metrics,
            paths.comparison, paths.report, paths.report_assets, paths.summary,
            paths.review_brief, paths.raw,
        )
    }  # fmt: skip

    assert names == {
        "run.json", "adapter-request.json", "adapter", "calls.jsonl", "results.jsonl",
        "metrics.json", "comparison.jsonl", "report.html", "report-assets", "summary.md",
        "review-brief.json", "raw",
    }  # fmt: skip
