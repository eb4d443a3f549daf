"""A secret that a system was given stands in no file of the run and on no terminal."""

from __future__ import annotations

import base64

import pytest

from tests.hostile.repository import VICTIM
from tests.hostile.repository import Repository
from tests.hostile.repository import folder_bytes
from tests.plugin.programs import posix_only

SECRET = "pa/ss-word+123456"
FORMS = (SECRET, base64.b64encode(SECRET.encode()).decode(), "pa%2Fss-word%2B123456")


def assert_hidden(repository: Repository, result: pytest.RunResult) -> None:
    printed = result.stdout.str() + result.stderr.str()
    files = folder_bytes(repository.path / "runs")
    assert not [form for form in FORMS if form in printed]
    found = [
        str(path.relative_to(repository.path))
        for path, data in files.items()
        if any(form.encode() in data or form in path.name for form in FORMS)
    ]
    assert found == []
    assert any(b"[MY_KEY]" in data for data in files.values()), "it was there to be hidden"


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["in-process", "n2"])
def test_a_python_adapter_spills_its_secret_in_vain(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, workers: list[str]
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    repository.python(
        """
        print(KEY, os.environ["MY_KEY"].encode(), flush=True)
        raise ValueError(f"call with {KEY} failed: {FORMS}")
        """,
        before=f"KEY = os.environ.get('MY_KEY', '')\nFORMS = {FORMS!r}[1:]",
        declared="env = ('MY_KEY',)",
        methods="""
        def close(self):
            raise ValueError(KEY)
        """,
    )
    text = (repository.path / "hostile_adapter.py").read_text("utf-8")
    text = text.replace("        return GOOD", '        return {"main": [], "side": [KEY]}')
    (repository.path / "hostile_adapter.py").write_text(text, "utf-8")

    result = repository.session("--junitxml=runs/out.xml", *workers)

    assert {entry.case for entry in repository.own.record.technical} == {VICTIM, None}
    assert_hidden(repository, result)


@posix_only
def test_an_executable_spills_its_secret_in_vain(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    repository.executable(
        f"""
        key = os.environ["MY_KEY"]
        print(key)
        print({FORMS!r}, file=sys.stderr)
        predictions["t-001"]["side"] = [key]
        predictions["t-002"]["main"] = [key]
        result["adapter"] = key
        system["model"] = key
        with open(os.path.join(output, "trace.log"), "w") as file:
            file.write("request with " + key)
        """
    ).bench_file(env=["MY_KEY"])

    result = repository.session("--junitxml=runs/out.xml", "--bench-note=by " + SECRET)

    assert_hidden(repository, result)


@posix_only
def test_an_executable_that_fails_spills_its_secret_in_vain(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    repository.executable(
        """
        key = os.environ["MY_KEY"]
        result["status"] = key
        predictions[key] = {}
        with open(os.path.join(output, "partial.json"), "w") as file:
            file.write(key)
        sys.exit("refused: " + key)
        """
    ).bench_file(env=["MY_KEY"])

    result = repository.session()

    assert repository.own.record.gate is not None
    assert repository.own.record.gate.status == "blocked"
    assert_hidden(repository, result)
