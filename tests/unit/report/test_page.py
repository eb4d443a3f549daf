"""The page: one file, no network, no script of anybody else, and everything in it."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from pytest_benchbed.compare.sentence import rule_sentence
from pytest_benchbed.report.page import LINE_BYTES
from pytest_benchbed.report.page import PAGE_BYTES
from pytest_benchbed.report.page import page_parts
from pytest_benchbed.report.page import prose
from pytest_benchbed.report.page import save_page
from pytest_benchbed.report.page import words
from pytest_benchbed.report.view import RunView
from tests.unit.report.builders import ANSWER
from tests.unit.report.builders import HOSTILE
from tests.unit.report.builders import WORDS
from tests.unit.report.builders import Made
from tests.unit.report.builders import error
from tests.unit.report.builders import load
from tests.unit.report.builders import record
from tests.unit.report.builders import strike
from tests.unit.report.builders import write_run

X = error("x", expected="was due", got="came back", cell=[1, 1])
VOID = {"meta", "link", "img", "input", "br"}


class Page(HTMLParser):
    """The elements, their attributes, and the text by the element around it."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self._text: list[str] = []
        self._spaced: list[str] = []
        self.raw: dict[str, str] = {}
        self.comments: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self._spaced.append(" ")
        self.elements.append((tag, {name: value or "" for name, value in attributes}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, {name: value or "" for name, value in attributes}))

    def handle_endtag(self, tag):
        assert self.open, f"nothing is open, but {tag} is closed"
        assert self.open[-1] == tag, f"{self.open[-1]} is open, but {tag} is closed"
        self.open.pop()
        self._spaced.append(" ")

    def handle_comment(self, data):
        self.comments.append(data)

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style", "title"):
            self.raw[self.open[-1]] = self.raw.get(self.open[-1], "") + data
        else:
            self._text.append(data)
            self._spaced.append(data)

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        return "".join(self._text)

    @property
    def words(self) -> str:
        return " ".join("".join(self._spaced).split())


def text_of(view: RunView, **options: int) -> str:
    return "".join(page_parts(view, **options))


def page_of(view: RunView) -> Page:
    return Page(text_of(view))


@pytest.fixture
def failed(tmp_path):
    return write_run(
        tmp_path / "runs",
        [
            Made("worse", now=[X], prediction={"rows": [30], "columns": [50, 100]}),
            Made("better", before=[error("gone-one")], category="ruled"),
            Made("known", now=[X], before=[X], category=None),
            Made("fine", category="ruled"),
            Made("other", now={"geometric": [X]}, category="ruled"),
        ],
    )  # fmt: skip


@pytest.fixture
def hostile(tmp_path):
    """Hostile text wherever a case, an answer, a reply or a system may bring some."""
    wrong = error(HOSTILE, expected=HOSTILE, got=[HOSTILE], note=HOSTILE, **{HOSTILE: HOSTILE})
    inputs = {
        "image": HOSTILE, "width": 160, "height": 60,
        "words": [{"text": HOSTILE, "box": [1, 1, 20, 20]}],
    }  # fmt: skip
    cases = [
        Made("json", now=[wrong], category=HOSTILE, answer={HOSTILE: HOSTILE, "a": 1},
             prediction={HOSTILE: [HOSTILE]}, before_prediction=HOSTILE),
        Made("grid", now=[wrong], category=HOSTILE, inputs=inputs, answer=ANSWER | {"x": HOSTILE},
             prediction=ANSWER | {"x": HOSTILE * 2},
             extra={"metrics": {"logical": {HOSTILE: 0.5}, "geometric": {}}}),
        Made("skip", state="skipped", reason=HOSTILE),
        Made("tech", state="technical", reason=HOSTILE),
    ]  # fmt: skip
    adapter = record("x").to_json()["adapter"] | {
        "name": HOSTILE, "version": HOSTILE, "options": {HOSTILE: HOSTILE}, "settings": [HOSTILE],
        "model": HOSTILE,
    }  # fmt: skip
    return write_run(
        tmp_path / "runs",
        cases,
        holes={"hole": HOSTILE},
        adapter=adapter,
        note=HOSTILE,
        partial=[HOSTILE],
        argv=["--bench=table-separators", f"--bench-adapter-option=x={HOSTILE}"],
        isolation={"level": HOSTILE, "network": HOSTILE, "unavailable": {HOSTILE: HOSTILE}},
        versions={HOSTILE: HOSTILE},
        history=[{"at": "2026-03-03T00:00:00Z", "what": HOSTILE, "from": 1, "to": 2}],
    )


