"""What an adapter returned made into reply text, inside its own process."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from pytest_benchbed.adapters import returned
from pytest_benchbed.adapters.returned import ReplyProblem
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import Retry
from pytest_benchbed.model.usage import Usage


def members(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(f"{{{text}}}")
    return value


@pytest.mark.parametrize(
    ("value", "result"),
    [({"a": [1, 0.5]}, {"a": [1, 0.5]}), ((1, 2), [1, 2]), (False, False), ("", "")],
)
def test_a_prediction_becomes_json_and_no_usage_is_null(value: Any, result: Any) -> None:
    assert members(returned.prediction_text(value)) == {"usage": None, "result": result}


def test_a_pair_of_prediction_and_usage_is_told_apart() -> None:
    got = members(returned.prediction_text(([1], Usage(cost_usd=Decimal("0.1"), model="m"))))

    assert got == {"usage": {"cost_usd": 0.1, "model": "m"}, "result": [1]}


def circle() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(70):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        float("nan"), float("inf"), {1, 2}, object(), b"x", "\ud800", "a\0", 2**53, circle(),
        deep(), {"a": Usage()}, {1: "a", "1": "b"},
    ],
)  # fmt: skip
def test_what_the_strict_reader_would_refuse_is_refused_first(value: Any) -> None:
    with pytest.raises(ReplyProblem) as caught:
        returned.prediction_text(value)
    assert caught.value.kind == "not_json"


def test_a_prediction_of_none_is_refused_with_what_to_raise() -> None:
    with pytest.raises(ReplyProblem, match="NoAnswer"):
        returned.prediction_text(None)


@pytest.mark.parametrize(
    "usage",
    [Usage(cost_usd=-1.0), Usage(cost_usd=float("nan")), Usage(input_tokens=-1), Usage(model=3)],  # type: ignore[arg-type]
)
def test_a_usage_that_makes_no_sense_is_refused(usage: Usage) -> None:
    with pytest.raises(ReplyProblem) as caught:
        returned.prediction_text((1, usage))
    assert caught.value.kind == "bad_usage"


def test_supports_must_say_true_or_false() -> None:
    assert members(returned.supports_text(True))["result"] is True
    assert members(returned.supports_text(False)) == {"unsupported": True}
    with pytest.raises(ReplyProblem):
        returned.supports_text(None)


def test_prepare_gives_categories_in_order_or_none() -> None:
    assert members(returned.categories_text({"b", "a"}))["result"] == ["a", "b"]
    assert members(returned.categories_text(None))["result"] == []
    assert members(returned.categories_text((["a"], Usage(cost_usd=1)))) == {
        "usage": {"cost_usd": 1},
        "result": ["a"],
    }


@pytest.mark.parametrize("value", ["abc", [1], 3])
def test_prepare_gives_nothing_else(value: Any) -> None:
    with pytest.raises(ReplyProblem):
        returned.categories_text(value)


def test_reasons_and_messages_lose_what_no_message_can_hold() -> None:
    assert members(returned.no_answer_text(NoAnswer("a\ud800\0"))) == {
        "no_answer": {"reason": "a\\ud800\\0"}
    }
    assert members(returned.no_answer_text(NoAnswer())) == {"no_answer": {"reason": ""}}


def test_a_retry_carries_its_time() -> None:
    assert members(returned.retry_text(Retry(2, "busy"))) == {
        "retry": {"after_s": 2.0, "reason": "busy"}
    }


@pytest.mark.parametrize("after", [-1, float("nan"), float("inf"), "soon", None, True])
def test_a_retry_without_a_time_is_refused(after: Any) -> None:
    with pytest.raises(ReplyProblem):
        returned.retry_text(Retry(after))
