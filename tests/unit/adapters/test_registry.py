"""Named adapters: kept as text, never imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchbed.adapters.registry import AdapterRegistry
from pytest_benchbed.model.errors import UsageProblem


def test_an_entry_is_kept_as_text_in_the_order_of_registration() -> None:
    registry = AdapterRegistry()
    registry.add("ours", "acme.adapters:Ours")
    registry.add("tool", Path("/opt/tool"))

    assert registry.names() == ["ours", "tool"]
    assert registry.get("tool") == "/opt/tool"
    assert registry.entry("other") is None


def test_an_unknown_name_is_refused_with_the_nearest_and_how_to_list() -> None:
    registry = AdapterRegistry()
    registry.add("reference", "a:B")

    with pytest.raises(UsageProblem, match=r"'reference'.*\n.*pytest --bench-list"):
        registry.get("referense")


def test_a_name_may_be_added_again_but_not_for_another_entry() -> None:
    registry = AdapterRegistry()
    registry.add("ours", "a:B")
    registry.add("ours", "a:B")

    with pytest.raises(UsageProblem, match="registered twice"):
        registry.add("ours", "a:C")


@pytest.mark.parametrize("name", ["", "a b", "-x", "a/b", "é"])
def test_a_name_follows_the_rule_of_ids(name: str) -> None:
    with pytest.raises(UsageProblem, match="names match"):
        AdapterRegistry().add(name, "a:B")


@pytest.mark.parametrize("entry", [object(), "", None])
def test_an_imported_adapter_or_nothing_is_refused_as_an_entry(entry: object) -> None:
    with pytest.raises(UsageProblem, match="do not import it"):
        AdapterRegistry().add("ours", entry)  # type: ignore[arg-type]
