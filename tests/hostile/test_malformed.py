"""Every malformed kind of output has its outcome; none becomes a skip, a zero or a pass."""

from __future__ import annotations

import os
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from pytest_benchbed.adapters import executable
from pytest_benchbed.adapters.batch_reply import read_reply
from pytest_benchbed.adapters.limits import Limits
from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.request import AdapterRequest
from tests.hostile import malformed
from tests.hostile.repository import CASES
from tests.hostile.repository import VICTIM
from tests.hostile.repository import Repository
from tests.hostile.repository import assert_technical
from tests.plugin.programs import posix_only

pytestmark = posix_only

LIMITS = Limits(entries=500, directory_bytes=3 * malformed.CAP)
ALL = [(group, name) for group, kinds in malformed.GROUPS.items() for name in kinds]
IN_SESSION = [key for key in ALL if malformed.GROUPS[key[0]][key[1]].in_session]

NAMED = {
    "accepted": """plain document; astral and combining characters; any JSON whitespace; empty
        string; empty list""",
    "JSON text": r"""empty; only blanks; truncated; trailing comma; trailing garbage; two documents;
        JSON Lines; single quotes; comments; NaN; Infinity; -Infinity; float overflow; integer with
        thousands of digits; integer beyond 2^53 - 1; leading zero; plus sign; hex; duplicate key
        at the top; duplicate key inside; duplicate key hidden by an escape; very deep nesting,
        open; very deep nesting, closed; lone surrogate; \u0000; raw control character; top level
        list; top level string; top level null; HTML error page; Python repr""",
    "bytes": """BOM; UTF-16; Latin-1; overlong form; surrogate encoded as UTF-8; compressed;
        trailing NUL bytes; pickle""",
    "shape": """missing case; extra case; duplicate case; case value null; wrong type; undeclared
        field; id that differs by letter case; id that differs by Unicode form; id that differs by
        a trailing blank; id that differs by a zero-width character; bool for a number; odd keys;
        oversized string; oversized list""",
    "result record": r"""missing; not JSON; status other than completed; wrong id; wrong format; no
        system; more than one candidate; another role; cost NaN; cost negative; cost a string; cost
        a bool; cost null; cost overflowing; cost above budget; execution_failures above 0;
        execution_failures negative; execution_failures fractional; unpriced_attempts above 0; data
        empty; data absolute; data with ..; data with /; data with \; data with :; data with NUL;
        data a URL; data a directory; data the result record itself; data a device name; data an
        alternate stream; its own score; its own gate; its own passed""",
    "file system": """missing; directory; FIFO; socket; device; symlink inside; symlink outside;
        symlink dangling; symlink loop; symlink to a device; hard link; unreadable; sparse beyond
        the cap; setuid bit; more than the entry limit; more than the byte limit""",
}
"""Every kind there is, as a list of its own: none may lose its row. A file that grows while it
is read is shown by tests/unit/adapters/test_reader.py, a process that ends badly by
tests/hostile/test_executables.py."""


@pytest.mark.parametrize("group", NAMED)
def test_every_kind_has_its_row(group: str) -> None:
    named = {" ".join(name.split()) for name in NAMED[group].split(";")}

    assert set(malformed.GROUPS[group]) == named


@pytest.mark.req("ENV-044", "ENV-046", "ENV-047")
@pytest.mark.parametrize(("group", "name"), ALL)
def test_the_reader_refuses_it_by_its_kind(tmp_path: Path, group: str, name: str) -> None:
    kind = malformed.GROUPS[group][name]
    output = tmp_path / "adapter"
    output.mkdir()
    malformed.write_good(output, "toy", "benchbed.toy.v1")
    try:
        kind.spoil(output)
    except PermissionError:
        pytest.skip("making a device file needs rights that this user lacks")
    if name == "unreadable" and os.geteuid() == 0:
        pytest.skip("root reads every file")

    found = outcome(output)

    expected = {VICTIM: kind.kind} if kind.is_of_case else {None: kind.kind}
    if kind.kind in ("", "shape"):
        # The shape of a prediction is the type's own matter, after the reader.
        expected = {}
    assert found == expected


def outcome(output: Path) -> dict[str | None, str]:
    """Return the technical kinds by case (None: of the run) that an output folder gives."""
    request = AdapterRequest(
        run_id="r", benchmark="toy", format="benchbed.toy.v1", model=None,
        budget_usd=Decimal(1), options={}, attempt=1, files_dir="/files", contexts=[],
        cases=[{"id": case, "inputs": {}, "files": []} for case in CASES],  # type: ignore[list-item]
    )  # fmt: skip
    try:
        executable._check_folder(output, LIMITS)
        reply = read_reply(request, output, LIMITS, 1.0, Redactor())
    except TechnicalFailure as failure:
        return {None: failure.kind}
    return {case: failure.kind for case, failure in reply.failures.items()}


MODEL = """
from pydantic import BaseModel

class Prediction(BaseModel):
    main: list[str]
    side: list[str]
    count: int = 0

class Toy(Benchmark):
    prediction_model = Prediction
"""
SYSTEM = """#!{python}
import sys
sys.path.insert(0, {root!r})
from tests.hostile.malformed import main
main({group!r}, {name!r})
"""


@pytest.mark.req("ENV-044", "ENV-045", "ENV-046", "ENV-047", "ENV-050")
@pytest.mark.parametrize(("group", "name"), IN_SESSION)
def test_a_session_ends_as_the_kind_demands(repository: Repository, group: str, name: str) -> None:
    kind = malformed.GROUPS[group][name]
    conftest = repository.path / "conftest.py"
    text = conftest.read_text("utf-8").replace("class Toy(Benchmark):\n", MODEL)
    conftest.write_text(text, "utf-8")
    repository.executable("")
    system = SYSTEM.format(
        python=sys.executable, root=str(Path(__file__).parents[2]), group=group, name=name
    )
    (repository.path / "system").write_text(system, "utf-8")
    repository.limits(entries=LIMITS.entries, directory_bytes=LIMITS.directory_bytes)

    result = repository.session("--bench-budget=1")

    if not kind.kind:
        result.assert_outcomes(passed=len(CASES))
        assert repository.own.record.technical == []
        return
    cases = (VICTIM,) if kind.is_of_case else CASES
    assert_technical(repository, result, cases=cases, kind=kind.kind)
    if not kind.is_of_case:
        found = {(entry.case, entry.kind) for entry in repository.own.record.technical}
        assert (None, kind.kind) in found
