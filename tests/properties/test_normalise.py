"""The normaliser over any text: idempotent, total, blind to the form of Unicode."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.scoring.locales import LOCALES
from pytest_benchbed.scoring.normalise import PROFILES
from pytest_benchbed.scoring.normalise import normalise
from pytest_benchbed.scoring.number_words import NoWords
from pytest_benchbed.scoring.words_en import ORDINALS as EN_ORDINALS
from pytest_benchbed.scoring.words_en import English
from pytest_benchbed.scoring.words_es import ORDINALS as ES_ORDINALS

ALL_LOCALES = (*LOCALES, None)
WORDS = """
one two nine twenty thirty hundred thousand million point and a half oh eleven un uno dos treinta y
cien ciento mil millón millones billón medio coma punto the of november may mar 4th de del noviembre
second first cuarto décimo € $ us$ £ eur usd euro euros dollars cents céntimos con m k bn per cent
por % 1 4 12 2024 1,288 1.288 1,288,000 3,5 0.50 5.00 .5 04/11/2024 2024-11-04 inv-2-x < <= > ± ~ -
+ ( ) . , ; … ' " « a-b b-1 o'neill ß ñ
"""
SIGNS = "\u2013 \u2014 \u2212 \u2019 \u0131 \u0130 \u1e9e \u200b \u0345"
PIECES = sorted({*WORDS.split(), *SIGNS.split(), " ", "\u00a0", "\u202f", "\n"})
pieces = st.lists(st.sampled_from(PIECES), max_size=9).flatmap(
    lambda words: st.sampled_from([" ", ""]).map(lambda sign: sign.join(words))
)
texts = st.one_of(pieces, st.text(max_size=30), st.text("0123456789.,-€% ", max_size=14))
how = st.tuples(st.sampled_from(ALL_LOCALES), st.sampled_from(PROFILES))
quick = settings(deadline=None, max_examples=150, derandomize=True)


@quick
@given(texts, how)
def test_it_is_idempotent_and_joins_tokens_by_one_space(text, how) -> None:
    once = normalise(text, *how)

    assert normalise(once, *how) == once
    assert once.split() == [word for word in once.split(" ") if word]


@quick
@given(texts, how)
def test_the_form_of_unicode_does_not_count(text, how) -> None:
    forms = {normalise(unicodedata.normalize(form, text), *how) for form in ("NFC", "NFD")}

    assert len(forms) == 1


@quick
@given(st.text("абвгд 漢字かな ١٢٣४५", min_size=1, max_size=20), how)
def test_text_of_another_script_passes_but_for_spaces(text, how) -> None:
    assert normalise(text, *how) == " ".join(unicodedata.normalize("NFC", text).split())


@quick
@given(st.integers(0, 10**7), st.integers(0, 10**7), st.sampled_from(ALL_LOCALES))
def test_two_numbers_never_become_one(one, other, locale) -> None:
    forms = {normalise(f"{number:,} €", locale, "spoken") for number in (one, other)}

    assert len(forms) == len({one, other})


@pytest.mark.parametrize("locale", ["en", "es", None])
@pytest.mark.parametrize("profile", ["written", "spoken"])
def test_what_means_another_thing_stays_apart(locale, profile) -> None:
    words = [
        "0.5",
        "<0.5",
        ">0.5",
        "<=0.5",
        "-0.5",
        "~0.5",
        "±0.5",
        "0.50",
        "0.6",
        "0.5 mg",
        "0.5 g",
    ]
    words += ["niño", "nino", "+", "-", "0.5 €", "0.5 $", "0.5%", "05"]

    assert len({normalise(word, locale, profile) for word in words}) == len(words)


def test_every_ordinal_word_is_read_in_its_language_alone() -> None:
    for locale, ordinals in (("en", EN_ORDINALS), ("es", ES_ORDINALS)):
        for word in ordinals:
            assert normalise(word, locale, "written") != word
            assert normalise(word, None, "written") == word


def test_a_grammar_without_words_reads_none() -> None:
    words = NoWords(["one"], [0], None)

    assert words.number(0) is words.ordinal(0) is words.below_hundred(0) is None
    assert English(["one"], [0], "en").number(0) is not None
