"""A plugin that registers wrongly is one clear error that names it, and nothing starts."""

from __future__ import annotations

import pytest

from tests.plugin.bench import WITHOUT
from tests.plugin.bench import Bench
from tests.plugin.programs import command

HOOK = "pytest_benchbed_benchmarks"


def _plugin(bench: Bench, text: str, name: str = "acme_plugin") -> None:
    (bench.path / f"{name}.py").write_text(text, "utf-8")
    bench.pytester.syspathinsert(bench.path)


@pytest.mark.req("ENV-106")
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            f"def {HOOK}(registr):\n    pass\n",
            [
                f"ERROR: plugin 'acme_plugin': the hook {HOOK} has no argument 'registr'.",
                f"Write: def {HOOK}(registry)",
            ],
        ),
        (
            "def pytest_benchbed_case_scored(config, row):\n    pass\n",
            ["*has no argument 'row'.", "Write: def pytest_benchbed_case_scored(config, result)"],
        ),
        (
            "def pytest_benchbed_benchmark(registry):\n    pass\n",
            [f"*'acme_plugin': there is no hook 'pytest_benchbed_benchmark'. *'{HOOK}'?"],
        ),
        (
            "import pytest\n\n\n@pytest.hookimpl(optionalhook=True)\n"
            "def pytest_benchbed_dataset(registry):\n    pass\n",
            ["*no hook 'pytest_benchbed_dataset'. Did you mean 'pytest_benchbed_datasets'?"],
        ),
        (
            f"def {HOOK}(registry):\n    raise KeyError('lost')\n",
            [f"*plugin 'acme_plugin': {HOOK} raised KeyError: 'lost' at acme_plugin.py:2."],
        ),
        (
            f"def {HOOK}(registry):\n    raise SystemExit(0)\n",
            [f"*plugin 'acme_plugin': {HOOK} raised SystemExit: 0 at acme_plugin.py:2."],
        ),
        (
            f"def {HOOK}(registry):\n    registry.add_types([])\n",
            [f"*{HOOK} raised AttributeError: *add_types*acme_plugin.py:2."],
        ),
        (
            f"def {HOOK}(registry):\n    registry.add(42)\n",
            [
                "*cannot register 42 as a benchmark*",
                f"Registered by plugin 'acme_plugin', hook {HOOK}.",
            ],
        ),
        (
            f"def {HOOK}(registry):\n    registry.add('acme.nowhere:Type')\n",
            ["*cannot load benchmark 'acme.nowhere:Type'*", "Registered by plugin 'acme_plugin'."],
        ),
        (
            "def pytest_benchbed_datasets(registry):\n    registry.add('nowhere')\n",
            [
                "*a dataset folder is registered that does not exist: *nowhere.",
                "Registered by plugin 'acme_plugin', hook pytest_benchbed_datasets.",
            ],
        ),
        (
            "def pytest_benchbed_adapters(registry):\n    registry.add('x', 5)\n",
            ["*acme_plugin*pytest_benchbed_adapters*"],
        ),
    ],
    ids=[
        "wrong argument",
        "wrong argument of an observer",
        "misspelt",
        "misspelt and optional",
        "raises",
        "exits",
        "no such method",
        "no type",
        "no module",
        "no folder",
        "no adapter",
    ],
)
def test_a_plugin_that_registers_wrongly_is_named(
    bench: Bench, text: str, lines: list[str]
) -> None:
    _plugin(bench, text)

    result = bench.run("-p", "acme_plugin")

    assert result.ret == pytest.ExitCode.USAGE_ERROR, result.stdout.str() + result.stderr.str()
    result.stderr.fnmatch_lines(lines)
    assert "Traceback" not in result.stderr.str()
    assert bench.calls() == []
    assert bench.runs() == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (f"def {HOOK}(registry)", f"def {HOOK}(register)", "*conftest.py'*no argument 'register'."),
        (f"def {HOOK}(", "def pytest_benchbed_benchmrks(", f"*conftest.py'*Did you mean '{HOOK}'?"),
        ("registry.add(Toy)", "registry.add('Toy')", "*it is no 'module:name'."),
    ],
    ids=["argument", "name", "entry"],
)
def test_so_is_a_conftest_also_where_only_a_list_is_asked_for(
    bench: Bench, old: str, new: str, line: str
) -> None:
    conftest = bench.path / "conftest.py"
    conftest.write_text(conftest.read_text("utf-8").replace(old, new), "utf-8")

    listed = bench.pytest("--bench-list")
    asked = command(bench, "list")

    assert listed.ret == pytest.ExitCode.USAGE_ERROR
    listed.stderr.fnmatch_lines([line])
    assert asked.returncode in (2, 4), asked.stdout
    assert "Traceback" not in asked.stderr + asked.stdout
    assert line.strip("*").rpartition("*")[2] in asked.stderr


@pytest.mark.parametrize("name", ["pytest_benchbd_datasets", "pytest_bench_datasets"])
@pytest.mark.parametrize(
    "mark", ["", "@pytest.hookimpl(optionalhook=True)\n"], ids=["", "optional"]
)
def test_a_misspelt_prefix_is_told_before_anything_is_collected(
    bench: Bench, name: str, mark: str
) -> None:
    bench.extend(f"\n\n{mark}def {name}(registry):\n    pass\n")

    result = bench.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"*conftest.py': there is no hook '{name}'. Did you mean 'pytest_benchbed_datasets'?"]
    )
    assert bench.calls() == []


def test_a_hook_of_another_version_may_be_optional(bench: Bench) -> None:
    _plugin(
        bench,
        "import pytest\n\n\n@pytest.hookimpl(optionalhook=True)\n"
        "def pytest_benchbed_stores(registry):\n    raise AssertionError\n",
    )

    result = bench.run("-p", "acme_plugin")

    result.assert_outcomes(passed=4)


def test_a_plugin_registered_before_ours_is_checked_too(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    class Early:
        def pytest_benchbed_adapters(self, registri: object) -> None: ...

    result = bench.pytester.inline_run(*WITHOUT, "--bench-list", plugins=[Early()])

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    printed = capsys.readouterr().err
    assert "Early': the hook pytest_benchbed_adapters has no argument 'registri'." in printed


def test_arguments_may_be_left_out_or_have_a_default(bench: Bench) -> None:
    _plugin(
        bench,
        "def pytest_benchbed_run_finished(run, more=None):\n    print('seen', run.id)\n\n\n"
        "def pytest_benchbed_case_scored():\n    pass\n",
    )

    result = bench.run("-p", "acme_plugin", "-s", "--bench-run=own")

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["*seen own*"])
