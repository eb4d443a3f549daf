"""The pictures of docs/noise.md, drawn from the stored figures: bars as plain SVG text.

The same figures give the same bytes, so a picture in the repository shows what the
simulation measured and nothing older.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tests.simulation.measured import Figures
from tests.simulation.measured import stored
from tests.simulation.published import BROKEN
from tests.simulation.published import FLIPS
from tests.simulation.published import WORSE
from tests.simulation.worlds import Setting

FOLDER = Path(__file__).parents[2] / "docs" / "images"

WIDTH, TOP, FLOOR, LEFT, RIGHT = 760, 92, 300, 44, 12
HEIGHT = 346
RED, GREY, BLUE, PALE = "#c2410c", "#94a3b8", "#1d4ed8", "#93c5fd"
INK, SOFT, RULE = "#111827", "#4b5563", "#e5e7eb"


@dataclass(frozen=True)
class Series:
    """Bars of one colour."""

    name: str
    colour: str


@dataclass(frozen=True)
class Picture:
    """Groups of bars, each a share in percent."""

    title: str
    below: str
    series: Sequence[Series]
    groups: Sequence[tuple[str, Sequence[float]]]
    """Label (two lines, if it has a line end) and one value a series."""

    def svg(self) -> str:
        """Return the picture as the text of a file."""
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" role="img" font-family="sans-serif">',
            f"<title>{escape(self.title)}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
            _text(LEFT, 26, self.title, size=17, weight="bold", anchor="start"),
            _text(LEFT, 46, self.below, size=12, colour=SOFT, anchor="start"),
            *self._legend(),
            *self._scale(),
            *self._bars(),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _legend(self) -> list[str]:
        lines, x = [], float(LEFT)
        for one in self.series:
            lines.append(_rect(x, 58, 11, 11, one.colour))
            lines.append(_text(x + 16, 68, one.name, size=12, anchor="start"))
            x += 34 + 6.4 * len(one.name)
        return lines

    def _scale(self) -> list[str]:
        lines = []
        for percent in range(0, 101, 25):
            y = _height(percent)
            across = f'x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"'
            lines.append(f'<line {across} stroke="{RULE}"/>')
            lines.append(_text(LEFT - 6, y + 4, f"{percent} %", size=11, colour=SOFT, anchor="end"))
        return lines

    def _bars(self) -> list[str]:
        lines = []
        room = (WIDTH - LEFT - RIGHT) / len(self.groups)
        width = min(34.0, room * 0.8 / len(self.series))
        for place, (label, values) in enumerate(self.groups):
            middle = LEFT + room * (place + 0.5)
            start = middle - width * len(self.series) / 2
            for number, (one, value) in enumerate(zip(self.series, values, strict=True)):
                x, y = start + width * number, _height(value)
                lines.append(_rect(x + 1, y, width - 2, FLOOR - y, one.colour))
                lines.append(_text(x + width / 2, y - 4, shown(value), size=11))
            for row, words in enumerate(label.split("\n")):
                lines.append(_text(middle, FLOOR + 20 + 16 * row, words, size=12, colour=SOFT))
        return lines


def shown(value: float) -> str:
    """A percentage as it stands elsewhere: one digit below ten."""
    return f"{value:.1f}" if 0 < round(value, 1) < 10 else f"{value:.0f}"


def _height(percent: float) -> float:
    return FLOOR - (FLOOR - TOP) * percent / 100


def _rect(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'
    )


def _text(
    x: float,
    y: float,
    words: str,
    *,
    size: int,
    colour: str = INK,
    anchor: str = "middle",
    weight: str = "normal",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" '
        f'text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'
    )


STRICT = Series("any new error fails", RED)
MEAN = Series("mean with a tolerance of 2 points", GREY)
GATE = Series("this gate", BLUE)


def pictures(every: Mapping[Setting, Figures]) -> dict[str, Picture]:
    """Return each picture by its file name."""
    runs = min(one.runs for one in every.values())
    simulated = f"{runs} simulated systems each; 2 controls, for the mean 1"

    def values(setting: Setting, *rules: str) -> list[float]:
        return [every[setting].percent(rule) for rule in rules]

    sizes = [(50, 0.05), (50, 0.10), (100, 0.05), (100, 0.10), (200, 0.10), (500, 0.10)]
    changes = [
        ("1 of 100 cases\nbroken", Setting(100, 0.05, BROKEN)),
        ("1 of 500 cases\nbroken", Setting(500, 0.10, BROKEN)),
        ("200 cases, each\n5 % worse", Setting(200, 0.10, WORSE)),
        ("3 of 100 cases\nbecome coin flips", Setting(100, 0.05, FLIPS)),
    ]
    quiet, loud = Setting(200, 0.10), Setting(500, 0.20)
    return {
        "noise-false-alarms.svg": Picture(
            "Nothing was changed. How often is the build red?",
            f"Share of builds, by cases and share of flaky cases ({simulated})",
            (STRICT, MEAN, GATE),
            [
                (f"{cases} cases\n{flaky:.0%} flaky".replace("%", " %"),
                 values(Setting(cases, flaky), "S2", "band", "C2"))
                for cases, flaky in sizes
            ],
        ),
        "noise-caught.svg": Picture(
            "Something was changed. How often is the build red?",
            f"Share of builds, by what was changed ({simulated})",
            (MEAN, Series("re-asks alone", PALE), Series("allowance alone", "#5eead4"), GATE),
            [(label, values(setting, "band", "Conf", "Allow", "C2")) for label, setting in changes],
        ),
        "noise-controls.svg": Picture(
            "What controls are for: nothing was changed, and the build is red",
            f"Share of builds, by number of controls ({runs} simulated systems each)",
            (
                Series("any new error fails: 200 cases, 10 % flaky", RED),
                Series("this gate: the same", BLUE),
                Series("this gate: 500 cases, 20 % flaky", PALE),
            ),
            [
                (f"{count} control{'' if count == 1 else 's'}",
                 [*values(quiet, f"S{count}", f"C{count}"), *values(loud, f"C{count}")])
                for count in (1, 2, 3)
            ],
        ),
    }  # fmt: skip


def draw(folder: Path = FOLDER) -> list[Path]:
    """Write every picture; return the files."""
    written = []
    for name, picture in pictures(stored()).items():
        path = folder / name
        path.write_text(picture.svg(), "utf-8", newline="\n")
        written.append(path)
    return written
