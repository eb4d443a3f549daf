"""Which gate rules there are, which of them this version decides, and what ``auto`` takes."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.model.run import GateSummary

RULES = ("strict", "confirm", "allowance", "band", "auto")
BUILT = ("strict", "confirm", "allowance")


@dataclass(frozen=True, slots=True)
class ChosenRule:
    """The rule that decides."""

    name: str
    source: str
    """Where it was asked for; ``auto`` when that rule chose."""


def choose_rule(asked: str, source: str = "command line") -> ChosenRule:
    """Return the rule for what was asked; what ``auto`` takes the runs themselves say.

    Raises:
        UsageProblem: a rule that does not exist, with the nearest name; or one
            that is not built yet, by its name.
    """
    if asked == "auto":
        return ChosenRule("auto", "auto")
    if asked in BUILT:
        return ChosenRule(asked, source)
    if asked in RULES:
        raise UsageProblem(
            f"rule {asked!r} ({source}) is not built in this version.\n"
            f"Take {', '.join(BUILT[:-1])} or {BUILT[-1]}, or leave the rule out: auto chooses."
        )
    raise UsageProblem(unknown_name("rule", asked, RULES, "") + f" ({source})")


def rule_again(typed: str | None, recorded: GateSummary | None) -> tuple[str, str]:
    """Return rule and source for a saved run: as typed, else as somebody chose when it was made.

    What ``auto`` chose it chooses again: the runs compared with may be others now.
    """
    if typed is not None:
        return typed, "--rule"
    if recorded is None or recorded.rule_source in (None, "auto"):
        return "auto", "auto"
    return recorded.rule, recorded.rule_source


def automatic_rule(is_deterministic: bool, unstable: int) -> ChosenRule:
    """Return what ``auto`` takes: strict of a system that is deterministic, and shows it.

    A system that declares itself deterministic, although runs of its old code
    differ (``unstable`` cases), is asked again like any other.
    """
    return ChosenRule("strict" if is_deterministic and not unstable else "confirm", "auto")


def check_justification(text: str | None, rule: str) -> None:
    """Refuse a reason given for a fall: only rule ``band`` can be justified.

    Raises:
        UsageProblem: any text, an empty one included, with another rule.
    """
    if text is not None and rule != "band":
        raise UsageProblem(
            f"--bench-justify excuses a fall under rule 'band'; rule {rule!r} excuses none.\n"
            "Leave it out, or repair the regression."
        )
