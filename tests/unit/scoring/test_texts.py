from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.model.digits import Ambiguous
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.scoring import error_rate
from pytest_benchbed.scoring import similarity as alike
from pytest_benchbed.scoring.error_rate import Counts
from pytest_benchbed.scoring.error_rate import character_errors
from pytest_benchbed.scoring.error_rate import rate
from pytest_benchbed.scoring.error_rate import word_errors
from pytest_benchbed.scoring.locales import locale_of
from pytest_benchbed.scoring.numbers import read_number
from pytest_benchbed.scoring.quantities import Quantity
from pytest_benchbed.scoring.quantities import difference
from pytest_benchbed.scoring.quantities import quantity_of
from pytest_benchbed.scoring.similarity import similarity


def test_words_are_aligned_at_the_least_cost() -> None:
    reference = ["the", "cat", "sat", "on", "the", "mat"]

    assert word_errors(reference, ["the", "cat", "sit", "on", "mat"]) == Counts(4, 1, 1, 0)
    assert word_errors(reference, ["so", *reference]) == Counts(6, 0, 0, 1)
    assert word_errors(reference, reference) == Counts(6, 0, 0, 0)
    assert character_errors("mat", "mast") == (1, 3)


def test_a_rate_over_an_empty_reference_is_none_and_its_insertions_count() -> None:
    counts = word_errors([], ["x", "y", "z"])

    assert (counts.errors, counts.reference) == (3, 0)
    assert rate(counts.errors, counts.reference) is None
    assert rate(3, 2) == 1.5
    assert character_errors("", "abc") == (3, 0)


def test_what_is_too_large_is_known_from_the_sizes(monkeypatch) -> None:
    monkeypatch.setattr(error_rate, "MAX_WORD_CELLS", 3)
    monkeypatch.setattr(error_rate, "MAX_CHARACTER_CELLS", 3)
    monkeypatch.setattr(alike, "MAX_CELLS", 3)

    for call in (
        lambda: word_errors(["a", "b"], ["a", "b"]),
        lambda: character_errors("ab", "ab"),
        lambda: similarity("ab", "ab"),
    ):
        with pytest.raises(TechnicalFailure, match=r"too_large.*4 pairs") as caught:
            call()
        assert caught.value.whose == "scorer"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "", 1.0),
        ("", "abc", 0.0),
        ("abc", "", 0.0),
        ("abc", "abc", 1.0),
        ("abc", "xyz", 0.0),
        ("Harbor Point", "harbor  point", 0.8),
    ],
)
def test_similarity(one: str, other: str, expected: float) -> None:
    assert similarity(one, other) == pytest.approx(expected)


@settings(deadline=None, max_examples=80)
@given(st.text("abc ", max_size=12), st.text("abc ", max_size=12))
def test_distances_are_symmetric(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert character_errors(one, other)[0] == character_errors(other, one)[0]
    assert (
        word_errors(one.split(), other.split()).errors
        == word_errors(other.split(), one.split()).errors
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("en-us", "en-US"),
        ("en_GB", "en-GB"),
        ("EN", "en"),
        ("es", "es"),
        ("es-ES", "es"),
        ("es-MX", None),
        ("fr", None),
        (None, None),
        (7, None),
    ],
)
def test_a_locale_is_not_guessed(name: object, expected: str | None) -> None:
    assert locale_of(name) == expected


@pytest.mark.parametrize(
    ("token", "locale", "value"),
    [
        ("1,288", "en", Decimal(1288)),
        ("1,288", "es", Decimal("1.288")),
        ("1,288", None, Ambiguous("1,288")),
        ("14.2", None, Decimal("14.2")),
        ("14,2", None, Decimal("14.2")),
        ("0.125", None, Decimal("0.125")),
        ("1288.000", None, Decimal("1288.000")),
        ("14.2", "es", Ambiguous("14.2")),
        ("3,5", "en", Ambiguous("3,5")),
        ("1,28,000", "en", Ambiguous("1,28,000")),
        ("1.28,000.5", "en", Ambiguous("1.28,000.5")),
    ],
)
def test_a_number_without_a_decidable_reading_is_a_value_of_its_own(token, locale, value) -> None:
    assert read_number(token, locale).value == value


def test_only_digit_tokens_are_read() -> None:
    with pytest.raises(ValueError, match="no digit token"):
        read_number("12a", "en")


@pytest.mark.parametrize(
    ("value", "locale", "expected"),
    [
        (5, None, Quantity(Decimal(5), unit=None)),
        (0.1, None, Quantity(Decimal("0.1"), unit=None)),
        ("< 0.5 mg/L", "en", Quantity(Decimal("0.5"), "<", "mg/l")),
        ("5mg", "en", Quantity(Decimal(5), "", "mg")),
        ("-1.288,50 €", "es", Quantity(Decimal("-1288.50"), "", "euro")),
        ("five euros", "en", Quantity(Decimal(5), "", "euro")),
        ("5%", None, Quantity(Decimal(5), "", "%")),
        (".5", "en", Quantity(Decimal("0.5"))),
        ("-1,288", None, Quantity(Ambiguous("-1,288"))),
        (True, None, None),
        (None, None, None),
        ([5], None, None),
        ("about 5", "en", None),
        ("2024-11-04", "en", None),
        ("INV-1", "en", None),
        ("n/a", "en", None),
        ("", "en", None),
    ],
)
def test_a_quantity_is_read(value: object, locale: str | None, expected: Quantity | None) -> None:
    assert quantity_of(value, locale) == expected


@pytest.mark.parametrize(
    ("expected", "got", "kind"),
    [
        ("5", "5", None),
        ("5", "5.0", None),
        ("5", "6", "wrong"),
        ("-5", "5", "sign_lost"),
        ("5", "-5", "sign_wrong"),
        ("<5", "5", "qualifier_lost"),
        ("<5", ">5", "qualifier_wrong"),
        ("5", "<5", "qualifier_wrong"),
        ("5 mg/L", "5", "unit_lost"),
        ("5", "5 mg/L", "unit_lost"),
        ("5 mg/L", 5, "unit_lost"),
        (5, "5 mg/L", None),
        ("5 mg/L", "5 µg/L", "unit_wrong"),
        ("5 mg/L", "5 MG/L", None),
        ("€1,280,000", "€1,288,000", "wrong"),
        ("3,5", "3,5", None),
        ("3,5", "3.5", "ambiguous"),
        ("3.5", "3,5", "ambiguous"),
        ("<3,5", "3,5", "qualifier_lost"),
        (0, "0", None),
    ],
)
def test_two_quantities_differ_in_a_kind(expected, got, kind) -> None:
    found = difference(quantity_of(expected, "en"), quantity_of(got, "en"))

    assert found == kind


def test_a_tolerance_is_absolute_or_a_share_of_the_expected_number() -> None:
    one, near, far = (Quantity(Decimal(text)) for text in ("100", "100.5", "102"))

    assert difference(one, near, tolerance=Decimal("0.5")) is None
    assert difference(one, far, tolerance=Decimal("0.5")) == "wrong"
    assert difference(one, near, relative=Decimal("0.01")) is None
    assert difference(one, far, relative=Decimal("0.01")) == "wrong"
    assert difference(Quantity(Decimal(5), unit="mg"), Quantity(Decimal(5))) == "unit_lost"
    assert (
        difference(Quantity(Decimal(5), unit="mg"), Quantity(Decimal(5)), is_unit_compared=False)
        is None
    )
