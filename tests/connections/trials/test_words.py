"""Every result that a trial can store has words, and every failure says who must act."""

import pytest
from django.utils import timezone

from apps.connections.trials import error_codes, words
from apps.connections.trials.failures import FAILURES
from apps.connections.trials.findings import FINDINGS
from apps.connections.trials.results import OF_THE_LINK, PUBLISHED, Note, Notes, Result, Step, Verdict, read, stored
from apps.directory.linkability import Obstacle
from apps.directory.models import EndpointCheck
from apps.wire import errors
from apps.wire.errors import Code, IdentityFault, IdentityRefused, WireError

AT = timezone.now()
# Answers that each step can give without failing.
QUIET = [
    *[(Step.DISCOVERY, code) for code in (Note.IN_ORDER, Note.CONFIGURED, Note.NOT_ASKED)],
    *[(Step.METADATA, code) for code in (Note.IN_ORDER, Note.NOT_ASKED)],
    *[(Step.ADDRESSES, code) for code in (Note.IN_ORDER, Note.NO_CERTIFICATE)],
    *[(step, Note.IN_ORDER) for step in Step],
    *[(Step.IDENTITY, code) for code in (Note.NONE_ASKED, Note.NONE_CAME)],
    *[(Step.SCOPES, code) for code in (Note.NONE_ASKED, Note.NOT_SAID, Note.LEFT_OUT)],
    *[(Step.REFRESH, code) for code in (Note.NONE_ASKED, Note.NONE_CAME, Note.TOO_SOON)],
    (Step.DATA, Note.NOTHING_GRANTED),
    *[(Step.REVOCATION, code) for code in (Note.NOT_OFFERED, Note.TOLD_LATER)],
]
KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, WireError)]


class TestWords:
    @pytest.mark.parametrize(("step", "code"), QUIET)
    def test_are_there_for_what_works(self, step: Step, code: str) -> None:
        told = words.tell(step, Result(Verdict.PASSED, code, AT, count=2, names=("Patient", "Condition")))
        assert told.sentence
        assert "{" not in told.sentence
        assert "%(" not in told.sentence

    def test_are_there_for_every_error_of_the_wire(self) -> None:
        assert set(Code) - {Code.UNRECOGNIZED} <= set(FAILURES)

    @pytest.mark.parametrize("kind", KINDS)
    def test_are_there_for_errors_without_a_name(self, kind: type[WireError]) -> None:
        code = error_codes.code(kind())
        assert code in FAILURES or code in set(IdentityFault)

    @pytest.mark.parametrize("fault", IdentityFault)
    def test_are_there_for_every_proof_that_does_not_hold(self, fault: IdentityFault) -> None:
        told = words.tell(Step.IDENTITY, Result(Verdict.FAILED, error_codes.code(IdentityRefused(fault=fault)), AT))
        assert "proof" in told.sentence
        assert told.turn == "Your turn"

    @pytest.mark.parametrize("finding", EndpointCheck.Finding)
    def test_are_there_for_every_finding_of_a_check(self, finding: EndpointCheck.Finding) -> None:
        assert finding in FINDINGS
        told = words.tell(PUBLISHED[0], Result(Verdict.FAILED, finding, AT, names=(finding,)))
        assert told.sentence == str(finding.label)
        assert told.turn
        assert told.advice

    @pytest.mark.parametrize("obstacle", Obstacle)
    def test_are_there_for_every_obstacle(self, obstacle: Obstacle) -> None:
        told = words.tell(Step.EXCHANGE, Result(Verdict.FAILED, obstacle, AT))
        assert told.sentence == str(obstacle.label)
        assert told.turn

    @pytest.mark.parametrize("step", OF_THE_LINK)
    def test_say_whose_turn_it_is_and_what_to_do(self, step: Step) -> None:
        for code in (*FAILURES, "a-word-nobody-knows"):
            told = words.tell(step, Result(Verdict.FAILED, code, AT))
            assert told.sentence, code
            assert told.turn, code
            assert told.advice, code

    def test_know_a_code_by_one_meaning_at_each_step(self) -> None:
        assert set(FAILURES) & set(Obstacle) == set()


class TestResults:
    def test_come_back_from_their_column_as_they_were(self) -> None:
        notes = Notes(at=AT)
        notes.passed(Step.PERSON, count=3)
        notes.noticed(Step.SCOPES, Note.LEFT_OUT, names=["Condition"], count=1)
        notes.failed(Step.EXCHANGE, "invalid_client")
        notes.skipped(Step.REFRESH, Note.TOO_SOON, count=60)
        found = read(stored(notes.results))
        assert found == notes.results
        assert list(found) == [step for step in Step if step in notes.results]
