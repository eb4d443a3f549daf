from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.benchmarks.score import score
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.errors import UsageProblem
from tests.unit.benchmarks.toys import CASE
from tests.unit.benchmarks.toys import toy

TYPES = """
    from pytest_benchbed.benchmarks.base import Benchmark

    class Invoice(Benchmark):
        id = "invoice"
        format = "example.invoice.v1"
        label = "Invoices"
        scoring_version = "example.invoice.scores.v1"
        family = "accounting"

        def score_case(self, case, answer, prediction):
            return prediction == answer

    class Other(Invoice):
        label = "Same id, other class"

    class Receipt(Invoice):
        id = "receipt"

    def equal(prediction, expected):
        "Equal or not."
        return prediction == expected

    def similarity(prediction, expected) -> float:
        return 0.5

    def backwards(prediction):
        return True

    async def waiting(prediction, expected):
        return True
"""


@pytest.fixture
def registry() -> BenchmarkRegistry:
    return BenchmarkRegistry()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest):
    """Write modules below a package of its own and return its name."""
    name = f"pkg_{abs(hash(request.node.nodeid))}"
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.syspath_prepend(tmp_path)

    def write(module: str, text: str = TYPES) -> str:
        (folder / f"{module}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        return f"{name}.{module}"

    yield write
    for module in [key for key in sys.modules if key.partition(".")[0] == name]:
        del sys.modules[module]


def refusal(call, *args, **kwargs) -> str:
    with pytest.raises(UsageProblem) as caught:
        call(*args, **kwargs)
    return str(caught.value)


def test_a_class_is_found_by_its_id(registry: BenchmarkRegistry) -> None:
    kind = toy()
    registry.add(kind)

    assert isinstance(registry.get("toy"), kind)
    assert registry.get("toy") is registry.get("toy")


def test_a_class_is_refused_when_it_is_registered(registry: BenchmarkRegistry) -> None:
    assert "'label' is not declared" in refusal(registry.add, toy(label=...))
    assert registry.names() == []


def test_a_text_is_imported_at_the_first_question(registry: BenchmarkRegistry, package) -> None:
    module = package("types")
    registry.add(f"{module}:Invoice")
    assert module not in sys.modules

    assert registry.names() == ["invoice"]

    assert module in sys.modules
    assert type(registry.get("invoice")).__name__ == "Invoice"


def test_a_refused_class_behind_a_text_is_named_at_every_question(
    registry: BenchmarkRegistry, package
) -> None:
    module = package("types", TYPES.replace('format = "example.invoice.v1"', "format = ''"))
    registry.add(f"{module}:Invoice")

    for _ in range(2):
        assert f"Invoice ({module}): 'format' is not declared" in refusal(registry.names)


@pytest.mark.parametrize("text", ["types", "types.Invoice", "types:", ":Invoice", "a b:C", "a/b:C"])
def test_text_of_another_form_is_refused_at_once(registry: BenchmarkRegistry, text: str) -> None:
    assert "it is no 'module:name'" in refusal(registry.add, text)
    assert "it is no 'module:name'" in refusal(registry.add_scorer, "toy", text)


def test_a_module_that_is_not_there_is_named(registry: BenchmarkRegistry) -> None:
    registry.add("no_such_module_here.types:Invoice")

    text = refusal(registry.get, "invoice")

    assert "'no_such_module_here.types:Invoice'" in text
    assert "ModuleNotFoundError: No module named 'no_such_module_here'" in text
    assert "python -c 'import no_such_module_here.types'" in text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "import no_such_thing",
            "ModuleNotFoundError: No module named 'no_such_thing' (broken.py:1)",
        ),
        ("x = 1\n1 / 0", "ZeroDivisionError: division by zero (broken.py:2)"),
        ("raise SystemExit(0)", "SystemExit: 0 (broken.py:1)"),
        ("import pytest\npytest.skip('no', allow_module_level=True)", "Skipped"),
        ("def (:", "SyntaxError"),
    ],
)
def test_a_module_that_breaks_is_named_with_cause_and_line(
    registry: BenchmarkRegistry, package, body: str, words: str
) -> None:
    registry.add(f"{package('broken', body)}:Invoice")

    assert words in refusal(registry.get, "invoice")


def test_ctrl_c_while_a_module_is_imported_stops(registry: BenchmarkRegistry, package) -> None:
    registry.add(f"{package('slow', 'raise KeyboardInterrupt')}:Invoice")

    with pytest.raises(KeyboardInterrupt):
        registry.names()


def test_a_misspelt_class_gets_the_nearest_name(registry: BenchmarkRegistry, package) -> None:
    registry.add(f"{package('types')}:Invioce")

    assert "has no 'Invioce'. Did you mean 'Invoice'?" in refusal(registry.get, "invoice")


def test_an_unknown_name_gets_the_nearest_and_how_to_list(registry: BenchmarkRegistry) -> None:
    registry.add(toy(id="table-separators"))

    text = refusal(registry.get, "table-seperators")

    assert "unknown benchmark 'table-seperators'. Did you mean 'table-separators'?" in text
    assert "pytest --bench-list" in text


