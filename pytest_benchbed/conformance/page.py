"""The rule of the report: the page of a real run shows every case by the type's viewer."""

from __future__ import annotations

from html.parser import HTMLParser

from pytest_benchbed.conformance.isolation import fixture_run
from pytest_benchbed.conformance.subject import Subject

_LOADING = {"src", "href", "srcset", "poster", "data", "action", "xlink:href"}
_VOID = {"meta", "link", "img", "input", "br", "hr", "col", "wbr"}


def shows_every_case(subject: Subject) -> None:
    """Read ``report.html`` of the run with wrong predictions."""
    nested = fixture_run(subject)
    run = nested.run
    assert run is not None
    if not run.paths.report.is_file():
        subject.broken(
            "the report renders", nested.last_lines(), "correct what the type says of itself"
        )
    page = _Page()
    page.feed(run.paths.report.read_text(encoding="utf-8"))
    page.close()
    findings = [f"it loads {place}" for place in page.loaded]
    findings += [f"<{name}> is never closed" for name in page.open]
    findings += [
        f"case {case}: there is no element for it"
        for case in run.rows()
        if f"case-{case}" not in page.elements
    ]
    if subject.benchmark.viewer == "table-grid":
        shown = [case for case in subject.wrong if f"case-{case}" in page.elements]
        findings += [
            f"case {case}: the viewer 'table-grid' draws nothing"
            for case in shown
            if not page.drawings.get(f"case-{case}")
        ]
    if findings:
        subject.broken(
            f"the report shows every case, by the viewer {subject.benchmark.viewer!r}",
            findings,
            "choose a viewer that fits the type's data; 'json' shows any",
        )


class _Page(HTMLParser):
    """What is looked for in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        """Every ``id``."""
        self.drawings: dict[str, int] = {}
        """Number of ``svg`` below the element of a case."""
        self.loaded: list[str] = []
        self.open: list[str] = []
        self._case: list[tuple[int, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {key: value or "" for key, value in attrs}
        self.loaded += [
            f"{value[:80]!a} (<{tag} {key}>)"
            for key, value in named.items()
            if key in _LOADING and value.strip().lower().startswith(("http:", "https:", "//"))
        ]
        if tag not in _VOID:
            self.open.append(tag)
        if "id" in named:
            self.elements.add(named["id"])
            if named["id"].startswith("case-"):
                self._case.append((len(self.open), named["id"]))
        if tag == "svg" and self._case:
            case = self._case[-1][1]
            self.drawings[case] = self.drawings.get(case, 0) + 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._case and len(self.open) == self._case[-1][0]:
            self._case.pop()
        if self.open and self.open[-1] == tag:
            self.open.pop()
