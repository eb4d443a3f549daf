"""Make a benchmark type from a bench file: its id, the type's name, its settings."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any
from typing import NamedTuple

from pydantic import ValidationError

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.declaration import checked_type
from pytest_benchbed.benchmarks.generic.facts import FactsType
from pytest_benchbed.benchmarks.generic.fields import Fields
from pytest_benchbed.benchmarks.generic.label import Label
from pytest_benchbed.benchmarks.generic.rules import RULES
from pytest_benchbed.benchmarks.generic.settings import FactsSettings
from pytest_benchbed.benchmarks.generic.settings import FieldsSettings
from pytest_benchbed.benchmarks.generic.settings import LabelSettings
from pytest_benchbed.benchmarks.generic.settings import Settings
from pytest_benchbed.benchmarks.generic.settings import TextSettings
from pytest_benchbed.benchmarks.generic.text import WholeText
from pytest_benchbed.model.base import Model
from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.scoring.normalise import TEXT_VERSION


class _Kind(NamedTuple):
    base: Any
    settings: type[Settings]


TYPES: Mapping[str, _Kind] = {
    "label": _Kind(Label, LabelSettings),
    "text": _Kind(WholeText, TextSettings),
    "fields": _Kind(Fields, FieldsSettings),
    "facts": _Kind(FactsType, FactsSettings),
}
DIGITS = 12
"""Of the digest of the settings, in the scoring version."""


def make_type(benchmark_id: str, type_id: str, scoring: Mapping[str, Any]) -> Benchmark:
    """Return the type of a bench file's ``type`` and ``scoring``.

    Its scoring version ends with a digest of the settings that differ from the
    defaults and of the version of the normaliser: runs under other settings
    are not comparable.

    Raises:
        UsageProblem: an unknown type, or settings that are refused, naming the
            key and the nearest right one; no file is named here.
    """
    kind = TYPES.get(type_id)
    if kind is None:
        raise UsageProblem(
            f"field type: {unknown_name('type', type_id, TYPES, '')}\n"
            f"Types without code are {', '.join(TYPES)}; own code is registered with "
            f"registry.add_scorer or registry.add, and has no type in the bench file."
        )
    try:
        settings = kind.settings.model_validate(dict(scoring))
    except ValidationError as error:
        raise UsageProblem(_explained(error, kind.settings, type_id)) from None
    declared = {
        "__module__": kind.base.__module__,
        "__doc__": kind.base.__doc__,
        "id": benchmark_id,
        "label": f"{benchmark_id} ({type_id})",
        "format": kind.base.FORMAT,
        "scoring_version": f"{kind.base.SCORES}+{settings_digest(settings)}",
        **kind.base.configured(settings),
    }
    return checked_type(type(kind.base.__name__, (kind.base,), declared))


def settings_digest(settings: Settings) -> str:
    """Return what stands for the settings in the scoring version."""
    differing = settings.model_dump(mode="json", exclude_defaults=True)
    return digest({"normaliser": TEXT_VERSION, "settings": differing})[:DIGITS]


def _explained(error: ValidationError, model: type[Model], type_id: str) -> str:
    """Name the first key that is wrong, why, and what to write."""
    first = error.errors(include_url=False, include_context=True, include_input=True)[0]
    # The place of a rule's key holds the rule's name too, which is not in the file.
    place = [str(part) for part in first["loc"]]
    rules = {"fields": 2, "default": 1}
    at = rules.get(place[0], 0) if place and model is FieldsSettings else 0
    rule = RULES[place[at]] if at and len(place) > at and place[at] in RULES else None
    shown = ".".join(place[:at] + place[at + 1 :] if rule else place)
    where = f"field scoring{'.' if shown else ''}{term(shown, 120)}"
    reason = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        owner = rule or model
        sentence = unknown_name("key", place[-1], owner.model_fields, "")
        return f"{where}: {sentence}\nKeys here: {', '.join(owner.model_fields)}."
    if first["type"] == "union_tag_invalid":
        given = term(first["ctx"]["tag"], 60)
        near = get_close_matches(given, RULES, n=1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        return f"{where}: unknown rule {given!r}.{meant}\nRules are {', '.join(RULES)}."
    if first["type"] == "union_tag_not_found":
        return f"{where}: compare is missing.\nSet it to one of {', '.join(RULES)}."
    if first["type"] == "literal_error":
        given = first["input"] if isinstance(first["input"], str) else ""
        near = get_close_matches(given, str(first["ctx"]["expected"]).replace("'", " ").split())
        meant = f" Did you mean {near[0]!r}?" if near else ""
        return f"{where}: {reason}.{meant}\nCorrect it in the bench file."
    return f"{where}: {reason}.\nCorrect it in the bench file; type {type_id!r}."
