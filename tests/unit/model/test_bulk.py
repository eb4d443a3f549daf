from __future__ import annotations

import gc

import pytest

from pytest_benchbed.model.bulk import few_collections


@pytest.fixture(autouse=True)
def thresholds():
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize("raised", [False, True])
def test_the_collector_looks_less_often_and_then_as_before(raised):
    gc.set_threshold(700, 11, 12)
    try:
        with few_collections():
            inside = gc.get_threshold()
            if raised:
                raise KeyError
    except KeyError:
        pass

    assert inside == (100_000, 11, 12)
    assert gc.get_threshold() == (700, 11, 12)


@pytest.mark.parametrize("own", [0, 200_000])
def test_who_wanted_still_less_gets_it(own):
    gc.set_threshold(own)

    with few_collections():
        assert gc.get_threshold()[0] == own
