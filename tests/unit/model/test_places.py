from __future__ import annotations

import pytest

from pytest_benchbed.model.places import ten_thousandths


@pytest.mark.parametrize(
    ("value", "units"),
    [
        (None, None),
        (0, 0),
        (1, 10_000),
        (0.88, 8800),
        (0.9 - 0.88, 200),
        (0.00035, 4),
        (0.00025, 2),
        (-0.25, -2500),
        ((1, 3), 3333),
        ((2, 3), 6667),
        ((1, 20_000), 0),
        ((3, 20_000), 2),
        ((0, 0), None),
        ((5, 0), None),
    ],
)
def test_a_value_is_rounded_half_to_even_at_four_places(value: object, units: object) -> None:
    assert ten_thousandths(value) == units  # type: ignore[arg-type]
