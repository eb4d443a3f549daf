"""What is written about one case."""

from __future__ import annotations

import pytest

from pytest_benchbed.model.gate import Suspect
from pytest_benchbed.report.blocks import MAX_ERRORS
from pytest_benchbed.report.blocks import assets_of
from pytest_benchbed.report.blocks import block
from pytest_benchbed.report.blocks import error_row
from pytest_benchbed.report.blocks import headline
from pytest_benchbed.report.blocks import reasks_text
from pytest_benchbed.report.cases import Change
from tests.unit.report.builders import Made
from tests.unit.report.builders import error
from tests.unit.report.builders import load
from tests.unit.report.builders import write_run

X, Y = error("x", n=1), error("y", n=1)


def block_of(tmp_path, made: Made, **options):
    view = load(write_run(tmp_path / "runs", [made], **options))
    return block(view, view.lines[0], assets_of(view))


def line_of(tmp_path, made: Made, **options):
    return load(write_run(tmp_path / "runs", [made], **options)).lines[0]


@pytest.mark.parametrize(
    ("made", "paired", "text"),
    [
        (Made("a", now=[X, error("x", n=2), Y], before=[Y]), True,
         "new: x \N{MULTIPLICATION SIGN}2 · known: y"),
        (Made("a", before=[X]), True, "fixed: x"),
        (Made("a", now=[X, Y]), False, "x, y"),
        (Made("a", now=[error(kind) for kind in "abcdef"]), False, "a, b, c, d, 2 more kinds"),
        (Made("a", now={"geometric": [X]}), True, "1 error in other profiles"),
        (Made("a", state="technical", reason="it died"), True, "it died"),
        (Made("a"), True, ""),
    ],
)  # fmt: skip
def test_a_line_says_in_a_few_words_what_is_the_matter(tmp_path, made, paired, text) -> None:
    assert headline(line_of(tmp_path, made, paired=paired), paired) == text


def test_errors_stand_by_profile_with_their_marks_new_ones_first(tmp_path) -> None:
    made = Made("a", now={"logical": [Y, X], "geometric": [X]}, before=[Y, error("z")])

    deciding, other = block_of(tmp_path, made).errors

    assert (deciding.profile, deciding.decides) == ("logical", True)
    assert [(row.mark, row.kind) for row in deciding.rows] == [
        ("new", "x"), ("known", "y"), ("fixed", "z"),
    ]  # fmt: skip
    assert (other.profile, other.decides) == ("geometric", False)
    assert [row.mark for row in other.rows] == ["error"]


def test_too_many_errors_are_counted(tmp_path) -> None:
    made = Made("a", now=[error("x", n=n) for n in range(MAX_ERRORS + 3)])

    (table,) = block_of(tmp_path, made).errors

    assert len(table.rows) == MAX_ERRORS
    assert table.left_out == 3


@pytest.mark.parametrize(
    ("value", "text"),
    [("plain", "plain"), (" ", '" "'), ("", '""'), (3, "3"), ([1, None], "[1, null]"),
     ("abcdef" * 3, "abcdefabcd…"), ([1] * 9, "[1, 1, 1, …"), ({"k": 1}, '{"k": 1}')],
)  # fmt: skip
def test_text_is_shown_as_it_is_and_everything_else_as_json(value, text: str) -> None:
    row = error_row({"kind": "x", "where": {}, "expected": value}, "new", limit=10)

    assert row.expected == text
    assert row.got == ""


def test_an_expected_null_is_shown() -> None:
    assert error_row({"kind": "x", "where": {}, "expected": None}, "new").expected == "null"


def test_places_are_readable() -> None:
    row = error_row({"kind": "x", "where": {"axis": "rows", "cell": [1, 2], "n": 3}}, "new")

    assert row.where == "axis rows, cell [1, 2], n 3"


def test_figures_of_a_case(tmp_path) -> None:
    usage = {"cost_usd": 0.5, "input_tokens": 1200, "output_tokens": 30, "cached": True}
    made = Made("a", now=[X], extra={
        "x": {"latency_s": 1.5, "queue_s": 0.5, "cost_usd": 0.5, "usage": usage},
        "repeats": [{"attempt": 2, "errors": {"logical": [X, Y]}, "metrics": {}, "quality": 0,
                     "latency_s": 1, "cost_usd": 1}],
        "reasks": [{"attempt": 3, "errors": {"logical": []}, "outcome": "scored"}],
    })  # fmt: skip

    figures = {fact.name: fact.text for fact in block_of(tmp_path, made).figures}

    assert figures == {
        "latency": "1.50 s", "waited before": "0.50 s", "cost": "$0.50",
        "tokens": "1,200 in, 30 out", "cached": "yes, taken over without a call", "quality": "0",
        "logical · exact": "0 of 1", "logical · cell f1": "4 of 6",
        "geometric · exact": "1 of 1", "geometric · mean offset px": "1.75",
        "attempt 2": "2 errors", "asked again": "1 time: right",
    }  # fmt: skip
    assert list(figures).index("logical · exact") < list(figures).index("geometric · exact")


