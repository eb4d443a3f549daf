"""The files that ``benchbed init`` writes beside the dataset."""

from __future__ import annotations

import json
from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_benchbed.data.replace import replace_file
from pytest_benchbed.data.tables.cases import Imported
from pytest_benchbed.model.errors import UsageProblem

_STUB = '''"""How the system under test is asked. This file runs in a process of its own."""


def predict(case):
    # 1. What the system sees: case.inputs has {inputs}{files}.
    # 2. Ask your system here: import your package, or send a request.
    # 3. Return what it answered, {shape}.
    raise NotImplementedError("fill in predict() in " + __file__)
'''

_GITHUB = """name: bench-{name}
on: pull_request
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {{ python-version: "3.12" }}
      - run: pip install pytest-benchbed
      - run: pytest --bench={name} --bench-require-gate
      - uses: actions/upload-artifact@v4
        if: always()
        with: {{ name: bench-{name}, path: runs }}
"""

_GITLAB = """bench-{name}:
  image: python:3.12
  script:
    - pip install pytest-benchbed
    - pytest --bench={name} --bench-require-gate
  artifacts:
    when: always
    paths: [runs]
"""


def rows_text(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Return JSON Lines, readable in a diff."""
    return b"".join(json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n" for row in rows)


def bench_text(name: str, version: str, kind: str, entry: str) -> str:
    """Return a bench file for a dataset of a generic type and the stub beside it."""
    fields = {
        "schema": "benchbed.bench.v1",
        "dataset": f"{name}-{version}",
        "type": kind,
        "adapter": "mine",
        "adapters": {"mine": {"entry": entry}},
    }
    return json.dumps(fields, ensure_ascii=False, indent=2) + "\n"


def adapter_stub(kind: str, made: Imported) -> str:
    """Return the adapter to be filled in, with the names of this dataset in its comments."""
    case, answer = made.cases[0], made.answers[0]["answer"]
    inputs = ", ".join(repr(name) for name in case["inputs"]) or "nothing"
    files = ", and case.files the path of each file" if made.copies else ""
    shape = json.dumps(answer, ensure_ascii=False)
    if len(shape) > 60 and isinstance(answer, dict):
        shape = "{" + ", ".join(f'"{name}": …' for name in answer) + "}"
    shape = "as a text" if kind == "facts" else f"in the shape of the answers: {shape}"
    return _STUB.format(inputs=inputs, files=files, shape=shape)


def ignore_runs(root: Path) -> None:
    """Keep the runs directory out of version control."""
    path = root / ".gitignore"
    text = path.read_text("utf-8") if path.exists() else ""
    if "runs/" not in text.split():
        start = text if not text or text.endswith("\n") else f"{text}\n"
        replace_file(path, f"{start}runs/\n".encode())


def workflow(name: str, ci: str, root: Path) -> list[str]:
    """Write the workflow of a CI service; return what was done, as lines.

    Raises:
        UsageProblem: another service.
    """
    if ci == "github":
        path = root / ".github" / "workflows" / f"bench-{name}.yml"
        text = _GITHUB.format(name=name)
    elif ci == "gitlab":
        path, text = root / ".gitlab-ci.yml", _GITLAB.format(name=name)
    else:
        raise UsageProblem(f"unknown service {ci[:80]!a}. Known: github, gitlab.")
    shown = path.relative_to(root).as_posix()
    if path.exists():
        return [f"{shown} exists, so it was not written. It would need:", *text.splitlines()]
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode("utf-8"))
    return [f"written: {shown}"]
