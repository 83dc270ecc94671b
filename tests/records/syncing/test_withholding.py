"""A type that came before is refused now: what pages say about it, and for how long that is doubted."""

from datetime import timedelta

import pytest
from django.urls import reverse

from apps.connections.models import Connection
from apps.records import ledger
from apps.records.models import Record, SyncStep
from apps.records.syncing import watermarks
from tests.records.linked import AT, give_tokens, make_connection, sign_in_again
from tests.records.people import PATIENT_ID, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT, statement
from tests.records.runs import step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
GOALS = f"GET /fhir/r4/Goal?patient={PATIENT_ID}"
OPEN = http(body=bundle(allergy("a1"), total=1))


@pytest.fixture(autouse=True)
def two_types(provider):
    provider.answers |= {METADATA: http(body=statement("Patient", "AllergyIntolerance", "Goal")), ALLERGIES: OPEN}
    provider.answers[GOALS] = http(body=bundle())


def check(linked, provider, *answers, since=AT):
    """A check a day, of which each meets such an answer; what was missing in each."""
    told = []
    for days, answer in enumerate(answers):
        provider.answers[ALLERGIES] = answer
        give_tokens(linked, issued_at=since + days * DAY)
        told.append(step(sync(linked, at=since + days * DAY)).gap)
    return told


class TestATypeThatCameBefore:
    @pytest.mark.conformance("C46")
    def test_is_not_called_unshared_before_it_is_refused_still_after_two_days(self, linked, provider):
        refused = http(403)
        gaps = check(linked, provider, OPEN, refused, refused, refused, refused)
        assert gaps == ["", "unavailable", "unavailable", "not_shared", "not_shared"]
        assert stored() == {"a1"}

    def test_is_doubted_from_the_first_refusal_and_no_fault_before_it(self, linked, provider):
        """After days on which its server was broken, a gateway may still be wrong about who asks."""
        broken, refused = http(body="<h1>Under repair</h1>"), http(403)
        gaps = check(linked, provider, OPEN, broken, broken, broken, refused, broken, refused, refused)
        assert gaps[1:] == [*["unreadable"] * 3, "unavailable", "unreadable", "not_shared", "not_shared"]

    def test_stays_unshared_when_the_first_refusals_are_forgotten(self, linked, provider):
        refused = http(403)
        check(linked, provider, OPEN, refused, refused, refused)
        SyncStep.objects.filter(is_refusal_doubted=True).delete()
        SyncStep.objects.filter(gap="not_shared").update(finished_at=AT + 3 * DAY)
        assert check(linked, provider, refused, since=AT + 6 * DAY) == ["not_shared"]

    def test_is_doubted_anew_where_it_came_again_in_between(self, linked, provider):
        refused = http(403)
        assert check(linked, provider, OPEN, refused, refused, OPEN, refused)[-1] == "unavailable"

    def test_is_told_as_what_we_could_not_get_and_look_for_again(self, linked, provider):
        check(linked, provider, OPEN, http(403))
        linked.refresh_from_db()
        lines = ledger.lines(linked, linked.sync_runs.latest("created_at"), provider="Harbor", tries_again=True)
        told = next(one for one in lines if str(one.subject).startswith("Allergies"))
        assert told.sentence.startswith("We could not get this on November 21, 2026. We try again about once a day.")
        assert linked.last_checked_at == pytest.approx(AT, abs=timedelta(minutes=1))

    def test_is_not_shared_at_once_where_its_patient_signed_in_since(self, linked, provider):
        check(linked, provider, OPEN)
        sign_in_again(linked, at=AT + DAY / 2)
        assert check(linked, provider, http(403), since=AT + DAY) == ["not_shared"]

    def test_is_in_doubt_where_it_came_again_after_the_sign_in(self, linked, provider):
        sign_in_again(linked, at=AT - DAY)
        assert check(linked, provider, OPEN, http(403)) == ["", "unavailable"]

    @pytest.mark.parametrize(("name", "asked"), [("AllergyIntolerance", ALLERGIES), ("Patient", PATIENT)])
    def test_is_not_shared_at_once_where_its_provider_says_that_the_scope_lacks(self, linked, provider, name, asked):
        check(linked, provider, OPEN)
        provider.answers[asked] = http(403, WWW_Authenticate='Bearer error="insufficient_scope", scope="a"')
        give_tokens(linked, issued_at=AT + DAY)
        assert step(sync(linked, at=AT + DAY), name).gap == "not_shared"

    def test_is_doubted_for_its_own_copy_alone(self, linked, sam, provider):
        check(linked, provider, OPEN)
        theirs = make_connection(sam, linked.endpoint)
        assert check(theirs, provider, http(403)) == ["not_shared"]
        sign_in_again(theirs, at=AT + DAY / 2)
        assert check(linked, provider, http(403), since=AT + DAY) == ["unavailable"]

    def test_may_be_the_patient(self, linked, provider):
        check(linked, provider, OPEN)
        provider.answers[PATIENT] = http(403)
        check(linked, provider, OPEN, since=AT + DAY)
        assert step(linked.sync_runs.latest("created_at"), "Patient").gap == "unavailable"

    def test_of_which_a_part_is_refused_is_doubted_as_well(self, linked, provider):
        provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Condition"))
        provider.answers[f"GET /fhir/r4/Condition?patient={PATIENT_ID}"] = http(400)
        narrow = {
            name: f"GET /fhir/r4/Condition?patient={PATIENT_ID}&category={name}"
            for name in ("problem-list-item", "encounter-diagnosis", "health-concern")
        }
        row = {"resourceType": "Condition", "id": "c1"}
        provider.answers |= dict.fromkeys(narrow.values(), http(body=bundle(row)))
        check(linked, provider, OPEN)
        provider.answers[narrow["health-concern"]] = http(403)
        check(linked, provider, OPEN, since=AT + DAY)
        assert step(linked.sync_runs.latest("created_at"), "Condition").gap == "unavailable"
        check(linked, provider, OPEN, since=AT + 3 * DAY)
        assert step(linked.sync_runs.latest("created_at"), "Condition").gap == "not_shared"


