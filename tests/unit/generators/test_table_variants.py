from __future__ import annotations

from collections import Counter

from pytest_benchbed.generators.table_plan import case_plans
from pytest_benchbed.generators.table_plan import table
from pytest_benchbed.generators.table_variants import BASELINE
from pytest_benchbed.generators.table_variants import FLAKY
from pytest_benchbed.generators.table_variants import baseline
from pytest_benchbed.generators.table_variants import flaky
from pytest_benchbed.generators.table_variants import known_table

PLANS = {plan.id: plan for plan in case_plans()}


def test_a_case_is_known_by_its_id_and_its_inputs() -> None:
    crop = table(PLANS["sep-001"])
    inputs = crop.inputs("a.png", "a.pdf")

    assert known_table("sep-001", inputs) == crop
    assert known_table("sep-001", inputs | {"dpi": 1}) is None
    assert known_table("sep-002", inputs) is None
    assert known_table("mine", inputs) is None
    assert known_table("sep-001", {}) is None


def test_the_baseline_is_wrong_exactly_where_it_says() -> None:
    for case, plan in PLANS.items():
        crop = table(plan)
        assert (baseline(case, crop) != crop.prediction()) == (case in BASELINE), case


def test_the_baseline_is_wrong_in_several_layouts_and_ways() -> None:
    assert len(BASELINE) >= 12
    assert len({PLANS[case].category for case in BASELINE}) >= 8
    assert len(set(BASELINE.values())) >= 8


def test_flaky_cases_are_about_five_per_cent_of_several_layouts() -> None:
    assert 0.03 <= len(FLAKY) / len(PLANS) <= 0.07
    assert len({PLANS[case].category for case in FLAKY}) >= 5
    assert not set(FLAKY) & set(BASELINE)


def test_flaky_cases_are_wrong_in_about_half_of_the_attempts_others_never() -> None:
    wrong: Counter[bool] = Counter()
    for case in FLAKY:
        crop = table(PLANS[case])
        for attempt in range(1, 31):
            wrong[flaky(case, crop, "0", attempt) != crop.prediction()] += 1

    assert 0.4 < wrong[True] / wrong.total() < 0.6
    crop = table(PLANS["sep-001"])
    assert all(flaky("sep-001", crop, "0", attempt) == crop.prediction() for attempt in range(9))


def test_flaky_draws_depend_on_seed_case_and_attempt_alone() -> None:
    crop = table(PLANS["sep-008"])

    def draws(seed: str) -> list[bool]:
        return [flaky("sep-008", crop, seed, attempt) == crop.prediction() for attempt in range(20)]

    assert draws("0") == draws("0")
    assert draws("0") != draws("1")
