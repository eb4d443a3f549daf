"""Number words against num2words, error rates against jiwer."""

from __future__ import annotations

import random

import jiwer
import num2words
import pytest

from pytest_benchbed.scoring.error_rate import character_errors
from pytest_benchbed.scoring.error_rate import rate
from pytest_benchbed.scoring.error_rate import word_errors
from pytest_benchbed.scoring.normalise import normalise

SEED = 20241104


@pytest.mark.parametrize(("locale", "limit"), [("en", 10**9), ("es", 10**12)])
def test_every_number_in_words_is_read_back(locale, limit) -> None:
    draw = random.Random(SEED)
    numbers = [*range(0, 2000, 7), *(10**power for power in range(9))]
    numbers += [draw.randrange(limit) for _ in range(200)]
    numbers += [draw.randrange(10 ** draw.randrange(1, 10)) for _ in range(100)]

    wrong = {
        words: read
        for number in numbers
        if (read := normalise(words := num2words.num2words(number, lang=locale), locale, "spoken"))
        != str(number)
    }

    assert wrong == {}


def test_every_english_ordinal_is_read_back() -> None:
    for number in range(1, 100):
        words = num2words.num2words(number, to="ordinal")

        assert normalise(words, "en", "written") == num2words.num2words(number, to="ordinal_num")


def test_decimals_and_years_are_read_back() -> None:
    draw = random.Random(SEED)
    for _ in range(100):
        number = f"{draw.randrange(2000)}.{draw.randrange(1, 10)}{draw.randrange(1, 10)}"
        words = num2words.num2words(number)
        year = draw.randrange(1905, 2100)

        assert normalise(words, "en", "spoken") == number
        if year % 100:
            spoken = num2words.num2words(year, to="year").replace("oh-", "oh ")
            assert normalise(spoken, "en", "spoken") == str(year)


def test_counts_are_those_of_jiwer() -> None:
    draw = random.Random(SEED)
    for _ in range(300):
        one = [draw.choice("abcdef") for _ in range(draw.randrange(1, 25))]
        other = [draw.choice("abcdef") for _ in range(draw.randrange(25))]
        counts = word_errors(one, other)
        oracle = jiwer.process_words(" ".join(one), " ".join(other))
        distance, length = character_errors("".join(one), "".join(other))

        assert counts.reference == len(one)
        assert counts.hits + counts.substitutions + counts.insertions == len(other)
        assert rate(counts.errors, counts.reference) == pytest.approx(oracle.wer)
        if other:
            assert rate(distance, length) == pytest.approx(jiwer.cer("".join(one), "".join(other)))
