"""A provider that answers nobody's requests for records is reported to staff and patients, until somebody gets an
answer."""

from datetime import timedelta

import pytest

from apps.connections.link_health import overview, words
from apps.connections.link_health.findings import Level, What, Who
from apps.connections.models import EndpointSilence
from apps.connections.presenting import standing
from apps.directory.models import Endpoint
from apps.records import syncing
from apps.records.models import SyncRun
from apps.wire import fhir
from apps.wire.errors import AddressFault, Code, EndpointMisconfigured, UnsafeAddress
from tests.records.linked import AT, give_tokens, make_connection
from tests.records.provider import ALLERGIES, METADATA, PATIENT, TOKEN
from tests.records.runs import resume, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def findings(at):
    """Level, whose turn, how many links and since when, of silence alone."""
    found = [one for one in overview.examine(at=at).findings if one.what is What.SILENT]
    return [(one.level, one.who, one.links, one.since_at) for one in found]


def word(connection, at):
    return standing.of_connection(connection, at=at).word


@pytest.fixture
def silent(linked, provider):
    """A run that met nothing but silence, twice."""
    provider.answers[METADATA] = http(503)
    run = sync(linked)
    resume(run, at=AT + MINUTE)
    return run


@pytest.fixture
def neighbor(sam, linked):
    """Somebody else's link to the same endpoint."""
    connection = make_connection(sam, linked.endpoint)
    give_tokens(connection)
    return connection


class TestAProviderWhoseRecordsAnswerNobody:
    def test_is_named_to_staff_who_need_not_act(self, silent, linked):
        (shown,) = findings(AT + 16 * MINUTE)
        assert shown[:3] == (Level.ATTENTION, Who.PROVIDER, 1)
        assert AT <= shown[3] < AT + MINUTE
        (finding,) = (one for one in overview.examine(at=AT + 16 * MINUTE).findings if one.what is What.SILENT)
        assert (finding.about, finding.about_id) == (linked.endpoint.fhir_base_url, linked.endpoint_id)
        assert "if this goes on, ask the provider" in words.sentence(finding)

    def test_is_named_to_each_of_its_patients(self, silent, linked, neighbor):
        for connection in (linked, neighbor):
            found = standing.of_connection(connection, at=AT + 16 * MINUTE)
            assert found.word == "Connected, but not answering"
            sentence = found.sentence.replace("\xa0", " ")
            assert "has not answered since November 20, 2026, 9:40 a.m. UTC. We try again" in sentence
            assert not found.needs_you

    def test_is_not_named_for_a_moment(self, silent, linked):
        assert (findings(AT + 14 * MINUTE), word(linked, AT + 14 * MINUTE)[:15]) == ([], "Connected until")

    def test_is_not_named_for_one_try_however_long_ago(self, linked, provider):
        provider.answers[METADATA] = http(503)
        sync(linked)
        assert (findings(AT + 60 * MINUTE), word(linked, AT + 60 * MINUTE)[:15]) == ([], "Connected until")

    def test_is_not_named_where_nobody_has_tried_for_a_day(self, silent, linked):
        later = AT + DAY + 2 * MINUTE + 60 * MINUTE
        assert (findings(later), word(linked, later)[:15]) == ([], "Connected until")

    def test_is_silent_anew_after_that(self, silent, neighbor):
        sync(neighbor, at=AT + 3 * DAY)
        silence = EndpointSilence.objects.get()
        assert (silence.turns, silence.began_at.date()) == (1, (AT + 3 * DAY).date())

    def test_is_not_named_where_staff_switched_it_off(self, silent):
        Endpoint.objects.update(is_switched_on=False)
        assert findings(AT + 16 * MINUTE) == []

    def test_is_one_of_whom_nothing_comes_at_all(self, linked, provider):
        provider.answers[METADATA] = b""
        resume(sync(linked), at=AT + MINUTE)
        assert len(findings(AT + 16 * MINUTE)) == 1

    def test_is_well_again_with_an_answer_to_anybody(self, silent, linked, neighbor, provider):
        provider.answers[METADATA] = http(404)
        sync(neighbor, at=AT + 20 * MINUTE)
        assert (findings(AT + 21 * MINUTE), word(linked, AT + 21 * MINUTE)[:15]) == ([], "Connected until")

    def test_is_well_again_with_a_refusal(self, silent, neighbor, provider):
        provider.answers = {METADATA: http(404), PATIENT: http(403), ALLERGIES: http(403), TOKEN: http(503)}
        sync(neighbor, at=AT + 20 * MINUTE)
        assert not EndpointSilence.objects.exists()


