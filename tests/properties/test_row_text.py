from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.runs.row_text import row_text

digests = st.text("0123456789abcdef", min_size=64, max_size=64)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = (
    st.none()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
)
profiles = st.sampled_from([["main"], ["main", "side"], ["año", "b-1"]])


@st.composite
def rows(draw):
    names = draw(profiles)
    error = st.fixed_dictionaries({"kind": texts, "where": st.dictionaries(texts, texts)})
    row = {
        "case": draw(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,9}", fullmatch=True)),
        "category": draw(st.none() | texts),
        "state": draw(st.sampled_from(["scored", "technical", "skipped"])),
        "reason": draw(st.none() | texts),
        "errors": {name: draw(st.lists(error, max_size=2)) for name in names},
        "metrics": {name: draw(st.dictionaries(texts, numbers, max_size=2)) for name in names},
        "quality": draw(numbers),
        "keys": {name: draw(digests) for name in names},
        "key_parts": {name: draw(digests) for name in ("inputs", "files", "answer")},
        "x": {
            "latency_s": draw(numbers),
            "queue_s": draw(numbers),
            "cost_usd": draw(numbers),
            "usage": draw(st.dictionaries(texts, numbers, max_size=3)),
        },
    }
    if draw(st.booleans()):
        row["group"] = draw(texts)
    for name in draw(st.sets(st.sampled_from(["reasks", "repeats"]))):
        row[name] = [{"attempt": 1, "quality": draw(numbers)}]
    return row


@given(rows())
def test_a_row_has_its_canonical_text(row):
    assert row_text(row).encode("utf-8") == canonical(row)
