"""What to type next: a command for every status, and one that works when pasted."""

from __future__ import annotations

import shlex

import pytest

from pytest_benchbed.edge import options
from pytest_benchbed.report.next_steps import control_command
from pytest_benchbed.report.next_steps import next_steps
from tests.unit.report.builders import Made
from tests.unit.report.builders import error
from tests.unit.report.builders import load
from tests.unit.report.builders import record
from tests.unit.report.builders import write_run

X = error("x", n=1)
FLAKY = record("x").to_json()["adapter"] | {"deterministic": False}


def commands(view) -> list[str]:
    return [step.command for step in next_steps(view) if step.command]


@pytest.mark.parametrize(
    ("cases", "options_", "first"),
    [
        ([Made("b", now=[X]), Made("a")], {},
         "pytest --bench=table-separators --bench-select=case=b --bench-adapter=acme.tables:Grid"),
        ([Made("t", now=[X], before=[X])], {"targets": ["t"]},
         "pytest --bench=table-separators --bench-select=case=t --bench-adapter=acme.tables:Grid"),
        ([Made("a")], {}, "pytest --bench=table-separators --bench-adapter=acme.tables:Grid"),
        ([Made("a")], {"paired": False}, "benchbed promote runs/after"),
        ([Made("a")], {"paired": False, "partial": ["-k x"]}, "pytest --bench=table-separators "
         "--bench-unpaired --bench-adapter=acme.tables:Grid"),
        ([Made("a")], {"holes": {"h": "crash"}, "status": "interrupted"},
         "pytest --bench=table-separators --bench-resume=after --bench-adapter=acme.tables:Grid"),
        ([Made("a", now=[X])], {"holes": {"h": "x"}, "status": "interrupted"},
         "pytest --bench=table-separators --bench-select=case=a --bench-adapter=acme.tables:Grid"),
        ([Made("t", state="technical")], {},
         "pytest --bench=table-separators --bench-select=case=t --bench-adapter=acme.tables:Grid"),
        ([Made("a", state="skipped")], {},
         "pytest --bench=table-separators --bench-adapter=acme.tables:Grid"),
        ([], {}, "pytest --bench=table-separators --bench-adapter=acme.tables:Grid"),
    ],
    ids=["failed", "target", "passed", "first run", "partial first run", "interrupted",
         "interrupted and worse", "blocked", "not supported", "no case"],
)  # fmt: skip
def test_the_first_command_is_the_most_useful_one(tmp_path, cases, options_, first) -> None:
    view = load(write_run(tmp_path / "runs", cases, **options_))

    assert commands(view)[0] == first


@pytest.mark.parametrize("is_broken", [True, False])
def test_a_case_that_wobbled_is_looked_at_only_where_nothing_else_failed(
    tmp_path, is_broken: bool
) -> None:
    def asked(*attempts: object) -> dict[str, object]:
        return {"reasks": [
            {"attempt": number, "errors": {"logical": one, "geometric": []}, "outcome": "scored"}
            for number, one in enumerate(attempts, start=2)
        ]}  # fmt: skip

    # Both wobbled: two are more than the one that is allowed.
    other = asked([X]) if is_broken else asked([])
    cases = [
        Made("a", now=[X], repeats=[[]], extra=asked([])),
        Made("b", now=[X], repeats=[[]], extra=other),
    ]
    view = load(write_run(tmp_path / "runs", cases, rule="confirm"))

    assert view.status == "failed"
    assert f"case={'b' if is_broken else 'a'} " in commands(view)[0]


def test_technical_cases_are_tried_alone_and_then_asked_again(tmp_path) -> None:
    view = load(write_run(tmp_path / "runs", [Made("t", state="technical"), Made("a")]))

    assert "--bench-resume=after" in commands(view)[1]


def test_a_used_up_budget_is_raised_when_resuming(tmp_path) -> None:
    run = write_run(
        tmp_path / "runs",
        [Made("t", state="technical")],
        argv=["--bench-budget=1"],
        technical=[{"case": "t", "whose": "system", "kind": "budget_exhausted", "detail": ""}],
    )

    (step,) = next_steps(load(run))

    assert "--bench-budget" in step.text
    assert step.command == "pytest --bench=table-separators --bench-resume=after"


@pytest.mark.parametrize("kind", ["tampered_dataset", "left_running"])
def test_what_resuming_cannot_mend_asks_for_a_new_run(tmp_path, kind) -> None:
    failure = {"case": None, "whose": "adapter", "kind": kind, "detail": ""}
    lost = {"case": "t", "whose": "adapter", "kind": "crash", "detail": ""}
    run = write_run(tmp_path / "runs", [Made("t", state="technical")], technical=[lost, failure])

    (step,) = next_steps(load(run))

    assert kind in step.text
    assert "new run" in step.text
    assert "--bench-resume" not in step.command


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"status": "void"}, "has seen answers"),
        ({"spend": {"unpriced_attempts": 2}}, "Report cost_usd"),
        ({"spend": {"budget_usd": 1.0}}, "paid = False"),
        ({"spend": {"budget_usd": 1.0, "spent_usd": 2.0}}, "what the reason names"),
    ],
)
def test_a_run_blocked_without_a_failed_case_says_what_to_repair(tmp_path, changes, part) -> None:
    view = load(write_run(tmp_path / "runs", [Made("a")], **changes))

    assert view.status == "blocked"
    assert part in " ".join(step.text for step in next_steps(view))


