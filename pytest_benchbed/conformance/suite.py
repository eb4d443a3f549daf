"""The tests themselves: one method for each rule, one test for each type.

A method only names its rule and asks a function of this package; what is
asked, and the text of a failure, stand there. Source: ENV-104, ENV-105.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_benchbed.conformance import changed
from pytest_benchbed.conformance import isolation
from pytest_benchbed.conformance import outputs
from pytest_benchbed.conformance import page
from pytest_benchbed.conformance import scored
from pytest_benchbed.conformance import seeds
from pytest_benchbed.conformance import verdicts
from pytest_benchbed.conformance.subject import Subject
from pytest_benchbed.conformance.subject import subjects_of


class Conformance:
    """What every benchmark type must do; derive a class named ``Test…`` from it.

    ::

        from pytest_benchbed.conformance import Conformance

        class TestConformance(Conformance):
            benchmarks = ("letters",)
    """

    benchmarks: Sequence[str] = ()
    """Ids of the types to check; none: every registered one."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make one test of each rule for each type."""
        if "subject" in metafunc.fixturenames:
            subjects = subjects_of(metafunc.config, self.benchmarks)
            metafunc.parametrize("subject", subjects, ids=[one.id for one in subjects])

    def test_every_score_is_whole(self, subject: Subject) -> None:
        """Scorer, metrics, quality and summary hold for every prediction; no NaN, no set."""
        scored.every_score_is_whole(subject)

    def test_an_answer_as_its_own_prediction_has_no_error(self, subject: Subject) -> None:
        """Every case of the dataset can be won."""
        scored.answers_have_no_error(subject)

    def test_correct_json_has_no_error(self, subject: Subject) -> None:
        """``fixtures/<benchmark>/correct.json``, in every profile."""
        scored.correct_has_no_error(subject)

    def test_wrong_json_has_an_error(self, subject: Subject) -> None:
        """``fixtures/<benchmark>/wrong.json``, in the first profile."""
        scored.wrong_has_an_error(subject)

    def test_empty_output_passes_nothing(self, subject: Subject) -> None:
        """Nothing said is nothing right, wherever the answer says something."""
        scored.empty_passes_nothing(subject)

    def test_the_prediction_of_another_case_never_helps(self, subject: Subject) -> None:
        """And it is seen somewhere."""
        changed.another_never_helps(subject)

    def test_saying_it_twice_never_helps(self, subject: Subject) -> None:
        """Doubled elements give no fewer errors and no better quality."""
        changed.twice_never_helps(subject)

    def test_order_never_helps_where_it_does_not_count(self, subject: Subject) -> None:
        """A list that may stand in any order is scored alike in any order."""
        changed.order_never_helps(subject)

    def test_scoring_again_gives_the_same(self, subject: Subject) -> None:
        """Twice in one process."""
        scored.again_gives_the_same(subject)

    def test_scoring_under_another_hash_seed_gives_the_same(
        self, subject: Subject, tmp_path: Path
    ) -> None:
        """In two processes, byte for byte."""
        seeds.another_seed_gives_the_same(subject, tmp_path)

    def test_errors_survive_a_round_trip(self, subject: Subject) -> None:
        """To JSON and back: equal, of equal hash, with equal detail."""
        scored.errors_survive(subject)

    def test_pairing_and_gate_follow_the_table(self, subject: Subject) -> None:
        """Outcome of the case and verdict, for every kind of change."""
        verdicts.follow_the_table(subject)

    def test_no_answer_reaches_the_system(self, subject: Subject) -> None:
        """Neither the canary nor a path to the answers is in a request."""
        isolation.request_holds_no_answer(subject)

    def test_a_prediction_with_the_canary_voids_the_run(
        self, subject: Subject, tmp_path: Path
    ) -> None:
        """A system that has seen the answers gets no verdict."""
        isolation.canary_voids_the_run(subject, tmp_path)

    @pytest.mark.parametrize("fault", outputs.FAULTS)
    def test_broken_output_is_a_technical_failure(
        self, subject: Subject, fault: str, tmp_path: Path
    ) -> None:
        """Malformed, doubled, missing or extra predictions are no wrong answers."""
        outputs.is_technical(subject, fault, tmp_path)

    def test_the_report_shows_every_case(self, subject: Subject) -> None:
        """The page of a run with wrong predictions, by the type's viewer."""
        page.shows_every_case(subject)
