"""What a list says if a provider's part of it is missing."""

import html
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from apps.connections.models import Connection
from apps.directory.models import Endpoint, Provider
from apps.records import ledger
from apps.records.models import SyncRun, SyncStep
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.pages import ask, main
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

PROVIDER = "Harbor Family Practice"
NONE_SENT = f"{PROVIDER} sent no entries. This does not mean there are none."


@pytest.fixture
def connection(alice):
    made = make_connection(alice)
    keep(made)
    return made


def ran(connection, *, at=AT, **gaps):
    """A finished run: each type with its gap, or whole where that is empty."""
    run = SyncRun.objects.create(
        user=connection.user, connection=connection, cause="clock", outcome="partial", created_at=at, finished_at=at
    )
    for name, gap in gaps.items():
        SyncStep.objects.create(
            run=run, user=run.user, resource_type=name, status="gap" if gap else "complete", gap=gap, finished_at=AT
        )
    return run


def said(client, subject="team"):
    response = client.get(reverse("subject", args=[subject]))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


class TestAListWithoutEntries:
    def test_says_that_its_part_was_not_shared_though_another_came_whole(self, hers, connection):
        ran(connection, CareTeam="not_shared", CarePlan="")
        text = said(hers)
        assert f"Not shared. You or {PROVIDER} did not allow this kind of entry. Missing: care teams." in text
        assert NONE_SENT not in text

    def test_says_what_is_not_offered_beside_what_came_whole(self, hers, connection):
        ran(connection, CareTeam="not_offered", CarePlan="")
        assert f"{NONE_SENT} Missing: care teams." in said(hers)

    def test_says_that_it_does_not_come_where_it_is_never_asked_for(self, hers, alice):
        older = make_endpoint("https://fhir.example/dstu2", version="dstu2")
        keep(make_connection(alice, older, last_checked_at=AT))
        assert f"{PROVIDER} does not offer this to apps. Ask them directly." in said(hers, "insurance")
        assert f"Not fetched yet from {PROVIDER}." in said(hers, "vaccines")

    def test_says_that_nothing_was_sent_where_all_came_whole(self, hers, connection):
        ran(connection, CareTeam="", CarePlan="")
        text = said(hers)
        assert NONE_SENT in text
        assert "Missing" not in text

    def test_says_that_we_stopped_where_there_was_too_much(self, hers, connection):
        ran(connection, CareTeam="too_much", CarePlan="")
        assert f"{PROVIDER} sent more than we can handle. We stopped on " in said(hers)

    @pytest.mark.parametrize("latest_first", [True, False])
    def test_says_what_the_latest_run_of_each_type_found(self, hers, connection, latest_first):
        runs = [(AT, {"CareTeam": ""}), (AT - timedelta(days=1), {"CareTeam": "too_much", "CarePlan": "not_shared"})]
        for at, gaps in runs if latest_first else reversed(runs):
            ran(connection, at=at, **gaps)
        text = said(hers)
        assert "Missing: care plans." in text
        assert "more than we can handle" not in text

    def test_says_what_was_found_before_while_another_check_is_under_way(self, hers, connection):
        ran(connection, at=AT - timedelta(days=1), CareTeam="not_shared", CarePlan="not_shared")
        run = ran(connection, CareTeam="", CarePlan="")
        run.steps.update(status="waiting")
        SyncRun.objects.filter(pk=run.pk).update(finished_at=None, outcome="")
        text = said(hers)
        assert "Not shared." in text
        assert "Not here yet" not in text

    def test_says_what_was_found_since_a_clock_was_ahead(self, hers, connection):
        ran(connection, at=timezone.now() + timedelta(days=2), CareTeam="too_much", CarePlan="too_much")
        ran(connection, CareTeam="not_shared", CarePlan="not_shared")
        text = said(hers)
        assert "Not shared." in text
        assert "more than we can handle" not in text

    def test_says_first_what_may_still_come_and_last_what_never_does(self, hers, alice, connection):
        Provider.objects.update(name="Alpha")
        others = [make_connection(alice, make_endpoint(f"https://fhir.example/{name}")) for name in ("b", "c", "d")]
        gaps = ("not_offered", "", "not_shared", "unavailable")
        for one, gap, name in zip((connection, *others), gaps, ("Alpha", "Beta", "Gamma", "Delta"), strict=True):
            keep(one)
            Provider.objects.filter(pk=one.provider_id).update(name=name)
            ran(one, CareTeam=gap, CarePlan=gap)
        text = said(hers)
        places = [
            text.index(sentence)
            for sentence in (
                "Delta: We could not get this",
                "Not shared. You or Gamma",
                "Beta sent no entries",
                "Alpha does not offer this",
            )
        ]
        assert places == sorted(places)

    @pytest.mark.parametrize(("interface", "status", "leads"), [
        ("smart", "active", True), ("smart", "needs_reauthorization", True), ("smart", "disconnected", False),
        ("patient-access", "active", False),
    ])  # fmt: skip
    def test_leads_to_where_the_patient_can_share_it(self, hers, connection, interface, status, leads):
        Endpoint.objects.update(interface=interface)
        Connection.objects.update(status=status)
        ran(connection, CareTeam="not_shared", CarePlan="not_shared")
        text = said(hers)
        assert "Not shared." in text
        assert (reverse("change-sharing", args=[connection.pk]) in text) is leads

    @pytest.mark.parametrize(("status", "is_on", "said"), [
        ("active", True, True), ("active", False, False), ("needs_reauthorization", True, False),
    ])  # fmt: skip
    def test_says_that_we_try_again_where_we_do(self, hers, connection, status, is_on, said):
        Connection.objects.update(status=status)
        Endpoint.objects.update(is_switched_on=is_on)
        ran(connection, CareTeam="unavailable", CarePlan="unavailable")
        text = main(hers, "subject", "team")
        assert "We could not get this on" in text
        assert ("We try again about once a day." in text) is said

    def test_does_not_say_so_of_what_no_try_brings(self, hers, connection):
        ran(connection, CareTeam="not_shared", CarePlan="stopped_short")
        assert "We try again" not in said(hers)

    def test_leads_nowhere_for_what_sharing_does_not_bring(self, hers, connection):
        Endpoint.objects.update(interface="smart")
        ran(connection, CareTeam="not_offered", CarePlan="unavailable")
        assert reverse("change-sharing", args=[connection.pk]) not in said(hers)

    def test_of_another_person_is_not_there(self, client, sam, connection):
        ran(connection, CareTeam="not_shared", CarePlan="")
        client.force_login(sam)
        assert escape(PROVIDER) not in said(client)


