"""The terminal block: compact, complete, and no foreign text at the start of a line."""

from __future__ import annotations

import pytest

from pytest_benchbed.report.lines import fit
from pytest_benchbed.report.lines import view_lines
from tests.unit.report.builders import Made
from tests.unit.report.builders import error
from tests.unit.report.builders import load
from tests.unit.report.builders import record
from tests.unit.report.builders import write_run
from tests.unit.report.test_page import hostile  # noqa: F401  a fixture

X = error("merged", expected="secret", got="secret", cell=[1, 2])


def test_a_run_is_told_in_a_few_lines(tmp_path) -> None:
    adapter = record("x").to_json()["adapter"] | {"options": {"variant": "b"}, "model": "small"}
    run = write_run(
        tmp_path / "runs",
        [Made("sep-001", now=[X]), Made("sep-002"), Made("sep-003", before=[X])],
        adapter=adapter,
    )

    lines = list(view_lines(load(run)))

    assert lines[0] == (
        "benchmark table-separators · dataset synthetic-v1 1.0.0 (dddddddddddd) · run after"
    )
    assert lines[1:3] == [
        '  adapter acme-extract 2.3.1 · model small · option variant="b"',
        "    isolation process, no network declared",
    ]
    assert (
        "  logical: exact 66.7 % (2 of 3), no change · cell f1 88.9 % (16 of 18), no change"
        in lines
    )
    assert "  geometric: mean offset px 1.417, no change" in lines
    assert "  latency 0.42 s median, 0.42 s p95 · spend $0.15" in lines
    assert "  worse 1 · better 1 · noisy 0 · remaining 0 · unchanged 1" in lines
    assert any(line.startswith("  compared 3 of 3") for line in lines)
    assert any("noise unknown: no control run" in line for line in lines)
    assert any(line.startswith("  profile geometric, not deciding: UNAVAILABLE") for line in lines)
    assert lines[-2] == "  report: runs/after/report.html"
    assert lines[-1].startswith(
        "  next: pytest --bench=table-separators --bench-select=case=sep-001"
    )


def test_a_cause_is_said_once_with_its_cases(tmp_path) -> None:
    cases = [Made(f"t{n}", state="technical", reason="exit status 3") for n in range(5)]

    lines = list(view_lines(load(write_run(tmp_path / "runs", [*cases, Made("ok", now=[X])]))))

    found = [line for line in lines if "technical: " in line]
    assert found == ["  technical: 5 cases (t0, t1, t2, …): adapter: crash: exit status 3"]


@pytest.mark.req("ENV-051")
def test_a_blocked_run_shows_its_failures_and_no_measure(tmp_path) -> None:
    cases = [Made(f"t{n}", state="technical", reason=f"signal {n}") for n in range(7)]

    lines = list(view_lines(load(write_run(tmp_path / "runs", [*cases, Made("ok", now=[X])]))))

    assert "  technical: case t0: adapter: crash: signal 0" in lines
    assert "  technical: 2 more causes, see the report" in lines
    assert not any("exact" in line or "latency" in line for line in lines)
    assert any(line.startswith("  no measures: the run is blocked") for line in lines)
    assert lines[-1].startswith("  next: pytest")


def test_of_private_data_no_text_is_printed(tmp_path) -> None:
    cases = [Made("a", state="technical", reason="secret"), Made("b", now=[X], reason="secret")]
    view = load(write_run(tmp_path / "runs", cases))

    assert "secret" in "\n".join(view_lines(view))
    hidden = "\n".join(view_lines(view, hide_texts=True))
    assert "secret" not in hidden
    assert "  technical: case a: adapter: crash" in hidden


def test_hostile_text_stays_in_its_line_and_behind_words_of_ours(hostile) -> None:  # noqa: F811
    lines = list(view_lines(load(hostile)))

    for line in lines:
        assert line.isprintable(), line
        assert "##" not in line
        first = line.split()[0]
        assert first.isalpha() or first.rstrip(":").isalpha() or line.startswith("    "), line
    starts = {line.split()[0] for line in lines}
    assert not [start for start in starts if start.startswith(("::", "</", "|", "#"))]


def test_the_block_of_a_first_run_says_how_to_promote_it(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a", now=[X]), Made("b")], paired=False)

    lines = list(view_lines(load(run)))

    assert "  with errors 1 · without an error 1" in lines
    assert lines[-1] == "  next: benchbed promote runs/after"


def test_the_report_has_a_path_that_can_be_opened(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a")])

    assert "  report: runs/after/report.html" in view_lines(load(run))
    for base in (tmp_path / "other", None):
        shown = view_lines(load(run, base=base))
        assert f"  report: {run.resolve() / 'report.html'}" in shown


def test_parts_move_to_a_new_line_when_a_line_gets_too_long() -> None:
    assert fit("  ", []) == []
    assert fit("  x: ", ["a" * 60, "b" * 60]) == ["  x: " + "a" * 60, "    " + "b" * 60]
    assert fit("", ["a" * 200]) == ["a" * 200]


def test_a_note_and_cached_answers_are_told(tmp_path) -> None:
    reused = {"at": "2026-03-02T10:00:00Z", "what": "reused", "from": "base", "to": 2}
    run = write_run(
        tmp_path / "runs",
        [Made("sep-001"), Made("sep-002")],
        history=[reused],
        note="with the new\n prompt",
    )

    lines = list(view_lines(load(run)))

    assert lines[1] == '  note "with the new\\n prompt"'
    assert any(line.endswith("· spend $0.15 · cached 2 of 2 (from base)") for line in lines)
