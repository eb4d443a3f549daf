"""A file of an older or newer schema is refused by name wherever it is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.plugin.bench import Bench
from tests.plugin.programs import benchbed

KNOWN = {
    "run.json": "benchbed.run.v1",
    "metrics.json": "benchbed.metrics.v1",
    "manifest.json": "benchbed.manifest.v1",
    "bench.json": "benchbed.bench.v1",
}
WHERE = {
    "run.json": "runs/base/run.json",
    "metrics.json": "runs/base/metrics.json",
    "manifest.json": "cases/toy/v1/manifest.json",
    "bench.json": "cases/toy/bench.json",
}
PYTEST, COMMAND = "pytest", "benchbed"
READERS = [
    ("run.json", PYTEST, ["--baseline=base"]),
    ("run.json", PYTEST, ["--baseline=other", "--bench-control=base"]),
    ("run.json", PYTEST, ["--bench-resume=base"]),
    ("run.json", COMMAND, ["gate", "base"]),
    ("run.json", COMMAND, ["runs"]),
    ("metrics.json", PYTEST, ["--bench-resume=base"]),
    ("metrics.json", COMMAND, ["runs"]),
    ("manifest.json", PYTEST, []),
    ("manifest.json", COMMAND, ["validate", "cases/toy/v1"]),
    ("bench.json", PYTEST, []),
]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the two runs that every case of the table begins with."""
    return tmp_path_factory.mktemp("saved")


@pytest.fixture
def repository(bench: Bench, saved: Path) -> Bench:
    """The toy repository with the runs ``base`` and ``other``, made once."""
    import shutil

    if not (saved / "runs").exists():
        bench.record("other")
        bench.record("base")
        shutil.copytree(bench.path / "runs", saved / "runs")
    else:
        shutil.copytree(saved / "runs", bench.path / "runs")
    (bench.path / "cases/toy/bench.json").write_text(json.dumps({"schema": KNOWN["bench.json"]}))
    return bench


@pytest.mark.parametrize("version", ["v0", "v2"])
@pytest.mark.parametrize(("name", "reader", "words"), READERS)
def test_another_schema_is_refused_by_name(
    repository: Bench, name: str, reader: str, words: list[str], version: str
) -> None:
    bench, path = repository, repository.path / WHERE[name]
    found = KNOWN[name].replace(".v1", f".{version}")
    path.write_text(path.read_text("utf-8").replace(KNOWN[name], found), "utf-8")

    if reader == PYTEST:
        result = bench.run(*words)
        code, text = int(result.ret), result.stdout.str() + result.stderr.str()
        refused = {pytest.ExitCode.USAGE_ERROR}
    else:
        done = benchbed(bench, *words)
        code, text = done.returncode, done.stdout + done.stderr
        # A list goes on with the other runs; everything else ends.
        refused = {0} if words == ["runs"] else {1, 2}

    age, remedy = {
        "v0": ("older", "use the version of pytest-benchbed that wrote it"),
        "v2": ("newer", "pip install -U pytest-benchbed"),
    }[version]
    assert code in refused, text
    # The list of runs names the file below its run.
    assert (name if words == ["runs"] else WHERE[name]) in text
    assert f"{found} is {age} than this version reads ({KNOWN[name]})" in text
    if words != ["runs"]:
        assert remedy in text
    assert "Traceback" not in text
    assert bench.calls() == []
