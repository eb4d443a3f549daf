"""The report in a real browser: policy, requests, reading without scripts, small screens."""

from __future__ import annotations

import os
import re
from itertools import pairwise

import pytest

from pytest_benchbed.report.page import save_page
from tests.browser.chromium import Browser
from tests.browser.chromium import Tab
from tests.browser.chromium import find_browser
from tests.unit.report.builders import Made
from tests.unit.report.builders import error
from tests.unit.report.builders import load
from tests.unit.report.builders import write_run
from tests.unit.report.test_page import hostile  # noqa: F401  a fixture

pytestmark = [
    pytest.mark.skipif(find_browser() is None, reason="no Chromium is installed"),
    pytest.mark.skipif(os.name == "nt", reason="the debugging pipe needs file descriptors 3 and 4"),
]

X = error("merged", expected="expected text", got="got text", cell=[1, 1])

CONTRAST = """
(function () {
  function parse(text) {
    var parts = text.match(/[\\d.]+/g).map(Number);
    return parts.length === 3 ? parts.concat(1) : parts;
  }
  function light(parts) {
    var linear = parts.slice(0, 3).map(function (value) {
      value /= 255;
      return value <= 0.03928 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  }
  function behind(one) {
    for (; one; one = one.parentElement) {
      var colour = parse(getComputedStyle(one).backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return [255, 255, 255, 1];
  }
  var bad = {};
  document.querySelectorAll("body *").forEach(function (one) {
    if (one.closest("[aria-hidden], svg, script, .skip") || !one.getClientRects().length) return;
    var hasText = Array.prototype.some.call(one.childNodes, function (node) {
      return node.nodeType === 3 && node.data.trim();
    });
    if (!hasText) return;
    var ink = parse(getComputedStyle(one).color);
    var a = light(ink), b = light(behind(one));
    var ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad[one.tagName + "." + one.className] = ratio.toFixed(2);
  });
  return bad;
})()
"""
OPEN_ALL = "document.querySelectorAll('details').forEach(one => { one.open = true; })"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(find_browser(), tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def report(tmp_path):
    """A failed run with a case in most buckets."""
    run = write_run(
        tmp_path / "runs",
        [
            Made("worse-1", now=[X, error("no-place", expected=["a", "b"], got=None)],
                 category="dense", prediction={"rows": [30], "columns": [50, 100]}),
            Made("worse-2", now=[X], category="ruled",
                 inputs={"image": "assets/worse-2.png", "width": 2000, "height": 400}),
            Made("better-1", before=[X], category="ruled"),
            Made("noisy-1", now=[X], repeats=[[X]]),
            Made("known-1", now=[X], before=[X]),
            Made("json-1", now=[X], inputs={"text": "x"}, answer={"a": [1, 2, 3]},
                 prediction={"a": [1, 3], "b": "x" * 300}),
            *[Made(f"fine-{n}", category="ruled") for n in range(30)],
        ],
    )  # fmt: skip
    return save_page(load(run))


@pytest.fixture
def hostile_report(hostile, tmp_path):  # noqa: F811
    return save_page(load(hostile))


@pytest.mark.req("ENV-074")
@pytest.mark.parametrize("name", ["report", "hostile_report"])
def test_nothing_but_files_of_the_run_is_asked_for_and_nothing_is_refused(
    browser, request, name
) -> None:
    path = request.getfixturevalue(name)
    tab = Tab(browser, path)
    tab.run(OPEN_ALL)
    tab.settle()

    folder = path.parent.as_uri()
    for url in tab.requests:
        assert re.fullmatch(
            rf"{re.escape(folder)}/(report\.html|report-assets/[0-9a-f]{{64}}\.png)|data:.*", url
        )
    assert tab.run("window.violations") == []
    assert tab.complaints == []


@pytest.mark.req("ENV-076")
def test_the_image_of_a_crop_is_loaded_when_its_case_is_opened(browser, report) -> None:
    tab = Tab(browser, report)
    assert not [url for url in tab.requests if "report-assets" in url]

    tab.click("#case-worse-1 > summary")
    tab.settle()

    assert tab.run("document.querySelector('#case-worse-1 img').naturalWidth") == 160
    assert (
        tab.run("""(function () {
        var image = document.querySelector('#case-worse-1 img').getBoundingClientRect();
        var drawing = document.querySelector('#case-worse-1 svg.over').getBoundingClientRect();
        return Math.abs(image.width - drawing.width) + Math.abs(image.height - drawing.height);
    })()""")
        < 1
    )


@pytest.mark.req("ENV-074")
def test_the_policy_stops_what_is_not_ours(browser, report) -> None:
    """The check of the others would see a violation: here is one of each kind."""
    page = report.read_text(encoding="utf-8")
    foreign = (
        "<script>window.ran = 1</script><style>h1{display:none}</style>"
        '<img src="http://x.invalid/i.png"><p style="display:none" id="styled">x</p>'
        '<base href="http://x.invalid/">'
    )
    changed = report.with_name("changed.html")
    changed.write_text(page.replace("<main>", f"<main>{foreign}"), encoding="utf-8")

    tab = Tab(browser, changed)
    tab.settle()

    kinds = {one.split()[0] for one in tab.run("window.violations")}
    assert kinds >= {"script-src-elem", "style-src-elem", "style-src-attr", "img-src", "base-uri"}
    assert tab.run("window.ran === undefined")
    assert tab.run("getComputedStyle(document.querySelector('h1')).display") == "block"


def test_everything_can_be_read_and_opened_with_scripts_off(browser, report) -> None:
    tab = Tab(browser, report, has_script=False)

    assert tab.run("document.getElementById('tools').hidden")
    shown = tab.run("document.body.innerText")
    for part in ("Table separators", "3 cases got worse", "worse-1", "What to do next"):
        assert part in shown
    assert tab.run("document.querySelector('#case-known-1').checkVisibility()")
    assert "expected text" not in shown

    tab.click("#case-worse-1 > summary")

    assert tab.run("document.querySelector('#case-worse-1 .errors').checkVisibility()")
    assert "expected text" in tab.run("document.querySelector('#case-worse-1').textContent")
    assert not tab.run("document.querySelector('#case-fine-0').checkVisibility()")
    tab.click("#bucket-unchanged details.category > summary")
    assert tab.run("document.querySelector('#case-fine-0').checkVisibility()")


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
@pytest.mark.parametrize("name", ["report", "hostile_report"])
def test_no_width_needs_scrolling_to_the_side(browser, request, name, width) -> None:
    tab = Tab(browser, request.getfixturevalue(name), width=width)
    tab.run(OPEN_ALL)
    tab.settle()

    assert tab.run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_all_text_has_enough_contrast(browser, report, is_dark) -> None:
    tab = Tab(browser, report, is_dark=is_dark)
    tab.run(OPEN_ALL)

    assert tab.run(CONTRAST) == {}
    background = tab.run("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") is not is_dark


def test_a_reader_of_headings_finds_no_gap(browser, report) -> None:
    tab = Tab(browser, report)

    levels = tab.run("[...document.querySelectorAll('h1,h2,h3,h4,h5')].map(one => +one.tagName[1])")

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert tab.run("document.querySelectorAll('main, header, footer, nav').length") == 4
    assert tab.run(
        "[...document.querySelectorAll('img, svg')].every(one => one.alt "
        "|| one.getAttribute('aria-hidden') || one.getAttribute('aria-label'))"
    )


def test_the_keyboard_reaches_the_cases_and_its_focus_is_seen(browser, report) -> None:
    tab = Tab(browser, report)

    tab.key("Tab")

    assert tab.run("document.activeElement.className") == "skip"
    assert tab.run("document.activeElement.getBoundingClientRect().x >= 0")
    assert tab.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tab.run("document.querySelector('#case-worse-1 > summary').focus()")
    tab.key("Enter")
    assert tab.run("document.querySelector('#case-worse-1').open")


def test_the_filter_leaves_the_cases_that_hold_every_word(browser, report) -> None:
    tab = Tab(browser, report)
    visible = (
        "[...document.querySelectorAll('.case')]"
        ".filter(one => one.getClientRects().length).map(one => one.id)"
    )

    tab.run("""(function (one) {
        one.value = "RULED merged";
        one.dispatchEvent(new Event("input"));
    })(document.getElementById("filter"))""")
    tab.settle()

    assert tab.run(visible) == ["case-worse-2", "case-better-1"]
    assert tab.run("document.getElementById('found').textContent") == "2 of 36 cases"


def test_open_all_and_close_all(browser, report) -> None:
    tab = Tab(browser, report)
    count = "document.querySelectorAll('details.case[open]').length"

    tab.click("#open-all")
    assert tab.run(count) == 6
    tab.click("#close-all")
    assert tab.run(count) == 0


def test_a_link_to_a_case_opens_it_and_what_is_around_it(browser, report) -> None:
    tab = Tab(browser, report, fragment="#case-fine-3")

    assert tab.run("document.getElementById('case-fine-3').getClientRects().length") > 0
    tab.run("location.hash = '#case-worse-2'")
    tab.settle()
    assert tab.run("document.getElementById('case-worse-2').open")


def test_a_command_can_be_copied_with_a_button(browser, report) -> None:
    tab = Tab(browser, report)

    assert tab.run("document.querySelectorAll('.next .copy').length") >= 2
    tab.click("#case-worse-1 > summary")
    tab.settle()
    assert tab.run("document.querySelectorAll('#case-worse-1 .copy').length") == 1


def test_printing_opens_everything_and_puts_it_back(browser, report) -> None:
    tab = Tab(browser, report)
    opened = "document.querySelectorAll('details[open]').length"
    before = tab.run(opened)

    tab.run("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.run("document.querySelectorAll('details:not([open])').length") == 0
    tab.run("window.dispatchEvent(new Event('afterprint'))")

    assert tab.run(opened) == before