class TestATypeThatTheGrantHasNoMore:
    def test_is_not_shared_without_asking(self, linked, provider):
        """Its scope went with a refresh, and no sign-in."""
        wide = "patient/Patient.read patient/Goal.read patient/AllergyIntolerance.read"
        Connection.objects.update(requested_scope=wide, granted_scope=wide)
        linked.refresh_from_db()
        assert check(linked, provider, OPEN) == [""]
        Connection.objects.update(granted_scope="patient/Patient.read patient/Goal.read")
        linked.refresh_from_db()
        provider.server.requests.clear()
        assert check(linked, provider, OPEN, since=AT + DAY) == ["not_shared"]
        assert not provider.sent(ALLERGIES)


class TestNames:
    def test_of_doctors_that_are_refused_now_are_not_shared_at_once(self, linked, provider):
        """They only accompany the record: without them it is checked all the same."""
        provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Practitioner"))
        doctors = [f"GET /fhir/r4/Practitioner/d{number}" for number in range(6)]
        rows = [allergy(f"a{number}", recorder={"reference": f"Practitioner/d{number}"}) for number in range(6)]
        for number, asked in enumerate(doctors):
            provider.answers[asked] = http(body={"resourceType": "Practitioner", "id": f"d{number}"})
        all_rows = http(body=bundle(*rows))
        check(linked, provider, all_rows)
        assert stored("Practitioner") == {f"d{number}" for number in range(6)}
        provider.answers |= dict.fromkeys(doctors, http(403))
        check(linked, provider, all_rows, since=AT + watermarks.FULL_PROOF_EVERY)
        run = linked.sync_runs.latest("created_at")
        assert (step(run, "Practitioner").gap, step(run).gap) == ("not_shared", "")
        linked.refresh_from_db()
        assert linked.last_checked_at == run.finished_at


class TestATypeThatNeverCame:
    def test_is_not_shared_at_once(self, linked, provider):
        assert check(linked, provider, http(403), http(403)) == ["not_shared", "not_shared"]

    def test_is_told_to_no_stranger(self, client, sam, linked, provider):
        check(linked, provider, http(403))
        client.force_login(sam)
        assert client.get(reverse("record", args=[linked.pk])).status_code == 404
        assert not Record.objects.filter(resource_type="AllergyIntolerance").exists()
