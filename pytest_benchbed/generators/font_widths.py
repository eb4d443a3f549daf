"""Advance widths of the standard PDF fonts that generated documents use.

The four fonts need no embedding, and their widths are fixed by their published
metrics (thousandths of the font size). With them the box of every word is
known without a PDF library, in a process that has only the standard library.
Nothing is kerned. A test compares the table with the PDF writer's own.
"""

from __future__ import annotations

from typing import Final

ASCENT: Final = 0.72
"""Height of a word's box above the baseline, in font sizes."""
DESCENT: Final = 0.21
"""Depth of a word's box below the baseline."""

CHARACTERS: Final = (
    "".join(chr(code) for code in range(32, 127)) + "áéíóúñüÁÉÍÓÚÑº°±²³µ·–—"  # noqa: RUF001
)

_WIDTHS: Final = {
    "Helvetica": (
        "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 "
        "556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 "
        "500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 "
        "556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 "
        "278 556 500 722 500 500 500 334 260 334 584 556 556 278 556 556 556 556 667 667 278 "
        "778 722 722 365 400 584 333 333 556 278 556 1000"
    ),
    "Helvetica-Bold": (
        "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 "
        "556 556 556 556 556 333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 "
        "556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 "
        "556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 "
        "333 611 556 778 556 556 500 389 280 389 584 556 556 278 611 611 611 611 722 667 278 "
        "778 722 722 365 400 584 333 333 611 278 556 1000"
    ),
    "Times-Roman": (
        "250 333 408 500 500 833 778 180 333 333 500 564 250 333 250 278 500 500 500 500 500 "
        "500 500 500 500 500 278 278 564 564 564 444 921 722 667 667 722 611 556 722 722 333 "
        "389 722 611 889 722 722 556 722 667 556 611 722 722 944 722 722 611 333 278 333 469 "
        "500 333 444 500 444 500 444 333 500 500 278 278 500 278 778 500 500 500 500 333 389 "
        "278 500 500 722 500 500 444 480 200 480 541 444 444 278 500 500 500 500 722 611 333 "
        "722 722 722 310 400 564 300 300 500 250 500 1000"
    ),
    "Times-Bold": (
        "250 333 555 500 500 1000 833 278 333 333 500 570 250 333 250 278 500 500 500 500 500 "
        "500 500 500 500 500 333 333 570 570 570 500 930 722 667 722 722 667 611 778 778 389 "
        "500 778 667 944 722 778 611 778 722 556 667 722 722 1000 722 722 667 333 278 333 581 "
        "500 333 500 556 444 556 444 333 500 556 278 333 556 278 833 556 500 556 556 444 389 "
        "333 556 500 722 500 500 444 394 220 394 520 500 444 278 500 556 556 556 722 667 389 "
        "778 722 722 330 400 570 300 300 556 250 500 1000"
    ),
}


def _table(packed: str) -> dict[str, int]:
    return dict(zip(CHARACTERS, (int(width) for width in packed.split()), strict=True))


WIDTHS: Final = {font: _table(packed) for font, packed in _WIDTHS.items()}
"""Per font and character the advance width in thousandths of the font size."""


def text_width(text: str, font: str, size: float) -> float:
    """Return the width of ``text`` in the unit of ``size``.

    Raises:
        KeyError: a font or character without a width.
    """
    widths = WIDTHS[font]
    return sum(widths[character] for character in text) * size / 1000