def test_one_id_from_two_classes_is_refused_naming_both(
    registry: BenchmarkRegistry, package
) -> None:
    module = package("types")
    registry.add(f"{module}:Invoice")
    registry.add(f"{module}:Other")

    text = refusal(registry.names)

    assert "benchmark id 'invoice' is registered twice" in text
    assert f"Invoice ({module})" in text
    assert f"Other ({module})" in text


def test_ids_that_differ_by_letter_case_are_one_id(registry: BenchmarkRegistry) -> None:
    registry.add(toy(id="toy"))

    assert "registered twice" in refusal(registry.add, toy(id="Toy"))


def test_the_same_type_twice_is_fine(registry: BenchmarkRegistry, package) -> None:
    kind, module = toy(), package("types")
    registry.add(kind)
    registry.add(kind)
    registry.add(f"{module}:Invoice")
    registry.add(f"{module}:Invoice")
    for _ in range(2):
        registry.add_scorer("price", f"{module}:equal", label="Price")

    assert registry.names() == ["invoice", "price", "toy"]


def test_a_family_is_all_its_types_sorted(registry: BenchmarkRegistry, package) -> None:
    module = package("types")
    registry.add(f"{module}:Receipt")
    registry.add(f"{module}:Invoice")
    registry.add(toy())

    assert registry.family("accounting") == ["invoice", "receipt"]
    assert registry.family("nothing") == []


@pytest.mark.parametrize("first_is_family", [True, False])
def test_a_family_named_like_another_type_is_refused(
    registry: BenchmarkRegistry, first_is_family: bool
) -> None:
    types = [toy(id="one", family="two"), toy(id="two")]
    first, second = types if first_is_family else reversed(types)
    registry.add(first)

    assert "'two' is both an id and a family" in refusal(registry.add, second)


def test_a_type_may_be_named_like_its_own_family(registry: BenchmarkRegistry) -> None:
    registry.add(toy(family="toy"))

    assert registry.family("toy") == ["toy"]


def test_a_function_is_a_type(registry: BenchmarkRegistry, package) -> None:
    module = package("types")
    registry.add_scorer("price", f"{module}:equal")

    kind = registry.get("price")

    assert (kind.id, kind.label) == ("price", "price")
    assert kind.format == "scorer.price.v1"
    assert kind.scoring_version == "scorer.price.scores.v1"
    assert (type(kind).__name__, type(kind).__module__) == ("equal", module)
    assert score(kind, CASE, "12", "12")["default"].errors == ()
    assert score(kind, CASE, "12", "13")["default"].errors == (Error("wrong"),)


def test_a_function_gets_the_prediction_first(registry: BenchmarkRegistry, package) -> None:
    module = package("order", "def f(prediction, expected):\n    return prediction == 'p'")
    registry.add_scorer("order", f"{module}:f")

    assert score(registry.get("order"), CASE, "e", "p")["default"].errors == ()


def test_declarations_of_a_function_are_taken(registry: BenchmarkRegistry, package) -> None:
    registry.add_scorer(
        "price", f"{package('types')}:similarity", at_least={"score": 0.8}, label="Prices"
    )

    kind = registry.get("price")

    assert kind.label == "Prices"
    assert score(kind, CASE, "12", "12")["default"].errors == (Error("below", {"metric": "score"}),)


@pytest.mark.req("ENV-007")
def test_a_function_that_returns_a_float_needs_a_bound(
    registry: BenchmarkRegistry, package
) -> None:
    module = package("types")
    registry.add_scorer("price", f"{module}:similarity")

    text = refusal(registry.names)

    assert f"similarity ({module})" in text
    assert "no case could ever fail" in text


def test_an_unknown_declaration_of_a_function_is_refused(registry: BenchmarkRegistry) -> None:
    text = refusal(registry.add_scorer, "price", "my_bench:f", at_leats={"score": 1})

    assert "unknown declaration 'at_leats'. Did you mean 'at_least'?" in text


@pytest.mark.parametrize("name", ["id", "score_case", "summarise"])
def test_a_function_replaces_no_method_and_no_id(registry: BenchmarkRegistry, name: str) -> None:
    assert "unknown declaration" in refusal(
        registry.add_scorer, "price", "my_bench:f", **{name: "x"}
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Invoice", "it is no function"),
        ("__name__", "it is no function"),
        ("backwards", "it cannot be called as f(prediction, expected)"),
        ("waiting", "it is async"),
    ],
)
def test_what_is_no_scorer_is_refused(
    registry: BenchmarkRegistry, package, name: str, words: str
) -> None:
    registry.add_scorer("price", f"{package('types')}:{name}")

    assert words in refusal(registry.names)


@pytest.mark.parametrize("second", [("other:f", {}), ("my_bench:f", {"label": "Other"})])
def test_one_id_for_two_scorers_is_refused(registry: BenchmarkRegistry, second: tuple) -> None:
    registry.add_scorer("price", "my_bench:f")
    entry, declared = second

    assert "scorer 'price' is registered twice" in refusal(
        registry.add_scorer, "price", entry, **declared
    )


def test_a_scorer_and_a_class_cannot_share_an_id(registry: BenchmarkRegistry, package) -> None:
    registry.add(toy(id="price"))
    registry.add_scorer("price", f"{package('types')}:equal")

    assert "registered twice" in refusal(registry.names)
