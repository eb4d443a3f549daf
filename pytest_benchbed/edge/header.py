"""What the session header says before anything runs."""

from __future__ import annotations

from pytest_benchbed.edge.activation import is_dry
from pytest_benchbed.edge.commands import full_command
from pytest_benchbed.edge.refused import is_worker
from pytest_benchbed.edge.session import BenchSession
from pytest_benchbed.model.escape import term


def header_lines(session: BenchSession) -> list[str]:
    """Return a few lines per benchmark; a dry session also prints what it stands for."""
    config = session.config
    if is_worker(config):
        return []
    lines = []
    for plan in session.plans:
        dataset = plan.dataset
        lines.append(
            f"benchbed: {plan.name} · dataset {dataset.id} {term(dataset.version, 40)} "
            f"({dataset.identity[:12]}) · {len(dataset)} cases · adapter {term(plan.spec.name, 60)}"
        )
        against = "no baseline"
        if plan.baseline is not None:
            controls = f", {len(plan.controls)} controls" if plan.controls else ""
            against = f"baseline {plan.baseline.id}{controls}"
        elif plan.unpaired:
            against = "unpaired"
        else:
            against += " (first run: --bench-unpaired, then benchbed promote RUN)"
        lines.append(
            f"benchbed: {against} · gate {term(plan.profile)} · isolation {plan.isolation}"
        )
        lines += [f"benchbed: {term(notice, 300)}" for notice in plan.notices]
        if is_dry(config):
            lines.append(f"benchbed: stands for: {full_command(config, plan)}")
    if is_dry(config):
        lines.append("benchbed: nothing is started, written or spent")
    return lines
