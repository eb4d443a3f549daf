"""One adapter put together from where it lies, the command line and the bench file."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.spec import Located
from pytest_benchbed.adapters.spec import make_spec
from pytest_benchbed.model.bench_file import BenchAdapter
from pytest_benchbed.model.errors import UsageProblem

PLACE = Located("class", "m:A", Path("/x/m.py"), Path("/x"), "m", "A", "0" * 64)


def test_the_command_line_goes_before_the_bench_file() -> None:
    bench = BenchAdapter(options={"a": 1, "b": 2}, model="old", limits={"call_s": 5})

    spec = make_spec("x", PLACE, options={"b": 3}, model="new", bench=bench, call_s=7)

    assert spec.options == {"a": 1, "b": 3}
    assert (spec.model, spec.limits.call_s) == ("new", 7)


def test_what_the_bench_file_leaves_out_is_none() -> None:
    spec = make_spec("x", PLACE, bench=BenchAdapter(env=["KEY"], max_cost_usd=Decimal("0.5")))

    assert spec.env == ("KEY",)
    assert spec.max_cost_usd == Decimal("0.5")
    assert (spec.network, spec.reads, spec.deterministic) == (None, None, None)


def test_declarations_of_the_bench_file_go_before_those_of_the_class() -> None:
    spec = make_spec("x", PLACE, bench=BenchAdapter(network="all", deterministic=True))
    said = AdapterInfo("A", network="none", env=("KEY",))

    info = said.with_bench_file(spec)

    assert (info.network, info.deterministic, info.env) == ("all", True, ("KEY",))


def test_an_unknown_limit_of_the_bench_file_is_refused() -> None:
    with pytest.raises(UsageProblem, match="limit"):
        make_spec("x", PLACE, bench=BenchAdapter(limits={"cal_s": 1}))
