"""The rule of hash seeds: the same scores, byte for byte, whatever order sets happen to have.

A hash seed holds for a process, so two are started; each loads the plugins as
this session did and scores what it is given.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.conformance.scored import skip_if_broken
from pytest_benchbed.conformance.subject import Result
from pytest_benchbed.conformance.subject import Subject
from pytest_benchbed.conformance.subject import row_of
from pytest_benchbed.conformance.subject import subjects_of
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.escape import term

SEEDS = ("1", "2")
TIMEOUT_S = 300

_START = "import sys; from pytest_benchbed.conformance.seeds import main; sys.exit(main())"


def another_seed_gives_the_same(subject: Subject, folder: Path) -> None:
    """Score all predictions in a process of each seed, and compare the bytes."""
    skip_if_broken(subject)
    items = [[what, case, prediction] for what, case, prediction in subject.predictions()]
    job = {"benchmark": subject.id, "items": items, "words": _words(subject.config)}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8", newline="\n")
    with ThreadPoolExecutor(len(SEEDS)) as pool:
        first, second = pool.map(lambda seed: _scored(subject, folder, seed), SEEDS)
    findings = [
        f"case {case}, given {what}: {_difference(one, two)}"
        for (what, case, _), one, two in zip(items, first, second, strict=True)
        if one != two
    ]
    if findings:
        subject.broken(
            f"scores are equal under PYTHONHASHSEED {' and '.join(SEEDS)}",
            findings,
            "never go over a set or by hash(): sort first",
        )


def _scored(subject: Subject, folder: Path, seed: str) -> list[bytes]:
    out = folder / f"scores-{seed}"
    environment = {
        name: value
        for name, value in os.environ.items()
        # Of this session's workers and settings; plugins that are named there stay.
        if not name.startswith("PYTEST_") or name == "PYTEST_PLUGINS"
    }
    environment |= {
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "BENCHBED_JOB": str(folder / "job.json"),
        "BENCHBED_OUT": str(out),
    }
    done = subprocess.run(
        [sys.executable, "-c", _START],
        cwd=subject.config.invocation_params.dir,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=TIMEOUT_S,
        check=False,
    )
    if done.returncode or not out.is_file():
        printed = (done.stdout + done.stderr).strip().splitlines()
        subject.broken(
            "the type can be scored in a process of its own",
            [f"exit status {done.returncode}", *(term(line, 200) for line in printed[-3:])],
            "register it by an entry point or the root conftest.py",
        )
    return out.read_bytes().splitlines()


def _words(config: pytest.Config) -> list[str]:
    """Return the arguments that load the same plugins and ``conftest.py`` files."""
    words = ["-p", "no:cacheprovider", f"--rootdir={config.rootpath}"]
    if config.inipath is not None:
        words += ["-c", str(config.inipath)]
    for name in config.option.plugins or ():
        words += ["-p", name]
    named = [str(argument).split("::", 1)[0] for argument in config.args]
    here = config.invocation_params.dir
    return [*words, *(path for path in named if (here / path).exists()), str(config.rootpath)]


def _difference(one: bytes, two: bytes) -> str:
    before, after = one.decode("utf-8"), two.decode("utf-8")
    at = next(
        (
            place
            for place, pair in enumerate(zip(before, after, strict=False))
            if len(set(pair)) > 1
        ),
        min(len(before), len(after)),
    )
    start = max(at - 30, 0)
    return f"…{term(before[start : at + 40])}… and …{term(after[start : at + 40])}…"


class _Scorer:
    """The plugin that stands in for a test session in the processes of the seeds."""

    def __init__(self, job: dict[str, Any], out: Path) -> None:
        self.job = job
        self.out = out

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        (subject,) = subjects_of(config, [self.job["benchmark"]])
        with self.out.open("wb") as file:
            for _, case, prediction in self.job["items"]:
                file.write(canonical(_row(subject.result(case, prediction))) + b"\n")
        return 0


def _row(result: Result) -> dict[str, Any]:
    for what, failure in (("refused", result.refused), ("broken", result.broken)):
        if failure is not None:
            return {what: failure.kind}
    return row_of(result)


def main() -> int:
    """Score the job that the environment names; in a process of its own."""
    job = json.loads(Path(os.environ["BENCHBED_JOB"]).read_text(encoding="utf-8"))
    # This package is imported before pytest could rewrite its assertions.
    quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    scorer = _Scorer(job, Path(os.environ["BENCHBED_OUT"]))
    return int(pytest.main([*quiet, *job["words"]], plugins=[scorer]))
