from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.pdfplumber_adapter import PdfPlumber
from pytest_benchbed.adapters.pdfplumber_adapter import without_empty_bands
from pytest_benchbed.benchmarks.table_separators import TablePrediction
from pytest_benchbed.benchmarks.table_separators import TableSeparators
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import UsageProblem

ROOT = Path(__file__).parents[3]
DATASET = ROOT / "cases" / "table-separators" / "synthetic-v1"


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    text = (DATASET / "answers.jsonl").read_text(encoding="utf-8")
    return {row["id"]: row["answer"] for row in map(json.loads, text.splitlines())}


def score(
    answers: dict[str, Any], case: str, adapter: PdfPlumber
) -> tuple[dict[str, Any], dict[str, ProfileScore]]:
    shown = Dataset.open(DATASET).case(case)
    prediction = adapter.predict(shown)
    TablePrediction.from_json(prediction)
    return prediction, TableSeparators().score_case(shown, answers[case], prediction)


class TestWithPdfplumber:
    """On the committed pages; needs the extra ``documents``."""

    @pytest.fixture(autouse=True)
    def _engine(self) -> None:
        pytest.importorskip("pdfplumber")

    @pytest.mark.parametrize("case", ["sep-001", "sep-014", "sep-030"])
    def test_ruled_tables_are_right_in_both_profiles(
        self, answers: dict[str, Any], case: str
    ) -> None:
        _, scores = score(answers, case, PdfPlumber())

        assert [profile.errors for profile in scores.values()] == [(), ()]

    def test_spanning_cells_are_found_by_their_lines(self, answers: dict[str, Any]) -> None:
        prediction, _ = score(answers, "sep-030", PdfPlumber())

        assert prediction["spans"] == answers["sep-030"]["spans"] != []

    def test_a_table_without_rules_is_found_by_its_words_and_not_quite_right(
        self, answers: dict[str, Any]
    ) -> None:
        """Rows are easy; a column begins where its widest text does, which cuts headers."""
        prediction, scores = score(answers, "sep-015", PdfPlumber())

        assert len(prediction["rows"]) == len(answers["sep-015"]["rows"])
        assert {error.kind for error in scores["logical"].errors} == {"taken"}

    def test_lines_alone_find_nothing_in_a_table_without_rules(
        self, answers: dict[str, Any]
    ) -> None:
        prediction, scores = score(answers, "sep-002", PdfPlumber(strategy="lines"))

        assert prediction == {"rows": [], "columns": [], "spans": []}
        assert scores["logical"].errors
        assert scores["geometric"].errors

    def test_words_alone_do_not_see_the_spans_of_a_ruled_table(
        self, answers: dict[str, Any]
    ) -> None:
        prediction, _ = score(answers, "sep-030", PdfPlumber(strategy="text"))

        assert prediction["rows"] != []
        assert prediction["spans"] == []

    def test_settings_reach_the_engine(self, answers: dict[str, Any]) -> None:
        strict, _ = score(answers, "sep-002", PdfPlumber(min_words_vertical=500))
        usual, _ = score(answers, "sep-002", PdfPlumber())

        assert strict != usual

    def test_a_scan_is_declined(self) -> None:
        with pytest.raises(NoAnswer, match="no text layer"):
            PdfPlumber().predict(Dataset.open(DATASET).case("sep-013"))

    def test_equal_cases_give_equal_predictions(self) -> None:
        shown = Dataset.open(DATASET).case("sep-010")

        assert PdfPlumber().predict(shown) == PdfPlumber().predict(shown)

    def test_its_version_is_the_engines(self) -> None:
        import pdfplumber

        assert PdfPlumber().version() == pdfplumber.__version__ != ""


def test_its_documented_scores_are_the_measured_ones(answers: dict[str, Any]) -> None:
    engine = pytest.importorskip("pdfplumber")
    page = (ROOT / "docs" / "table-separators.md").read_text(encoding="utf-8")
    if f"with pdfplumber {engine.__version__}:" not in page:
        pytest.skip("the page speaks of another version of pdfplumber")
    adapter, kind = PdfPlumber(), TableSeparators()
    dataset = Dataset.open(DATASET)
    metrics: dict[str, dict[str, list[Any]]] = {}
    for entry in dataset.entries():
        rows = metrics.setdefault(entry.category or "", {name: [] for name in kind.profiles})
        try:
            prediction = adapter.predict(dataset.case(entry.id))
        except NoAnswer:
            continue
        shown = dataset.case(entry.id)
        for name, scored in kind.score_case(shown, answers[entry.id], prediction).items():
            rows[name].append(scored.metrics)

    for layout, rows in metrics.items():
        logical = kind.summarise("logical", rows["logical"])
        geometric = kind.summarise("geometric", rows["geometric"])
        if not logical:
            assert f"| {layout} | declined |" in page
            continue
        cells = [
            f"{logical['exact'][0]} of 12",
            decimal(logical["cell_f1"]),
            f"{geometric['exact'][0]} of 12",
            decimal(geometric["separator_precision"]),
            decimal(geometric["separator_recall"]),
            f"{geometric['mean_offset_px']:.2f}",
        ]
        assert f"| {layout} | {' | '.join(cells)} |" in page


def decimal(pair: tuple[int, int]) -> str:
    return f"{pair[0] / pair[1]:.3f}"


def test_it_says_what_to_install_where_the_engine_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pdfplumber", None)

    with pytest.raises(UsageProblem, match=r"pip install 'pytest-benchbed\[documents\]'"):
        PdfPlumber().version()


def test_it_serves_table_separators_only_costs_nothing_and_is_deterministic() -> None:
    adapter = PdfPlumber()

    assert adapter.supports("table-separators")
    assert not adapter.supports("text-boxes")
    assert (adapter.deterministic, adapter.paid, adapter.name) == (True, False, "pdfplumber")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"strategy": "line"}, "Did you mean 'lines'"),
        ({"snap_tolerance": "3"}, "snap_tolerance must be a number"),
        ({"join_tolerance": -1}, "join_tolerance must be a number"),
        ({"min_words_vertical": True}, "min_words_vertical must be a number"),
    ],
)
def test_an_option_that_cannot_work_is_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageProblem, match=text):
        PdfPlumber(**options)


@pytest.mark.parametrize(
    ("separators", "middles", "kept"),
    [
        ([], [5], []),
        ([10], [5, 15], [10]),
        ([10, 14], [5, 20], [12]),
        ([10, 14, 30, 36], [5, 20, 40], [12, 33]),
        ([2, 10], [5, 15], [10]),
        ([10, 30], [5, 15], [10]),
        ([10, 30], [], []),
    ],
)
def test_separators_without_a_word_between_them_become_one(
    separators: list[float], middles: list[float], kept: list[float]
) -> None:
    assert without_empty_bands(separators, middles) == kept
