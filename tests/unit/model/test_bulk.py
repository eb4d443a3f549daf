from __future__ import annotations

import gc
import sys

import pytest

from pytest_benchbed.model.bulk import few_collections
from pytest_benchbed.model.bulk import out_of_sight
from pytest_benchbed.model.bulk import quick_turns


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


@pytest.mark.parametrize("raised", [False, True])
def test_what_is_there_is_put_aside_and_brought_back(raised):
    assert gc.get_freeze_count() == 0
    here = [object()]
    try:
        with out_of_sight():
            inside = gc.get_freeze_count()
            is_seen = any(found is here for found in gc.get_objects())
            if raised:
                raise KeyError
    except KeyError:
        pass

    assert inside > 0
    assert not is_seen
    assert gc.get_freeze_count() == 0
    assert any(found is here for found in gc.get_objects())


def test_what_somebody_else_put_aside_stays_there():
    gc.freeze()
    try:
        with out_of_sight():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


@pytest.fixture
def interval():
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize(
    ("before", "inside", "changed", "after"),
    [(0.005, 0.001, None, 0.005), (0.0001, 0.0001, None, 0.0001), (0.005, 0.001, 0.002, 0.002)],
)
def test_threads_take_turns_sooner_unless_somebody_says_otherwise(
    interval, before, inside, changed, after
):
    sys.setswitchinterval(before)

    with quick_turns():
        assert sys.getswitchinterval() == pytest.approx(inside, abs=2e-6)
        if changed is not None:
            sys.setswitchinterval(changed)

    assert sys.getswitchinterval() == pytest.approx(after, abs=2e-6)
