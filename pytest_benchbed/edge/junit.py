"""The facts of a verdict as properties of the test suite in ``--junitxml``.

CI servers show them beside the counts. pytest lets a fixture add such
properties, and that only inside a test; the writer of the file is found among
the plugins by the method which that fixture hands out.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_benchbed.compare.lines import flaky_cases
from pytest_benchbed.compare.lines import is_grouped
from pytest_benchbed.compare.lines import reask_calls
from pytest_benchbed.compare.phrases import percent
from pytest_benchbed.compare.sentence import rule_sentence
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import RunRecord

_METHOD = "add_global_property"


def add_properties(config: pytest.Config, record: RunRecord, gate: GateResult) -> None:
    """Add the facts of one benchmark's verdict, if the file is asked for."""
    if not config.getoption("xmlpath", None):
        return
    for plugin in config.pluginmanager.get_plugins():
        add = getattr(plugin, _METHOD, None)
        if callable(add):
            for name, value in properties(record, gate):
                add(f"benchbed.{record.benchmark.id}.{name}", value)


def properties(record: RunRecord, gate: GateResult) -> Iterator[tuple[str, str]]:
    """Yield name and value: the same facts that stand in the terminal, one by one."""
    yield "gate", gate.status
    yield "reason", gate.reason
    yield "rule", gate.rule
    if told := rule_sentence(gate, is_grouped=is_grouped(record)):
        yield "what_the_rule_did", told
    yield "run", record.id
    yield "compared", f"{gate.coverage.compared} of {gate.coverage.of}"
    yield "unstable", str(gate.D)
    if gate.baseline is None:
        return
    yield "baseline", gate.baseline
    yield "controls", str(gate.K)
    yield "suspects", str(len(gate.suspects))
    if gate.allowed is not None:
        yield "allowed", str(gate.allowed)
    yield "flaky_estimate", flaky_cases(gate) if gate.flaky_estimate else "unknown"
    alarm = gate.false_alarm
    yield "false_alarm", "unknown" if alarm.estimate is None else percent(alarm.estimate)
    if alarm.limit95 is not None:
        # Nothing was seen, which proves little.
        yield "false_alarm_limit_95", percent(alarm.limit95)
    if gate.rule == "confirm":
        yield "re_asks_per_suspect", str(gate.r)
        yield "re_ask_calls", str(reask_calls(gate, record))
        cost = record.spend.reask_usd
        yield "re_ask_usd", "not reported" if cost is None else f"{cost:f}"
    change = gate.smallest_change
    yield "smallest_change", "not visible" if change.single is None else str(change.single)
    spread = "unknown" if gate.K == 0 and gate.rule != "strict" else "not visible"
    spread = spread if change.spread is None else f"{change.spread} of {change.of}"
    yield "smallest_spread_change", spread
    test = gate.sign_test
    yield "worse_better_mixed", f"{test.worse}, {test.better}, {test.mixed}"
    yield "sign_test_p", f"{test.p:.2g}"
    if test.holm is not None:
        yield "sign_test_p_holm", f"{test.holm:.2g}"
