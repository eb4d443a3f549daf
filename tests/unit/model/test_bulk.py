from __future__ import annotations

import gc

import pytest

from pytest_benchbed.model.bulk import without_gc


@pytest.fixture(autouse=True)
def collector():
    yield
    gc.enable()


def test_the_collector_waits_and_goes_on():
    with without_gc():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_it_goes_on_after_an_error():
    with pytest.raises(KeyError), without_gc():
        raise KeyError

    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    with without_gc():
        pass

    assert not gc.isenabled()
