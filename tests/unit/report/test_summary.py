"""The summary: plain words, safe as Markdown, short enough for a comment, complete."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from pytest_benchbed.report.lines import view_lines
from pytest_benchbed.report.summary import MAX_BYTES
from pytest_benchbed.report.summary import save_summary
from pytest_benchbed.report.summary import summary
from tests.unit.report.builders import HOSTILE
from tests.unit.report.builders import Made
from tests.unit.report.builders import error
from tests.unit.report.builders import load
from tests.unit.report.builders import record
from tests.unit.report.builders import strike
from tests.unit.report.builders import write_run
from tests.unit.report.test_page import hostile  # noqa: F401  a fixture
from tests.unit.report.test_page import text_of

X = error("merged", expected="secret was due", got="secret came", cell=[1, 2])


def rendered(text: str) -> str:
    return MarkdownIt("commonmark").enable("table").render(text)


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.add(tag)
        self.attributes += [one for one in attributes if one[0] not in ("class", "style")]


def made() -> list[Made]:
    return [
        Made("sep-001", now=[X], category="dense"),
        Made("sep-002", before=[error("split")], category="ruled"),
        Made("sep-003", now=[X], repeats=[[X]]),
        Made("sep-004", now=[error("known", n=1)], before=[error("known", n=1)]),
        Made("sep-005"),
    ]


@pytest.mark.req("ENV-098")
def test_verdict_changes_and_next_steps_are_told_in_plain_words(tmp_path) -> None:
    text = summary(load(write_run(tmp_path / "runs", made())))

    for part in (
        "# ❌ Failed: `Table separators`",
        "**Compared with baseline base, 1 case got worse and 1 got better.**",
        "| `exact` | `logical` | 40.0 % | 2 of 5 |",
        "5 cases: 1 worse, 1 better, 1 noisy, 1 remaining, 1 unchanged.",
        "## Got worse (1)",
        "- `sep-001` (`dense`)",
        "  - new `merged` at `cell [1, 2]`, expected `secret was due`, got `secret came`",
        "## Got better (1)",
        "  - fixed `split`",
        "## Changed, but unstable in the old code or right when asked again (1)",
        "## Still with errors (1)",
        "- Coverage: compared 5 of 5, unstable 1",
        "- Noise: 1 control",
        "## What to do next",
        "pytest --bench=table-separators --bench-select=case=sep-001",
        "## What this run cannot show",
        "runs/after/report.html",
    ):
        assert part in text, part


def test_of_private_data_only_kinds_places_and_counts_are_written(tmp_path) -> None:
    cases = [
        *made(),
        Made("sep-006", state="technical", reason="secret detail"),
        Made("sep-007", now=[error("no-answer")], reason="secret refusal"),
    ]
    view = load(write_run(tmp_path / "runs", cases))

    assert "secret" in summary(view)
    hidden = summary(view, hide_texts=True)
    assert "secret" not in hidden
    assert "`merged` at `cell [1, 2]`" in hidden
    assert "- case `sep-006`: adapter, `crash`\n" in hidden


@pytest.mark.req("ENV-051")
def test_a_blocked_run_shows_what_broke_and_no_measure(tmp_path) -> None:
    cases = [Made("a", state="technical", reason="signal 11"), Made("b", now=[X])]

    text = summary(load(write_run(tmp_path / "runs", cases)))

    assert "# ⛔ Blocked" in text
    assert "- case `a`: adapter, `crash`: `signal 11`" in text
    assert "| measure" not in text
    assert "--bench-resume=after" in text


@pytest.mark.parametrize(
    ("cases", "options", "parts"),
    [
        ([Made("a", now=[X])], {"paired": False},
         ["# ⚠️ Baseline required", "## With errors (1)", "  - error `merged`",
          "--baseline=runs/after"]),
        ([Made("a")], {}, ["# ✅ Passed", "no stable case got worse", "1 unchanged"]),
        ([], {}, ["# ⚠️ Incomplete", "No case was selected."]),
        ([], {"paired": False}, ["# ⚠️ Baseline required", "No case was selected."]),
        ([Made("a")], {"holes": {"b": "worker crashed"}, "status": "interrupted"},
         ["## Without a result (1)", "- `b`: `worker crashed`", "--bench-resume=after"]),
        ([Made("a", state="skipped", reason="no")], {}, ["# ⚠️ Unavailable", "Adapter.supports"]),
    ],
)  # fmt: skip
def test_every_kind_of_run_has_a_summary(tmp_path, cases, options, parts) -> None:
    text = summary(load(write_run(tmp_path / "runs", cases, **options)))

    for part in parts:
        assert part in text, part


def test_hostile_text_makes_no_markup_no_link_and_no_line(hostile) -> None:  # noqa: F811
    page = rendered(summary(load(hostile)))
    tags = Tags(page)

    assert tags.found <= {
        "h1", "h2", "p", "strong", "ul", "ol", "li", "code", "pre", "table", "thead", "tbody",
        "tr", "th", "td",
    }  # fmt: skip
    assert tags.attributes == []
    outside = re.sub(r"<(code)[ >].*?</code>", "", page, flags=re.DOTALL)
    assert not re.search(r"@all|#1|x\.invalid|alert|::error|##", outside)


def test_a_fence_is_longer_than_any_in_its_command(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a")], argv=["--bench-model=````` # x"], paired=False)
    text = summary(load(run))

    assert "``````sh\npytest --bench=table-separators" in text
    assert rendered(text).count("<h1>") == 1


def test_the_summary_fits_a_comment_however_much_went_wrong(tmp_path) -> None:
    errors = [error(f"kind-{n}", HOSTILE * 3, HOSTILE * 3, n=n) for n in range(20)]
    cases = [Made(f"case-{n:03}", now=errors, category=HOSTILE[:90]) for n in range(120)]
    cases += [Made(f"tech-{n:03}", state="technical", reason=HOSTILE) for n in range(120)]
    run = write_run(tmp_path / "runs", cases, holes={f"hole-{n}": HOSTILE for n in range(120)})

    text = summary(load(run))

    assert len(text.encode("utf-8")) <= MAX_BYTES == 63_488
    assert "more in the report" in text
    assert "## What to do next" in text
    assert "## What this run cannot show" in text


def test_absurdly_long_names_are_cut_at_a_line(tmp_path) -> None:
    adapter = record("x").to_json()["adapter"] | {"name": "a" * 300}
    run = write_run(
        tmp_path / "runs", [Made("a")], paired=False, adapter=adapter,
        argv=[f"--bench-model={'m' * 70_000}"],
    )  # fmt: skip

    text = summary(load(run))

    assert len(text.encode("utf-8")) <= MAX_BYTES
    assert text.endswith("The rest is left out: it is too long.\n")


def test_cases_that_wobbled_in_several_runs_are_named(tmp_path) -> None:
    run = write_run(tmp_path / "runs", made())
    strike(run, *(f"sep-{number:03}" for number in range(3, 15)))

    text = summary(load(run))

    told = "intermittent: suspect in 2 of 5 candidate runs"
    assert f"- **Look at this:** `sep-003`, {told}\n" in text
    assert text.count(told) == 10
    assert "- **Look at this:** 2 more cases, see the review brief" in text


def test_a_case_that_wobbled_is_noise_and_the_summary_says_what_it_did(tmp_path) -> None:
    right = {"attempt": 2, "errors": {"logical": [], "geometric": []}, "outcome": "scored"}
    wrong = {**right, "errors": {"logical": [X], "geometric": []}}
    cases = [
        Made("a", now=[X], extra={"reasks": [right]}),
        Made("b", now=[X], extra={"reasks": [wrong, wrong, wrong]}),
        *(Made(f"c{number}") for number in range(8)),
    ]
    view = load(write_run(tmp_path / "runs", cases, rule="confirm"))

    text = summary(view)

    assert (view.counts["worse"], view.counts["noisy"]) == (1, 1)
    assert "1 case got worse and 1 case wobbled (right when asked again).**" in text
    assert "## Got worse (1)\n\n- `b` (`dense`), confirmed: wrong in 4 of 4 attempts\n" in text
    noisy = "## Changed, but unstable in the old code or right when asked again (1)\n\n"
    assert f"{noisy}- `a` (`dense`), wobbled: wrong in 1 of 2 attempts\n" in text
    told = (
        "2 cases are worse than in every run of the old code. Of these 1 was right when asked "
        "again, which is noise, and 1 was wrong every time, which fails the gate."
    )
    assert text.count(told) == 1


def test_a_measure_without_errors_has_its_relabelling_test_everywhere(tmp_path) -> None:
    run = write_run(tmp_path / "runs", made())
    metrics = json.loads((run / "metrics.json").read_text())
    row = metrics["headline"][1]
    row |= {"change": -0.25, "relabelling_p": 0.03125}
    (run / "metrics.json").write_text(json.dumps(metrics))

    view = load(run)

    told = "relabelling test p 0.031"
    assert summary(view).count(told) == 1
    assert "<li>Chance: cell " in rendered(summary(view))
    assert f" points, {told}; information only\n" in summary(view)
    assert [line for line in view_lines(view) if told in line] == [
        f"  cell f1 -25.0 points, {told}"
    ]
    assert text_of(view).count(told) == 1


def test_repeats_are_shown_as_mean_and_range(tmp_path) -> None:
    run = write_run(tmp_path / "runs", made())
    metrics = json.loads((run / "metrics.json").read_text())
    metrics["profiles"]["logical"]["repeats"] = {"exact": {"mean": 0.875, "min": 0.75, "max": 1.0}}
    (run / "metrics.json").write_text(json.dumps(metrics))

    view = load(run)

    told = "over the repeats 87.5 %, from 75.0 % to 100 %"
    assert f"- `exact` (`logical`): {told}\n" in summary(view)
    assert text_of(view).count(told) == 1
    assert sum(told in line for line in view_lines(view)) == 1


def test_the_summary_is_written_beside_the_run(tmp_path) -> None:
    run = write_run(tmp_path / "runs", made())

    path = save_summary(load(run))

    assert path == run / "summary.md"
    assert path.read_text(encoding="utf-8") == summary(load(run))