@pytest.mark.req("ENV-074")
def test_the_page_loads_nothing_over_a_network(failed) -> None:
    page = page_of(load(failed))

    for tag, attributes in page.elements:
        for name in ("src", "href", "srcset", "data", "action", "poster", "xlink:href"):
            if tag == "a":
                assert re.fullmatch(r"#[\w.-]+", attributes["href"])
            elif name in attributes:
                assert re.match(r"report-assets/[0-9a-f]{64}\.png$|data:image/png;base64,[\w+/=]+$",
                                attributes[name])  # fmt: skip
    assert not re.search(r"url\(|@import|@font-face", page.raw["style"])
    ways = r"\bfetch\b|XMLHttp|import\(|WebSocket|sendBeacon|EventSource|\bsrc\b|eval\("
    assert not re.search(ways, page.raw["script"])
    assert not {tag for tag, _ in page.elements} & {"iframe", "object", "embed", "base", "form"}


@pytest.mark.req("ENV-074")
def test_the_policy_names_the_digests_of_exactly_this_style_and_script(failed) -> None:
    page = page_of(load(failed))

    def digest(name: str) -> str:
        return base64.b64encode(hashlib.sha256(page.raw[name].encode()).digest()).decode()

    (policy,) = [meta["content"] for meta in page.named("meta") if "http-equiv" in meta]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest('script')}'; "
        f"style-src 'sha256-{digest('style')}'; img-src 'self' data:; base-uri 'none'; "
        "form-action 'none'"
    )
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert [tag for tag, _ in page.elements].count("style") == 1


def test_the_policy_stands_before_everything_that_it_governs(failed) -> None:
    tags = [tag for tag, _ in page_of(load(failed)).elements]

    assert tags[:4] == ["html", "head", "meta", "meta"]


def test_no_element_has_a_style_or_a_handler_of_its_own(hostile) -> None:
    """The policy would refuse both; a page that needs them would look broken."""
    for _, attributes in page_of(load(hostile)).elements:
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]


def test_hostile_text_makes_no_element_no_attribute_and_no_comment(hostile, tmp_path) -> None:
    """The same run with harmless text has the same elements, one for one."""
    page = page_of(load(hostile))
    allowed = {
        "html", "head", "meta", "title", "link", "style", "body", "a", "header", "div", "span",
        "svg", "path", "nav", "main", "section", "p", "h1", "h2", "h3", "h4", "h5", "dl", "dt",
        "dd", "ul", "ol", "li", "table", "caption", "thead", "tbody", "tr", "th", "td", "code",
        "pre", "details", "summary", "figure", "figcaption", "img", "rect", "line", "text", "b",
        "label", "input", "button", "output", "footer", "script",
    }  # fmt: skip

    assert {tag for tag, _ in page.elements} <= allowed
    assert page.comments == []
    assert page.open == []
    assert len(page.named("script")) == 1
    assert "alert" not in page.raw["script"] + page.raw["style"]
    assert page.text.count("<script>alert(1)</script>") > 10


def test_hidden_characters_are_shown_and_cannot_turn_the_line(hostile) -> None:
    text = text_of(load(hostile))

    assert not re.search("[\u202e\u200b\x1b\x00\r]", text)
    assert "⟨U+202E⟩" in text


@pytest.mark.req("ENV-075")
def test_verdict_measures_coverage_and_every_case_are_on_the_page(failed) -> None:
    page = page_of(load(failed))

    assert (
        "Failed Table separators Compared with baseline base, 1 case got worse and 1 got better."
    ) in page.words
    assert "compared 5 of 5" in page.words
    assert "exact · logical 60.0 % 3 of 5 no change" in page.words
    assert {attributes["id"] for _, attributes in page.elements
            if attributes.get("id", "").startswith("case-")} == {
        "case-worse", "case-better", "case-known", "case-fine", "case-other"}  # fmt: skip
    assert {"bucket-worse", "bucket-better", "bucket-remaining", "bucket-unchanged"} <= {
        attributes.get("id") for _, attributes in page.elements
    }
    assert "without a category" in page.words
    assert "unknown: no control run" in page.words