@pytest.mark.parametrize(
    ("errors", "shown"),
    [
        ([[X], [X], []], "3 times: wrong, wrong, right"),
        ([[Y]], "1 time: right"),  # the error of the baseline
        ([[X], "budget"], "2 times: wrong, not asked, no money left"),
        ([[X], "technical"], "2 times: wrong, no answer"),
    ],
)
def test_re_asks_are_told_in_words(tmp_path, errors, shown) -> None:
    reasks = [
        {"attempt": attempt, "errors": None, "outcome": one}
        if isinstance(one, str)
        else {"attempt": attempt, "errors": {"logical": one, "geometric": []}, "outcome": "scored"}
        for attempt, one in enumerate(errors, start=2)
    ]
    made = Made("a", now=[X, Y], before=[Y], extra={"reasks": reasks})

    figures = {fact.name: fact.text for fact in block_of(tmp_path, made).figures}

    assert figures["asked again"] == shown


def test_where_the_verdict_counts_otherwise_its_count_is_told() -> None:
    """A type with a rule of its own: other errors are not worse."""
    reasks = [{"attempt": 2, "errors": {"logical": [X]}, "outcome": "scored"}]
    suspect = Suspect(case="a", errors=[], outcome="wobbled", attempts=2, wrong=1)

    text = reasks_text(reasks, Change("noisy", new=(X,)), suspect, "logical")

    assert text == "1 time: wobbled: wrong in 1 of 2 attempts"


def test_figures_without_usage_say_what_is_not_reported(tmp_path) -> None:
    made = Made("a", now=[X], cost_usd=None, extra={
        "x": {"latency_s": None, "queue_s": 0, "cost_usd": None, "usage": None},
        "quality": None, "metrics": {},
    })  # fmt: skip

    figures = {fact.name: fact.text for fact in block_of(tmp_path, made).figures}

    assert figures == {"latency": "not measured", "cost": "not reported"}


@pytest.mark.parametrize(
    "made",
    [
        Made("a", state="technical", reason="x"),
        Made("a", now=[error("no-answer")], reason="too hard"),
    ],
    ids=["technical", "declined"],
)
def test_a_case_without_a_prediction_is_compared_with_nothing(tmp_path, made: Made) -> None:
    """The comparison holds null for it, which would look like an answer."""
    shown = block_of(tmp_path, made)

    assert shown.against_answer is None
    assert shown.grid is None or shown.grid.predicted == ()


def test_the_prediction_of_the_baseline_is_compared_only_if_something_changed(tmp_path) -> None:
    changed = block_of(tmp_path / "1", Made("a", now=[X], answer=1, prediction=2))
    known = block_of(tmp_path / "2", Made("a", now=[X], before=[X], answer=1, prediction=2))

    assert [line.got for line in changed.against_baseline.lines] == ["2"]
    assert known.against_baseline is None


def test_beside_a_drawing_only_what_can_be_predicted_is_compared(tmp_path) -> None:
    """A table's answer also holds gaps and cells, which no prediction has."""
    shown = block_of(
        tmp_path, Made("a", now=[X], prediction={"rows": [20, 40], "columns": [50, 99]})
    )

    text = " ".join(line.expected for line in shown.against_answer.lines)
    assert shown.grid is not None
    assert "row_gaps" not in text
    assert "100" in text


def test_huge_values_are_not_compared_line_by_line(tmp_path) -> None:
    shown = block_of(tmp_path, Made("a", now=[X], answer="a" * 300_000, prediction="b"))

    assert shown.against_answer.lines == ()
    assert shown.against_answer.is_cut


def test_only_images_named_by_their_digest_are_shown(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a")], with_images=False)
    good = f"{'a' * 64}.png"
    for name in (good, "x.png", f"{'a' * 64}.html", f"{'A' * 64}.png", f"{'b' * 64}.png.js"):
        (run / "report-assets" / name).write_bytes(b"")

    assert assets_of(load(run)) == {"a" * 64: good}


def test_a_run_without_images_has_none(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a")], with_images=False)
    (run / "report-assets").rmdir()

    assert assets_of(load(run)) == {}
