"""Where everything of a run lies: the one place that knows the file names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

RUN_FILE = "run.json"
"""A folder with this file is a run."""
RUN_SET_SCHEMA = "benchbed.run-set.v1"
RUN_SET_FILE = "run-set.json"
"""A folder with this file is a run set: one run per benchmark below it."""
LOCK_FILE = "run.lock"
SNAPSHOTS = "baseline"
"""Folder of the snapshots of promoted runs, beside a bench file."""


@dataclass(frozen=True, slots=True)
class RunPaths:
    """The files and folders of one run directory (ENV-093). Nothing is opened."""

    root: Path

    @property
    def run(self) -> Path:
        """``run.json``: how the run was made; written first and last."""
        return self.root / RUN_FILE

    @property
    def request(self) -> Path:
        """``adapter-request.json``: what the system was asked."""
        return self.root / "adapter-request.json"

    @property
    def adapter(self) -> Path:
        """``adapter/``: the adapter's own folder; we write nothing below it (ENV-095)."""
        return self.root / "adapter"

    @property
    def calls(self) -> Path:
        """``calls.jsonl``: every call, appended as it happens."""
        return self.root / "calls.jsonl"

    @property
    def results(self) -> Path:
        """``results.jsonl``: one row per case, sorted by case id."""
        return self.root / "results.jsonl"

    @property
    def metrics(self) -> Path:
        """``metrics.json``: summaries and gates per profile."""
        return self.root / "metrics.json"

    @property
    def comparison(self) -> Path:
        """``comparison.jsonl``: each answer beside every compared prediction."""
        return self.root / "comparison.jsonl"

    @property
    def review_brief(self) -> Path:
        """``review-brief.json``: the changed cases, grouped."""
        return self.root / "review-brief.json"

    @property
    def summary(self) -> Path:
        """``summary.md``."""
        return self.root / "summary.md"

    @property
    def report(self) -> Path:
        """``report.html``."""
        return self.root / "report.html"

    @property
    def report_assets(self) -> Path:
        """``report-assets/``: images the report shows, named by digest."""
        return self.root / "report-assets"

    @property
    def raw(self) -> Path:
        """``raw/``: calls of judges."""
        return self.root / "raw"

    @property
    def lock(self) -> Path:
        """``run.lock``: held while a process works on the run."""
        return self.root / LOCK_FILE