@pytest.mark.req("ENV-075")
def test_expected_stands_beside_got_with_what_is_new(failed) -> None:
    page = page_of(load(failed))

    assert "new x cell [1, 1] was due came back" in page.words
    assert "known x cell [1, 1] was due came back" in page.words
    assert "fixed gone-one" in page.words


def test_each_case_has_its_command_latency_and_cost(failed) -> None:
    page = page_of(load(failed))

    assert ("pytest --bench=table-separators --bench-select=case=worse "
            "--bench-adapter=acme.tables:Grid") in page.words  # fmt: skip
    for case in ("better", "known", "other"):
        assert page.words.count(f"--bench-select=case={case} ") == 1
    assert "latency 0.42 s" in page.words
    assert "cost $0.001" in page.words


def test_how_it_was_run_and_what_it_cannot_show_are_stated(failed) -> None:
    words_ = page_of(load(failed)).words

    for part in ("d" * 64, "e" * 64, "process (a process of its own, not confined)",
                 "pytest_benchbed 0.1.0", "the files of this user, answers included",
                 "0a1b2c3d0a1b on main"):  # fmt: skip
        assert part in words_


@pytest.mark.req("ENV-051")
def test_a_blocked_page_shows_the_failures_and_no_measure(tmp_path) -> None:
    run = write_run(
        tmp_path / "runs",
        [Made("a", now=[X]), Made("b", state="technical", reason="signal 11"), Made("c")],
        technical=[
            {"case": None, "whose": "system", "kind": "over_budget", "detail": "spent too much"},
            {"case": "b", "whose": "adapter", "kind": "crash", "detail": "signal 11"},
        ],
    )
    page = page_of(load(run))

    assert "the whole run system over_budget spent too much" in page.words
    assert "b adapter crash signal 11" in page.words
    assert not [one for _, one in page.elements if one.get("id") == "measures"]
    assert "%" not in page.words.replace("95 %", "")
    assert (
        "mean offset px" not in page.words.partition("How it was run")[0].partition("Profiles")[2]
    )


def test_many_technical_failures_are_cut_in_the_table_but_listed_as_cases(tmp_path) -> None:
    run = write_run(
        tmp_path / "runs", [Made(f"t{n:03}", state="technical", reason="x") for n in range(230)]
    )
    page = page_of(load(run))

    assert "30 more stand in run.json" in page.words
    assert page.words.count(" adapter crash x ") == 200
    assert len([one for _, one in page.elements if one.get("id", "").startswith("case-t")]) == 230


@pytest.mark.req("ENV-076")
def test_a_table_is_drawn_over_its_crop(failed) -> None:
    page = page_of(load(failed))

    images = {one["src"] for one in page.named("img")}
    assert all(re.fullmatch(r"report-assets/[0-9a-f]{64}\.png", src) for src in images)
    assert {"true", "got"} <= {one["class"] for one in page.named("line")}
    assert [one for one in page.named("rect") if one["class"] == "wrong"]


@pytest.mark.req("ENV-076")
def test_a_type_with_the_json_viewer_gets_no_drawing(failed) -> None:
    from dataclasses import replace

    page = page_of(load(failed, words=replace(WORDS, viewer="json")))

    assert page.named("img") == []
    assert "Expected beside got" in page.words


