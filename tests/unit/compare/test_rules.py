"""Rules by name: what exists, what is built, what auto takes."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.rules import check_justification
from pytest_benchbed.compare.rules import choose_rule
from pytest_benchbed.model.errors import UsageProblem


def test_strict_is_what_it_says_and_auto_waits_for_the_runs():
    assert choose_rule("strict", "bench file").source == "bench file"
    chosen = choose_rule("auto", "the default")
    assert (chosen.name, chosen.source) == ("auto", "auto")


def test_a_rule_that_is_not_built_is_refused_by_name():
    with pytest.raises(UsageProblem, match=r"rule 'band' \(bench file\) is not built"):
        choose_rule("band", "bench file")


def test_an_unknown_rule_is_refused_with_the_nearest():
    with pytest.raises(UsageProblem, match=r"unknown rule 'strickt'. Did you mean 'strict'"):
        choose_rule("strickt")


@pytest.mark.parametrize("text", ["a new layout", ""])
def test_only_band_can_be_justified(text):
    with pytest.raises(UsageProblem, match="rule 'strict' excuses none"):
        check_justification(text, "strict")
    check_justification(text, "band")
    check_justification(None, "strict")
