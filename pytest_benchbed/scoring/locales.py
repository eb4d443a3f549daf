"""Locales of texts: which language, which decimal sign, which order in a date.

A locale is ``en-US``, ``en-GB``, ``en``, ``es`` or none. Where none is known
nothing is guessed: what could be read in two ways stays as it is written.
"""

from __future__ import annotations

from typing import Literal

Locale = Literal["en-US", "en-GB", "en", "es"]
LOCALES: tuple[Locale, ...] = ("en-US", "en-GB", "en", "es")

_KNOWN: dict[str, Locale] = {name.casefold(): name for name in LOCALES} | {"es-es": "es"}


def locale_of(text: object) -> Locale | None:
    """Return the locale that a case names, None for none and for one that is not known.

    Regions are not guessed from their language: ``es-MX`` writes ``1,288.50``.
    """
    return _KNOWN.get(text.casefold().replace("_", "-")) if isinstance(text, str) else None


def language(locale: str | None) -> Literal["en", "es"] | None:
    """Return the language whose words are read; None: no words are."""
    if locale is None:
        return None
    return "es" if locale == "es" else "en"


def decimal_sign(locale: str | None) -> Literal[".", ","] | None:
    """Return the decimal sign of a locale."""
    if locale is None:
        return None
    return "," if locale == "es" else "."