class TestASearchThatFindsNothing:
    SAID = f"Not shared from {PROVIDER}, and so not searched:"

    def test_names_what_it_could_not_look_through(self, hers, connection):
        ran(connection, Immunization="not_shared", CareTeam="not_shared", CarePlan="", Goal="not_offered")
        assert f"{self.SAID} Vaccines, Care team." in ask(hers, "tetanus")

    def test_names_nothing_that_is_here(self, hers, connection):
        keep(connection, result(1))
        ran(connection, Observation="not_shared")
        assert f"{self.SAID} Vitals, Family and social history." in ask(hers, "tetanus")  # all that has none

    def test_names_nothing_where_something_was_found(self, hers, connection):
        keep(connection, result(1))
        ran(connection, Immunization="not_shared")
        assert self.SAID not in ask(hers, "sodium")
        assert self.SAID in ask(hers, "tetanus")


class TestAListWithEntries:
    @pytest.fixture(autouse=True)
    def one_result(self, connection):
        keep(connection, result(1))

    def test_says_that_some_of_its_kind_are_not_shared(self, hers, connection):
        run = ran(connection, Observation="not_shared", DiagnosticReport="")
        run.steps.filter(resource_type="Observation").update(rows_kept=1)
        text = said(hers, "results")
        assert f"Some results and measurements are not shared. You or {PROVIDER} did not allow them." in text
        assert "Missing" not in text

    def test_says_so_where_another_kind_is_not_shared_at_all(self, hers, connection):
        run = ran(connection, DiagnosticReport="not_shared", Observation="not_shared")
        run.steps.filter(resource_type="Observation").update(rows_kept=1)
        text = said(hers, "results")
        assert f"Some results and measurements are not shared. You or {PROVIDER} did not allow them." in text

    def test_does_not_say_that_another_kind_is_not_shared(self, hers, connection):
        ran(connection, Observation="", DiagnosticReport="not_shared")
        assert "shared" not in said(hers, "results")


class TestTheReasons:
    @pytest.mark.parametrize("gap", SyncStep.Gap)
    def test_are_the_same_in_a_list_as_in_the_ledger(self, hers, connection, gap):
        run = ran(connection, CareTeam=gap.value, CarePlan=gap.value)
        lines = {str(line.subject): line for line in ledger.lines(connection, run, provider=PROVIDER)}
        line = lines["Care team"]
        text = html.unescape(said(hers))
        assert line.sentence in text
        assert PROVIDER in text[: text.index(line.sentence) + len(line.sentence)].rpartition("<p>")[2]
