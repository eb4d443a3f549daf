"""Every row of the normaliser's rules."""

from __future__ import annotations

import pytest

from pytest_benchbed.scoring.normalise import normalise

EN, ES, NONE = "en", "es", None
ISO = "2024-11-04"


def rows(expected: str, locale: str | None, *texts: str) -> list[tuple[str, str | None, str]]:
    return [(text, locale, expected) for text in texts]


NUMBERS = [
    *rows("1288000", EN, "1,288,000", "1.288.000", "1\u202f288\u202f000"),
    *rows("1288000", ES, "1,288,000", "1.288.000"),
    *rows("1288000", NONE, "1,288,000", "1.288.000"),
    *rows("1288000.50", EN, "1.288.000,50", "1,288,000.50"),
    *rows("1288000,50", ES, "1,288,000.50", "1.288.000,50"),
    *rows("1288000,50", NONE, "1.288.000,50"),
    *rows("1288000.50", NONE, "1,288,000.50"),
    *rows("1288", EN, "1,288"),
    *rows("1288", ES, "1.288"),
    *[(text, EN, text) for text in ("1.288", "14.2", "3,5", "1,28,000", "12.1.3", "0,125", "0.50")],
    *[(text, ES, text) for text in ("1,288", "14,2", "14.2", "0.125", "1,28,000", "0,50", "007")],
    *[(text, NONE, text) for text in ("1,288", "1.288", "14.2", "14,2")],
    *rows("<1288", EN, "< 1,288", "<1,288."),
    *rows("1\u0660", EN, "1\u0660"),
]
WRITTEN = [
    *rows("<0.5", EN, "<0.5", "< 0.5", "(< 0.5)", "&lt; 0.5".replace("&lt;", "<")),
    *rows("<=0.5", EN, "≤0.5", "≤ 0.5", "<= 0.5"),
    *rows(">=3", EN, "≥ 3"),
    *[(text, EN, text) for text in ("±0.5", "~5", "-5", "+", "-", "*", "2*3", "max_page_count")],
    *rows("-5", EN, "\u22125", "\u20135"),
    *rows("pages 10-20", EN, "pages 10\u201320"),
    *rows("one two", EN, "one \u2014 two", "one\u2014two"),
    *rows("inv-2024-0031", EN, "INV-2024-0031", "(INV-2024-0031)."),
    *rows("a.1/b_2", EN, "A.1/B_2"),
    *rows("o'neill", EN, "O'Neill", "O\u2019Neill"),
    *rows("well known", EN, "Well-known"),
    *rows("st john", EN, "St. John"),
    *rows("co 2", EN, "CO 2", "CO\u00a02"),
    *rows("clause 14.2", EN, "clause 14.2"),
    *rows(
        "hello", EN, "¡Hello!", "«hello»…", "\u201chello\u201d", "hel\u200blo", "[{(hello;:,.?¿)}]"
    ),
    *rows(".5", EN, ".5", "(.5)"),
    *rows("5", EN, "...5", "5."),
    *rows("niño", ES, "NIÑO", "nin\u0303o"),
    *rows("strasse", EN, "Straße"),
    *rows("3,5", ES, "3,5"),
    *rows("1288000,50 euro", ES, "1.288.000,50 €"),
    *rows("1288000 euro", EN, "€1,288,000", "1,288,000 €", "EUR 1,288,000", "1288000 euros"),
    *rows("1288000 euro", ES, "1.288.000 €"),
    *rows("5 dollar", EN, "$5.00", "US$5", "5 dollars", "5$", "USD 5"),
    *rows("20 pound", EN, "£20", "20 GBP"),
    *rows("1500000 dollar", EN, "$1.5 million", "$1.5m", "$1.5 m", "USD 1.5 mn", "1.5m $"),
    *rows("1500000 euro", ES, "1,5 millones de euros"),
    *rows("5 libra", ES, "£5"),
    *rows("5 dólar", ES, "$5", "5 dólares"),
    *rows("5.50 euro", EN, "5 euros and 50 cents", "5.50 €"),
    *rows("5,50 euro", ES, "5 euros con 50", "5 euros con 50 céntimos"),
    *rows("5 euro and 50", EN, "5 euros and 50"),
    *rows("5 euro con 0 con 30", ES, "5 euros con 0 con 30"),
    *rows("€ usd 2024 euro", EN, "€ USD 2024 euros"),
    *rows("-5 euro", EN, "-5 €", "€-5", "-€5"),
    *rows("5 euro", EN, "(5 €)", "€5 euros"),
    *rows("<5 euro", EN, "<€5", "< 5 €"),
    *rows("5.000 euro", NONE, "5.000 €"),
    *rows("5 de euro", ES, "5 de euro"),
    *rows("5 m", EN, "5 m"),
    *rows("-€-5", EN, "-€-5"),
    *rows("¥5", EN, "¥5"),
    *rows("4th", EN, "4th", "fourth", "Fourth"),
    *rows("21st", EN, "21st", "twenty-first", "twenty first"),
    *rows("11th", EN, "eleventh"),
    *rows("2nd", EN, "second"),
    *rows("seconds", EN, "seconds"),
    *rows("4º", ES, "4.º", "4º", "4ª", "4.ª", "4to", "cuarto", "cuarta"),
    *rows("21º", ES, "vigésimo primero", "vigesimoprimera"),
    *rows("4th", NONE, "4º"),
    *rows("fourth", NONE, "fourth"),
    *rows("five euros 5% 4 november 2024", EN, "five euros, 5%, 4 November 2024"),
]
SPOKEN = [
    *rows("0.05", EN, "zero point zero five"),
    *rows("14.2", EN, "fourteen point two"),
    *rows("14.20", EN, "fourteen point twenty"),
    *rows("2500000", EN, "two and a half million", "2.5 million"),
    *rows("2024", EN, "twenty twenty four", "twenty twenty-four", "two thousand and twenty four"),
    *rows("1905", EN, "nineteen oh five"),
    *rows("1900", EN, "nineteen hundred"),
    *rows("3 4 5", EN, "three four five"),
    *rows("double 3", EN, "double three"),
    *rows("100", EN, "a hundred", "one hundred"),
    *rows("1234", EN, "one thousand, two hundred and thirty-four"),
    *rows("20 4", EN, "twenty. Four", "twenty … four"),
    *rows("1000 and 200", EN, "one thousand and two hundred"),
    *rows("5000 6000", EN, "five thousand six thousand"),
    *rows("2000000000", EN, "two thousand million"),
    *rows("20 point", EN, "twenty point"),
    *rows("20 point made", EN, "twenty point made"),
    *rows("3,5 million", EN, "3,5 million"),
    *rows("3,5m €", EN, "3,5m €"),
    *rows("one", NONE, "one"),
    *rows("21000", ES, "veintiún mil"),
    *rows("31", ES, "treinta y uno", "treinta y una"),
    *rows("400", ES, "cuatrocientas", "cuatrocientos"),
    *rows("2500000", ES, "dos millones y medio"),
    *rows("1500000", ES, "millón y medio", "un millón y medio"),
    *rows("14,2", ES, "catorce coma dos"),
    *rows("14.2", ES, "catorce punto dos"),
    *rows("1000000000", ES, "mil millones"),
    *rows("100 1", ES, "cien uno"),
    *rows("1000000000000", ES, "un billón"),
    *rows("una casa un coche 1", ES, "una casa, un coche, uno"),
    *rows("1288000 euro", EN, "one million two hundred and eighty eight thousand euros"),
    *rows("1288000 euro", ES, "un millón doscientos ochenta y ocho mil euros"),
    *rows("1000000 euro", ES, "un millón de euros"),
    *rows("5 dollar", EN, "five dollars"),
    *rows("20 pound", EN, "twenty pounds"),
    *rows("5.50 euro", EN, "five euros and fifty cents"),
    *rows("5,50 euro", ES, "cinco euros con cincuenta"),
    *rows("<50", EN, "< fifty"),
    *rows("5 %", EN, "5%", "5 %", "5 percent", "5 per cent", "five percent"),
    *rows("1288 %", EN, "1,288%"),
    *rows("5 %", ES, "cinco por ciento", "5 por ciento"),
    *rows("4th", EN, "4th", "fourth"),
    *rows(ISO, EN, "4 November 2024", "November 4, 2024", "4 Nov. 2024", "4th of November 2024"),
    *rows(ISO, EN, "the fourth of November twenty twenty-four", "November the 4th 2024"),
    *rows("the --11-04", EN, "the 4 November"),
    *rows(ISO, ES, "4 de noviembre de 2024", "cuatro de noviembre de dos mil veinticuatro"),
    *rows("el 2024-11-04", ES, "el 4 de noviembre del 2024"),
    *rows(ISO, NONE, "4 November 2024", "4 de noviembre de 2024"),
    *rows("--11-04", EN, "4 November", "November 4"),
    *rows("2024-11", EN, "November 2024", "November of 2024", "November twenty twenty-four"),
    *rows("monday 2024-11-04", EN, "Monday, 4 November 2024"),
    *rows("2024-05-04", EN, "4 May 2024", "May 4, 2024"),
    *[(text, EN, text) for text in ("may 4", "may 2024", "4 may", "november", "the november")],
    *[(text, EN, text) for text in ("31 february 2024", "november 31", "the 4 dogs")],
    *rows("november 5 euro", EN, "November 5 €", "november five euros"),
    *rows("november 5 %", EN, "November 5%"),
    *rows("--11-05 7 euro", EN, "November 5 € 7", "November fifth € seven"),
    *rows(ISO, ES, "04/11/2024", "4.11.2024", "4-11-2024", ISO),
    *rows(ISO, "en-GB", "04/11/2024"),
    *rows("2024-04-11", "en-US", "04/11/2024"),
    *rows("04/11/2024", EN, "04/11/2024"),
    *rows("04/11/2024", NONE, "04/11/2024"),
    *rows("2024-11-14", EN, "14/11/2024", "11/14/2024"),
    *rows("2024-11-11", NONE, "11/11/2024"),
    *[(text, ES, text) for text in ("4/11/24", "31/02/2024", "11/25/2024", "12:30")],
]


@pytest.mark.parametrize(("text", "locale", "expected"), [*NUMBERS, *WRITTEN])
def test_written(text: str, locale: str | None, expected: str) -> None:
    assert normalise(text, locale, "written") == expected
    assert normalise(expected, locale, "written") == expected


@pytest.mark.parametrize(("text", "locale", "expected"), [*NUMBERS, *SPOKEN])
def test_spoken(text: str, locale: str | None, expected: str) -> None:
    assert normalise(text, locale, "spoken") == expected
    assert normalise(expected, locale, "spoken") == expected


def test_exact_changes_spaces_and_the_form_of_unicode_alone() -> None:
    assert normalise("  Nin\u0303o\u00a0 <  0.50,\n", "es", "exact") == "Niño < 0.50,"


def test_nothing_is_left_of_punctuation() -> None:
    assert normalise(" … ?! ", "en", "spoken") == ""
    assert normalise("", "en", "written") == ""


def test_a_very_long_number_is_kept() -> None:
    digits = "9" * 5_000

    assert normalise(f"{digits} million euros", "en", "spoken") == f"{digits} million euros"
    assert normalise("one " + "million " * 50, "en", "spoken").endswith(" million")
