from __future__ import annotations

import pytest

from pytest_benchbed.data.answers import Answers
from pytest_benchbed.model.errors import DatasetError
from tests.unit.data.folder import ANSWERS
from tests.unit.data.folder import CANARY


def test_answers_are_read_by_case(unpinned):
    unpinned.row(ANSWERS, 2, answer={"año": ["😀", 1.5, True]})
    answers = Answers.open(unpinned.root)

    assert answers.ids == ("c-1", "c-2", "c-3")
    assert answers.answer("c-2") == {"año": ["😀", 1.5, True]}
    assert answers.row("c-1").canary == CANARY
    assert answers.known("c-2") == {"año": ["😀", 1.5, True]}
    assert "c-3" in answers
    assert "c-4" not in answers
    assert None not in answers


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}])
def test_an_answer_may_be_any_json(unpinned, value):
    unpinned.rows(ANSWERS, [{"id": "c-1", "answer": value}])

    assert Answers.open(unpinned.root).answer("c-1") == value


def test_a_case_without_an_answer_is_told_by_name(unpinned):
    with pytest.raises(DatasetError, match=r"answers\.jsonl: unknown answer 'c-4'"):
        Answers.open(unpinned.root).answer("c-4")


def test_a_row_without_an_answer_is_told_by_line(unpinned):
    unpinned.rows(ANSWERS, [{"id": "c-1", "answer": 1}, {"id": "c-2"}])

    with pytest.raises(DatasetError, match=r"answers\.jsonl:2: case 'c-2': answer: .*required"):
        Answers.open(unpinned.root).answer("c-2")


def test_no_answers_at_all_is_told(unpinned):
    (unpinned.root / ANSWERS).unlink()

    with pytest.raises(DatasetError, match=r"answers\.jsonl: does not exist"):
        Answers.open(unpinned.root)


def test_the_canary_is_the_one_token_of_all_rows(unpinned):
    assert Answers.open(unpinned.root).canary == CANARY


def test_a_dataset_may_have_no_canary(unpinned):
    unpinned.rows(ANSWERS, [{"id": "c-1", "answer": 1}])

    assert Answers.open(unpinned.root).canary is None


@pytest.mark.parametrize("token", ["f" * 32, None])
def test_rows_with_different_canaries_are_refused(unpinned, token):
    unpinned.row(ANSWERS, 3, canary=token)

    with pytest.raises(DatasetError, match=r"answers\.jsonl:3: case 'c-3': .*canary"):
        _ = Answers.open(unpinned.root).canary


def test_no_message_quotes_an_answer(unpinned):
    unpinned.raw_line(ANSWERS, 1, b'{"answer":"TOPSECRET","canary":7,"id":"c-1"}\n')
    unpinned.raw_line(ANSWERS, 2, b'{"id":"c-2","answer":"TOPSECRET"')
    answers = None
    texts = []
    try:
        answers = Answers.open(unpinned.root)
    except DatasetError as error:
        texts.append(str(error))
    unpinned.raw_line(ANSWERS, 2, b'{"answer":1,"id":"c-2"}\n')
    answers = Answers.open(unpinned.root)
    with pytest.raises(DatasetError) as caught:
        answers.answer("c-1")
    texts.append(str(caught.value))

    assert "TOPSECRET" not in "".join(texts)