def test_a_type_that_cannot_fail_is_to_be_repaired(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a", extra={"quality": 0.5})])

    view = load(run)

    assert view.status == "unavailable"
    assert "repair the type" in next_steps(view)[0].text


def test_an_incomplete_comparison_says_what_is_missing(tmp_path) -> None:
    lost = [Made("a", state="skipped"), Made("b")]
    run = write_run(tmp_path / "runs", lost)
    metrics = (run / "metrics.json").read_text()
    for name, part in (
        ("support_lost", "Make it support them again"),
        ("not_in_baseline", "covers other cases"),
        ("removed", "covers other cases"),
    ):
        (run / "metrics.json").write_text(metrics.replace(f'"{name}": []', f'"{name}": ["a"]'))
        saved = (run / "run.json").read_text()
        (run / "run.json").write_text(saved.replace('"status": "passed"', '"status": "incomplete"'))

        assert part in " ".join(step.text for step in next_steps(load(run)))


def test_changed_inputs_ask_for_a_new_baseline(tmp_path) -> None:
    run = write_run(
        tmp_path / "runs", [Made("a", extra={"keys": {"logical": "0" * 64, "geometric": "0" * 64},
                                             "key_parts": {"inputs": "9" * 64, "files": "2" * 64,
                                                           "answer": "3" * 64}})]
    )  # fmt: skip
    view = load(run)

    assert view.status == "incomplete"
    assert "differ in their inputs, files or answers" in next_steps(view)[0].text


def test_a_better_run_can_become_the_baseline(tmp_path) -> None:
    view = load(write_run(tmp_path / "runs", [Made("a", before=[X])]))

    assert commands(view)[1] == "benchbed promote runs/after"


def test_a_first_run_of_a_flaky_system_gets_a_control_and_the_command_with_both(tmp_path) -> None:
    view = load(write_run(tmp_path / "runs", [Made("a")], paired=False, adapter=FLAKY))

    alone, once, control, both = commands(view)

    assert alone == "benchbed promote runs/after"
    assert "--baseline=runs/after" in shlex.split(once)
    assert {"--bench-unpaired", "--bench-run=after-control-1"} <= set(shlex.split(control))
    assert both == f"{alone} --control=runs/after-control-1"


def test_a_run_of_a_typed_runs_directory_is_named_because_promotion_would_not_find_it(
    tmp_path,
) -> None:
    argv = ["pytest", "--bench=x", "--bench-runs-dir=elsewhere"]
    run = write_run(tmp_path / "runs", [Made("a")], paired=False, adapter=FLAKY, argv=argv)

    once, _, both = commands(load(run))

    assert "--baseline=runs/after" in shlex.split(once)
    assert {"--baseline=runs/after", "--bench-control=runs/after-control-1"} <= set(
        shlex.split(both)
    )


def test_a_control_repeats_the_baseline_and_not_the_candidate(tmp_path) -> None:
    """Another variant would be another system, and refused as a control."""
    run = write_run(tmp_path / "runs", [Made("a")], argv=["--bench-model=new", "--baseline=base"])
    baseline = record("base", argv=["--bench-model=old"])

    command = control_command(load(run, baseline=baseline))

    assert "--bench-model=old" in command
    assert "--bench-run=base-control-1" in command


def test_without_the_baselines_record_its_command_is_not_guessed(tmp_path) -> None:
    other = FLAKY | {"identity": "9" * 64}
    view = load(write_run(tmp_path / "runs", [Made("a")], adapter=other))

    assert control_command(view) == ""
    assert "Repeat the run base with the code it was made with" in next_steps(view)[-1].text


def test_the_same_system_as_the_baseline_can_be_repeated_from_here(tmp_path) -> None:
    view = load(write_run(tmp_path / "runs", [Made("a")], adapter=FLAKY))

    assert "--bench-unpaired" in control_command(view)


def test_a_run_of_a_set_gets_no_id_for_its_control(tmp_path) -> None:
    run = write_run(tmp_path / "runs", [Made("a")], run_id="set/table-separators", paired=False,
                    adapter=FLAKY)  # fmt: skip

    assert (
        commands(load(run)) == ["benchbed promote table-separators"]
        or "set/table-separators" in commands(load(run))[0]
    )
    assert "--bench-run" not in " ".join(commands(load(run)))


def test_every_option_of_every_command_exists(tmp_path) -> None:
    known = {name for names, _ in (*options.EVERYDAY, *options.FURTHER) for name in names}
    runs = [
        ([Made("a", now=[X])], {"adapter": FLAKY}),
        ([Made("a")], {"paired": False, "adapter": FLAKY}),
        ([Made("t", state="technical")], {}),
        ([Made("a")], {"holes": {"h": "x"}, "status": "interrupted"}),
        ([Made("a", before=[X])], {"adapter": FLAKY}),
    ]
    for number, (cases, changes) in enumerate(runs):
        view = load(write_run(tmp_path / str(number), cases, **changes))
        for command in commands(view):
            words = shlex.split(command)
            if words[0] == "benchbed":
                assert words[1] == "promote"
                assert {word.partition("=")[0] for word in words[3:]} <= {"--control"}
                continue
            assert words[0] == "pytest"
            assert {word.partition("=")[0] for word in words[1:]} <= known