def refusing(monkeypatch, error):
    """Whatever is asked ends like this."""

    def refuse(*_given, **_options):
        raise error

    for asked in ("capability", "read", "search", "follow"):
        monkeypatch.setattr(fhir, asked, refuse)


@pytest.mark.parametrize(
    "error",
    [
        EndpointMisconfigured(code=Code.UNTRUSTED_CERTIFICATE),
        UnsafeAddress(fault=AddressFault.NOT_PUBLIC),
    ],
    ids=["untrusted", "unsafe"],
)
class TestAnAddressThatWeDoNotSpeakTo:
    """Nobody was heard there, and nobody was silent."""

    def test_ends_no_silence(self, silent, neighbor, monkeypatch, error):
        refusing(monkeypatch, error)
        sync(neighbor, at=AT + 20 * MINUTE)
        assert len(findings(AT + 21 * MINUTE)) == 1
        assert EndpointSilence.objects.get().turns == 2

    def test_is_no_silence(self, linked, monkeypatch, error):
        refusing(monkeypatch, error)
        sync(linked)
        assert not EndpointSilence.objects.exists()


class TestAProviderThatLeadsElsewhere:
    def test_is_there(self, silent, neighbor, monkeypatch):
        refusing(monkeypatch, EndpointMisconfigured(code=Code.REDIRECTED, status=302))
        sync(neighbor, at=AT + 20 * MINUTE)
        assert not EndpointSilence.objects.exists()


class TestAProviderThatAnswersSome:
    def test_is_not_silent_where_one_type_never_comes(self, linked, provider):
        """Later turns ask for nothing else."""
        provider.answers[ALLERGIES] = http(503)
        run = sync(linked)
        for number in range(3):
            resume(run, at=AT + (number + 1) * MINUTE)
        assert run.outcome == SyncRun.Outcome.PARTIAL
        assert not EndpointSilence.objects.exists()

    def test_is_not_silent_where_it_asks_us_to_slow_down(self, linked, provider):
        provider.answers = {METADATA: http(429), PATIENT: http(429), ALLERGIES: http(429)}
        resume(sync(linked), at=AT + MINUTE)
        assert not EndpointSilence.objects.exists()

    def test_is_not_silent_for_a_token_endpoint_that_is(self, linked, provider):
        """That is told of the link itself."""
        give_tokens(linked, issued_at=AT - DAY / 12)
        provider.answers[TOKEN] = http(503)
        resume(sync(linked), at=AT + 20 * MINUTE)
        assert provider.sent(TOKEN)
        assert not EndpointSilence.objects.exists()


class TestAChartThatNeverComes:
    """Of one patient, where others are linked: what is offered is said, and nobody else has asked."""

    @pytest.fixture(autouse=True)
    def chart(self, provider, neighbor):
        provider.answers = {**provider.answers, PATIENT: http(503), ALLERGIES: http(503)}

    def told(self, *connections, minutes=60):
        at = AT + minutes * MINUTE
        return len(findings(at)), {word(connection, at)[:15] for connection in connections}

    def test_is_told_to_nobody_else_and_not_to_staff_however_often_it_is_asked_for(self, linked, neighbor):
        run = sync(linked)
        for number in range(3):
            resume(run, at=AT + (number + 1) * MINUTE)
        assert self.told(linked, neighbor) == (0, {"Connected until"})

    def test_is_told_to_nobody_else_when_a_later_copy_asks_for_it(self, linked, neighbor):
        run = sync(linked)
        for number in range(12):
            resume(run, at=AT + (number + 1) * MINUTE)
        assert run.outcome
        sync(linked, at=AT + 50 * MINUTE)
        assert self.told(linked, neighbor) == (0, {"Connected until"})

    def test_is_silence_where_another_gets_no_answer_either(self, linked, neighbor):
        sync(linked)
        sync(neighbor, at=AT + MINUTE)
        assert self.told(linked, neighbor) == (1, {"Connected, but "})

    def test_is_silence_where_the_copy_of_another_had_waited_since_before(self, linked, neighbor):
        waiting = syncing.start(neighbor, cause=SyncRun.Cause.PATIENT, at=AT - MINUTE)
        sync(linked)
        resume(waiting, at=AT + MINUTE)
        assert self.told(linked, neighbor) == (1, {"Connected, but "})

    def test_is_silence_where_it_is_not_said_either_what_is_offered(self, linked, neighbor, provider):
        provider.answers[METADATA] = http(503)
        resume(sync(linked), at=AT + MINUTE)
        assert self.told(linked, neighbor) == (1, {"Connected, but "})

    def test_is_told_to_its_patient_where_no_other_is_linked(self, linked, neighbor):
        neighbor.delete()
        resume(sync(linked), at=AT + MINUTE)
        assert self.told(linked) == (1, {"Connected, but "})
