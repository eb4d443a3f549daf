"""The repository that is measured: a toy benchmark, its systems, and stock tests beside it.

Both sides see the same cases and compare the same two texts: ours through
dataset, adapter, scorer, record, gate and report, the stock functions through
``assert`` alone. Both lie in folders of the same depth, since every level costs
pytest time for every item; the dataset is written as ``benchbed init`` writes one.
"""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

BENCHMARK = "toy"
STOCK = Path("tests", BENCHMARK, "v1", "test_stock.py")
"""As deep as the dataset."""

_CONFTEST = '''
import pytest
from pytest_benchbed import Benchmark, Error, ProfileScore


class Toy(Benchmark):
    """The prediction's text equals the answer's."""

    id = "toy"
    format = "benchbed.toy.v1"
    label = "Toy"
    scoring_version = "benchbed.toy.scores.v1"
    profiles = ("exact",)
    headline = ("exact",)

    def score_case(self, case, answer, prediction):
        if prediction["text"] == answer["text"]:
            return {"exact": ProfileScore([], {"exact": (1, 1)})}
        error = Error("wrong", {}, expected=answer["text"], got=prediction["text"])
        return {"exact": ProfileScore([error], {"exact": (0, 1)})}

    def answer_as_prediction(self, case, answer):
        return answer


@pytest.hookimpl(optionalhook=True)
def pytest_benchbed_benchmarks(registry):
    registry.add(Toy)
'''

# ``wrong=N``: every N-th case gets another text than the answer's.
_EXECUTABLE = """#!{python} -ISB
import json
import sys

request = json.load(open(sys.argv[3], encoding="utf-8"))
output = sys.argv[5]
wrong = request["options"].get("wrong", 0)
predictions = {{}}
for number, case in enumerate(request["cases"]):
    text = case["inputs"]["text"].upper()
    if wrong and number % wrong == 0:
        text = "something else"
    predictions[case["id"]] = {{"text": text}}
with open(output + "/predictions.json", "w", encoding="utf-8") as file:
    json.dump(predictions, file)
result = {{"id": request["benchmark"], "status": "completed", "format": request["format"],
    "data": "predictions.json", "systems": [{{"role": "candidate", "model": "none",
    "cost_usd": 0, "execution_failures": 0, "unpriced_attempts": 0}}]}}
with open(output + "/adapter-result.json", "w", encoding="utf-8") as file:
    json.dump(result, file)
"""

_STOCK = """
import json
from pathlib import Path

import pytest

DATA = json.loads(Path(__file__).with_name("stock.json").read_text("utf-8"))
IDS = list(DATA["answers"])


@pytest.mark.parametrize("case", IDS, ids=IDS)
def test_exact(case):
    assert DATA["predictions"][case] == DATA["answers"][case]
"""


class Workspace:
    """A folder with ``count`` cases and as many stock tests."""

    def __init__(self, path: Path, count: int) -> None:
        """Name the folders; :meth:`write` fills them."""
        self.path = path
        self.count = count
        self.dataset = path / "cases" / BENCHMARK / "v1"
        self.executable = path / "batch_system"

    def write(self) -> None:
        """Write everything; nothing is measured yet.

        Not in the process that starts the measured ones: on Linux a child's peak
        is at least its parent's memory when it was started.
        """
        from pytest_benchbed.data.pin import pin

        path, count = self.path, self.count
        self.dataset.mkdir(parents=True)
        ids = [f"case-{number:06}" for number in range(1, count + 1)]
        texts = {case: f"a short text, of case {case}" for case in ids}
        _write_lines(
            self.dataset / "cases.jsonl",
            [{"id": case, "inputs": {"text": text}} for case, text in texts.items()],
        )
        _write_lines(
            self.dataset / "answers.jsonl",
            [{"id": case, "answer": {"text": text.upper()}} for case, text in texts.items()],
        )
        pin(self.dataset, benchmark=BENCHMARK, id="toy-v1", visibility="public")
        _write(path / "pytest.ini", "[pytest]\n")
        _write(path / "conftest.py", _CONFTEST)
        _write(self.executable, _EXECUTABLE.format(python=sys.executable))
        self.executable.chmod(self.executable.stat().st_mode | stat.S_IXUSR)
        stock = path / "stock"
        stock.mkdir()
        _write(stock / "pytest.ini", "[pytest]\n")
        deep = stock / STOCK.parent
        deep.mkdir(parents=True)
        _write(stock / STOCK, _STOCK)
        _write(stock / "test_one.py", "def test_one():\n    assert 1 + 1 == 2\n")
        right = {case: text.upper() for case, text in texts.items()}
        _write(deep / "stock.json", json.dumps({"answers": right, "predictions": right}))


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def _write_lines(path: Path, rows: list[dict[str, object]]) -> None:
    # Here, as in :meth:`Workspace.write`: who starts the measured processes stays small.
    from pytest_benchbed.model.canonical import canonical_text

    _write(path, "".join(canonical_text(row) + "\n" for row in rows))


if __name__ == "__main__":
    Workspace(Path(sys.argv[1]), int(sys.argv[2])).write()
