"""Lines of a noise ledger, what is left out of one, and the second strike."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.gate import decide_by
from pytest_benchbed.compare.noise_ledger import MAX_NOTES
from pytest_benchbed.compare.noise_ledger import Strike
from pytest_benchbed.compare.noise_ledger import ledger_bytes
from pytest_benchbed.compare.noise_ledger import noise_lines
from pytest_benchbed.compare.noise_ledger import read_ledger
from pytest_benchbed.compare.noise_ledger import strike_lines
from pytest_benchbed.compare.noise_ledger import strikes
from pytest_benchbed.compare.noise_ledger import untold
from pytest_benchbed.compare.noise_ledger import withdrawn
from pytest_benchbed.compare.rules import ChosenRule
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.noise_line import NoiseLine
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import reask
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

AT = "2026-03-10T12:00:00Z"


def line(case="x", candidate="one", outcome="wobbled", profile=PROFILE, **changes):
    fields = {"attempts": 2, "wrong": 1, "at": AT, "benchmark": "table-separators", **changes}
    return NoiseLine(
        baseline="base", candidate=candidate, profile=profile, case=case, errors=[],
        outcome=outcome, **fields,
    )  # fmt: skip


def struck(lines, **options):
    found = strikes(lines, benchmark="table-separators", profile=PROFILE, **options)
    return [(one.case, one.wobbled, one.suspect, one.of) for one in found]


def verdict(rule="confirm", baseline=True):
    rows = {"x": {**row("x", "a"), "reasks": [reask("")]}, "y": row("y", "b"), "z": row("z")}
    base = run_of({"x": "", "y": "", "z": ""}, "base")
    return decide_by(
        ChosenRule(rule, rule),
        run_of(rows),
        base if baseline else None,
        [run_of({"x": "", "y": "", "z": ""}, "control-1")] if baseline else [],
        profile=PROFILE,
        decides=True,
        targets=(),
        judge=Judging(),
    )


def lines_of(gate):
    return noise_lines(gate, candidate="one", benchmark="b", profile=PROFILE, at=AT)


def test_a_verdict_adds_a_line_for_each_suspect():
    found = lines_of(verdict())
    assert [(one.case, one.outcome, one.attempts, one.wrong) for one in found] == [
        ("x", "wobbled", 2, 1),
        ("y", "not-reasked", 1, 1),
    ]
    assert found[0].errors == [{"kind": "a", "where": {"row": 1}}]
    assert (found[0].baseline, found[0].candidate, found[0].at) == ("base", "one", AT)


def test_a_verdict_that_asked_nothing_again_adds_none():
    assert lines_of(verdict("strict")) == []
    assert lines_of(verdict("allowance")) == []
    assert lines_of(verdict(baseline=False)) == []


def test_what_is_written_is_read_and_a_missing_file_is_empty():
    lines = [line(), line("ñ", candidate="two")]
    assert read_ledger(ledger_bytes(lines), baseline="base") == (lines, [])
    assert read_ledger(b"", baseline="base") == ([], [])


def test_a_torn_last_line_is_left_out_with_a_note():
    content = ledger_bytes([line(), line("y")])
    for cut in range(1, len(ledger_bytes([line("y")]))):
        lines, notes = read_ledger(content[:-cut], baseline="base")
        assert lines == [line()]
        assert notes == ["noise ledger of base: the last line is torn, and left out"]


def test_a_line_that_cannot_be_read_or_is_of_another_baseline_is_left_out_by_its_number():
    other = line().model_copy(update={"baseline": "older"})
    newer = ledger_bytes([line()]).replace(b"noise.v1", b"noise.v2")
    content = b"[1]\n\xff{\n" + ledger_bytes([other, line()]) + newer
    lines, notes = read_ledger(content, baseline="base")

    assert lines == [line()]
    assert [note.split(":")[0] for note in notes] == [
        f"noise ledger of base, line {number}" for number in (1, 2, 3, 5)
    ]
    assert "is of baseline 'older'" in notes[2]


@pytest.mark.parametrize("junk", [b"{x", b"\0", b"{" + b"x" * 300], ids=["short", "nul", "long"])
def test_a_file_of_junk_is_a_handful_of_notes(junk):
    """Twenty megabytes of it were seven million warnings; what is a line counts all the same."""
    lines, notes = read_ledger((junk + b"\n") * 1000 + ledger_bytes([line()]), baseline="base")

    assert lines == [line()]
    assert [note.split(":")[0] for note in notes[:-1]] == [
        f"noise ledger of base, line {number}" for number in range(1, MAX_NOTES + 1)
    ]
    assert notes[-1] == "noise ledger of base: 995 more lines left out as well"


def test_the_shortest_line_is_one():
    short = {"baseline": "b", "candidate": "c", "benchmark": "t", "profile": "p", "case": "x"}
    content = NoiseLine(**short, errors=[], outcome="wobbled", attempts=1, wrong=1, at="")
    row = {key: value for key, value in content.to_json().items() if key != "schema"}
    assert read_ledger(canonical(row) + b"\n", baseline="b") == ([content], [])


def test_what_is_told_already_is_not_told_again():
    known = [line(), line(candidate="two", outcome="unconfirmed"), line(candidate="two")]
    later = [one.model_copy(update={"at": "2026-04-01T00:00:00Z"}) for one in (line(), line("y"))]

    assert untold(later, known) == [later[1]]
    # What became of it is another thing now, or again.
    other = line(candidate="two", outcome="unconfirmed")
    assert untold([other], known) == [other]
    assert untold([other], known[:2]) == []


def test_a_case_that_is_no_suspect_any_more_is_taken_back_once():
    of = {"candidate": "one", "benchmark": "table-separators", "profile": PROFILE, "at": AT}
    known = [line("x"), line("z"), line("z", profile="side"), line("z", candidate="two")]

    found = withdrawn(verdict(), known, **of)

    # x is still a suspect; the other profile and the other run are not spoken of.
    assert [(one.case, one.outcome, one.attempts) for one in found] == [("z", "withdrawn", 0)]
    assert read_ledger(ledger_bytes(found), baseline="base") == (found, [])
    assert withdrawn(verdict(), [*known, *found], **of) == []
    assert withdrawn(verdict("strict"), known, **of) == []
    assert struck([line("z"), line("z", candidate="two")]) == [("z", 2, 2, 2)]
    assert struck([line("z"), line("z", candidate="two"), *found]) == []
    third = line("z", candidate="three")
    assert struck([line("z"), line("z", candidate="two"), *found, third]) == [("z", 2, 2, 3)]


def test_empty_lines_are_passed_over():
    content = ledger_bytes([line()]) + b"\n" + ledger_bytes([line("y")])
    assert read_ledger(content, baseline="base") == ([line(), line("y")], [])


def test_many_strikes_are_printed_in_part():
    found = [Strike(f"c{number:02}", wobbled=2, suspect=3, of=5) for number in range(12)]
    lines = strike_lines(found)
    assert lines[0] == "  look at this: intermittent: suspect in 3 of 5 candidate runs (c00)"
    assert (len(lines), lines[-1]) == (11, "  look at this: 2 more cases")
    assert len(strike_lines(found[:10])) == 10


def test_the_second_strike_is_a_wobble_in_two_runs():
    assert struck([line()]) == []
    assert struck([line(), line(candidate="two")]) == [("x", 2, 2, 2)]
    assert struck([line(), line(candidate="two", outcome="confirmed")]) == []


def test_a_run_counts_once_by_its_last_line():
    assert struck([line(), line()]) == []
    again = [line(), line(candidate="two"), line(candidate="two", outcome="confirmed")]
    assert struck(again) == []


def test_strikes_in_two_profiles_or_benchmarks_are_not_added_up():
    assert struck([line(), line(candidate="two", profile="geometric")]) == []
    assert struck([line(), line(candidate="two", benchmark="other")]) == []


def test_runs_without_a_suspect_are_known_from_elsewhere():
    lines = [line(), line(candidate="two"), line(candidate="three", outcome="unconfirmed")]
    assert struck(lines, runs=["one", "four", "five"]) == [("x", 2, 3, 5)]
    found = strikes(lines, benchmark="table-separators", profile=PROFILE, runs=["four", "five"])
    assert found[0].text == "intermittent: suspect in 3 of 5 candidate runs (x)"


def test_strikes_are_listed_by_case():
    lines = [line(case, candidate) for candidate in ("one", "two") for case in ("z", "b", "a")]
    assert [one[0] for one in struck(lines)] == ["a", "b", "z"]
