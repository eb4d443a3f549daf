"""Names: which are valid, and which is nearest to one that is unknown."""

from __future__ import annotations

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Iterable

CASE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
CASE_ID_RULE = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
NOT_ID = re.compile(r"[^A-Za-z0-9._-]+")
"""What no case id has in it."""


def is_case_id(text: object) -> bool:
    """Say whether ``text`` may name a case or a run."""
    return isinstance(text, str) and CASE_ID.fullmatch(text) is not None


def unknown_name(what: str, name: str, known: Iterable[str], how_to_list: str) -> str:
    """Return the sentence for a name that is not known, with the nearest one that is.

    ``what`` is the noun (``benchmark``); ``how_to_list`` a command, or ``""``.
    """
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    text = f"unknown {what} {name[:80]!a}."
    if near:
        text += f" Did you mean {near[0]!r}?"
    elif names and len(names) <= 12:
        text += f" Known: {', '.join(names)}."
    elif not names:
        text += f" No {what} is registered."
    return f"{text}\nList them with: {how_to_list}" if how_to_list else text


def valid_id(text: str) -> str:
    """Return an id near ``text``: letters without accents, other signs as dashes.

    >>> valid_id("Factura nº 12/2024")
    'Factura-no-12-2024'
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    made = NOT_ID.sub("-", plain).strip("-._")[:90]
    if is_case_id(made):
        return made
    return f"case-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
