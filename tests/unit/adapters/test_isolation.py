"""The record of isolation, and paths that an adapter may not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.isolation import check_paths
from pytest_benchbed.adapters.isolation import isolation_record
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.model.errors import UsageProblem


def spec(folder: Path, *pythonpath: Path) -> AdapterSpec:
    return AdapterSpec("a", "class", "m:A", folder / "m.py", folder, pythonpath=pythonpath)


def test_the_level_is_process_and_says_what_is_missing(tmp_path: Path) -> None:
    record = isolation_record(spec(tmp_path), AdapterInfo("A", network="all", reads=("/w",)))

    assert (record["level"], record["network"], record["reads"]) == ("process", "all", ["/w"])
    assert set(record["unavailable"]) == {"bwrap", "landlock"}


@pytest.mark.req("ENV-039")
@pytest.mark.parametrize("reads", ["data", "data/assets", ".", "link"])
def test_reads_may_not_hold_or_lie_in_a_dataset(tmp_path: Path, reads: str) -> None:
    data = tmp_path / "data"
    (data / "assets").mkdir(parents=True)
    (tmp_path / "link").symlink_to(data)

    with pytest.raises(UsageProblem, match="data"):
        check_paths(spec(tmp_path), AdapterInfo("A", reads=(str(tmp_path / reads),)), [data])


def test_reads_elsewhere_and_code_above_a_dataset_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()

    check_paths(
        spec(tmp_path), AdapterInfo("A", reads=(str(tmp_path / "weights"),)), [tmp_path / "data"]
    )


def test_reads_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="does not exist"):
        check_paths(spec(tmp_path), AdapterInfo("A", reads=(str(tmp_path / "none"),)), [])


def test_code_inside_a_dataset_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for wrong in (spec(data / "code"), spec(tmp_path, data)):
        with pytest.raises(UsageProblem, match="lies in"):
            check_paths(wrong, AdapterInfo("A"), [data])