def test_without_its_image_the_words_of_the_crop_are_drawn(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a", now=[X])], with_images=False)
    (run / "report-assets" / "evil.html").write_text("x")
    page = page_of(load(run))

    assert page.named("img") == []
    assert "The image of this crop is not beside the report" in page.words
    assert "mg/kg" in page.words


@pytest.mark.parametrize(
    ("made", "options"),
    [
        ([Made("a", now=[X])], {"paired": False}),
        ([Made("a")], {}),
        ([], {}),
        ([], {"paired": False}),
        ([Made("a", state="skipped", reason="no")], {}),
        ([Made("a", now=[X], repeats=[[X]], before=[])], {}),
        ([Made("a")], {"holes": {"b": "crash"}, "status": "interrupted"}),
        ([Made("a")], {"status": "void"}),
        ([Made("a", now=[error("no-answer")], reason="too hard")], {}),
        ([Made("a", extra={"repeats": [{"attempt": 2, "errors": {"logical": [X]}, "metrics": None,
                                        "quality": 0, "latency_s": 1, "cost_usd": None}],
                           "reasks": [{"attempt": 3, "errors": None, "outcome": "unconfirmed"}]},
               now=[X])], {"repeats": 2}),
        ([Made("a", now=[X], answer="x" * 300_000)], {}),
        ([Made("a", now=[X], answer=None, prediction=None)], {}),
        ([Made("a", now=[X] + [error("y", n=number) for number in range(60)])], {}),
    ],
)  # fmt: skip
def test_every_kind_of_run_makes_a_well_formed_page(tmp_path, made, options) -> None:
    run = write_run(tmp_path / "runs", made, **options)
    view = load(run)

    page = page_of(view)

    assert page.open == []
    assert len(page.named("h1")) == 1
    assert view.sentence in page.words
    assert page.named("html") == [{"lang": "en"}]


def test_a_first_run_does_not_speak_of_worse_and_better(tmp_path) -> None:
    page = page_of(
        load(write_run(tmp_path / "runs", [Made("a", now=[X]), Made("b")], paired=False))
    )

    assert "With errors 1" in page.words
    assert "There is no baseline to say which are new." in page.words
    assert "Without an error 1" in page.words
    assert "bucket-worse" not in {one.get("id") for _, one in page.elements}


def test_cases_that_wobbled_in_several_runs_are_named(failed) -> None:
    strike(failed, "fine")

    shown = page_of(load(failed)).words

    assert "Look at this fine, intermittent: suspect in 2 of 5 candidate runs" in shown


def test_what_the_rule_did_stands_beside_the_verdict_once(failed) -> None:
    told = rule_sentence(load(failed).gate)

    assert "worse than in every run of the old code." in told
    assert page_of(load(failed)).words.count(told) == 1


def test_details_are_left_out_when_there_is_no_room_and_the_page_says_so(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made(f"a{n:04}", now=[X]) for n in range(30)])

    whole = text_of(load(run))
    small = text_of(load(run), page_bytes=1, least_bytes=20_000)

    assert "are left out to keep the page small" not in whole
    page = Page(small)
    left_out = int(re.search(r"The details of (\d+) of these", page.words)[1])
    assert 0 < left_out < 30
    assert small.count('<details class="case"') == 30 - left_out
    assert small.count('class="case" id="case-a') == 30
    assert 'grep -F \'"case":"a00' in page.words


def test_the_command_for_a_left_out_detail_finds_exactly_that_case(tmp_path) -> None:
    import subprocess

    from pytest_benchbed.report.content import show_command

    run = write_run(tmp_path / "runs", [Made("a-1", now=[X]), Made("a-10")])
    command = show_command(load(run), "a-1").replace("python", "python3")

    shown = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)

    assert '"case": "a-1"' in shown.stdout
    assert "a-10" not in shown.stdout


def test_ten_thousand_cases_stay_below_fifteen_megabytes(tmp_path) -> None:
    """Lines are measured on a twentieth; details have a limit of their own."""
    sizes = []
    for number in (0, 500):
        cases = [Made(f"case-{n:05}", reason="x" * 30) for n in range(number)]
        run = write_run(tmp_path / str(number), cases, paired=False)
        sizes.append(save_page(load(run)).stat().st_size)

    assert sizes[0] + 20 * (sizes[1] - sizes[0]) < 15_000_000
    assert PAGE_BYTES < 15_000_000
    assert (sizes[1] - sizes[0]) / 500 < 1.2 * LINE_BYTES


def test_the_page_is_written_beside_the_run_and_is_the_same_every_time(failed) -> None:
    first = save_page(load(failed)).read_bytes()
    second = save_page(load(failed)).read_bytes()

    assert first == second
    assert first.startswith(b"<!doctype html>")
    assert (failed / "report.html").read_bytes() == first


def test_prose_marks_options_and_files_and_escapes_the_rest() -> None:
    assert str(prose("see --bench-control and <b> runs/a/report.html")) == (
        'see <code class="word">--bench-control</code> and &lt;b&gt; '
        '<code class="word">runs/a/report.html</code>'
    )


def test_a_command_reads_the_same_when_it_is_copied() -> None:
    command = "pytest --bench=x '--bench-adapter-option=a=<b>  c'"

    assert Page(str(words(command))).text == command
