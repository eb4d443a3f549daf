from __future__ import annotations

import pytest

from pytest_benchbed.data.dataset import CaseEntry
from pytest_benchbed.data.select import Selection
from pytest_benchbed.model.errors import UsageProblem

ENTRY = CaseEntry(
    id="c-1",
    line=1,
    category="ruled",
    tags=("es", "dense"),
    group="page-7",
    context="doc",
    facets={"suite": "core", "variant": "v=2"},
)
BARE = CaseEntry("c-2", 2, None, (), None, None, {})


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], True),
        (["case=c-1"], True),
        (["case=c-2"], False),
        (["case=c-2", "case=c-1"], True),
        (["tag=dense"], True),
        (["tag=x", "tag=es"], True),
        (["tag=x"], False),
        (["category=ruled"], True),
        (["category=RULED"], False),
        (["group=page-7"], True),
        (["group=c-1"], False),
        (["context=doc"], True),
        (["suite=core"], True),
        (["variant=v=2"], True),
        (["scenario=core"], False),
        (["category=ruled", "tag=es", "suite=core"], True),
        (["category=ruled", "tag=x"], False),
        (["category=ruled", "category=other", "tag=es"], True),
    ],
)
def test_keys_are_joined_by_and_and_values_by_or(texts, expected):
    assert Selection.parse(texts).matches(ENTRY) is expected


@pytest.mark.parametrize(
    "text", ["tag=a", "category=a", "group=a", "context=a", "suite=a", "variant=a", "scenario=a"]
)
def test_a_case_without_the_field_matches_no_value(text):
    assert not Selection.parse([text]).matches(BARE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("catgory=x", "unknown key 'catgory'. Did you mean 'category'"),
        ("zzz=x", "unknown key 'zzz'(.|\n)*Keys: case, tag, group, category, context, suite"),
        ("case", "must be KEY=VALUE"),
        ("case=", "must be KEY=VALUE"),
        ("=x", "unknown key ''"),
        ("", "must be KEY=VALUE"),
        ("\x1b[2J", r"\\x1b"),
    ],
)
def test_a_text_that_cannot_work_says_what_can(text, message):
    with pytest.raises(UsageProblem, match=message):
        Selection.parse([text])


def test_the_scope_leaves_the_case_key_out():
    selection = Selection.parse(["case=other", "tag=x", "tag=es", "tag=x"])

    assert not selection.matches(ENTRY)
    assert selection.scope_matches(ENTRY)
    assert not selection.scope_matches(BARE)
    assert selection.scope_json() == {"tag": ["es", "x"]}
    assert selection.to_json() == {"case": ["other"], "tag": ["x", "es"]}


def test_what_was_asked_for_can_be_read():
    selection = Selection.parse(["tag=b", "tag=a"])

    assert selection.values("tag") == ("b", "a")
    assert selection.values("case") == ()
    assert not selection.is_empty
    assert Selection.parse([]).is_empty
    assert Selection().scope_matches(BARE)
