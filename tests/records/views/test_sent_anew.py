"""A provider that changes its FHIR version in place sends the record anew: that is not news."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.connections.models import Connection
from apps.directory.models import ClientRegistration, Endpoint
from apps.records.models import SyncRun
from apps.records.syncing import pruning
from tests.records.linked import give_tokens
from tests.records.pages import main
from tests.records.people import PATIENT_ID, allergy, bundle
from tests.records.provider import METADATA, statement
from tests.records.runs import resume, sync
from tests.records.views.arriving import looked
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

ORDERS = {"dstu2": "MedicationOrder", "r4": "MedicationRequest"}
SENT_AGAIN = "Harbor Family Practice changed its system and sent its entries again."
HOW_MANY = 41


@pytest.fixture
def harbor(linked, provider):
    """Its record is copied three days ago, in DSTU2, and looked at the day after; the directory says so."""
    ClientRegistration.objects.update(requests_per_minute=1000)
    Endpoint.objects.update(fhir_version="dstu2")
    linked.refresh_from_db()
    Connection.objects.update(confirmed_at=timezone.now() - timedelta(days=9))
    speak(provider, "dstu2")
    check(linked, days_ago=3)
    looked(linked.user, at=timezone.now() - timedelta(days=2))
    return provider


def speak(provider, version, *more, types=("AllergyIntolerance",)):
    """The same allergies under the ids of this version, and medicines as it has them."""
    states = statement("Patient", *types, ORDERS[version])
    old = {"resourceType": "Conformance", "fhirVersion": "1.0.2"} if version == "dstu2" else {}
    provider.answers[METADATA] = http(body={**states, **old})
    allergies = [allergy(f"{version}-{one}", code={"text": f"Pteridine {one}"}) for one in range(HOW_MANY)]
    answer(provider, "AllergyIntolerance", *allergies, *more)
    for known, name in ORDERS.items():
        order = {"resourceType": name, "id": f"m-{known}", "medicationCodeableConcept": {"text": "Pterin"}}
        answer(provider, name, *([order] if known == version else []), is_known=known == version)


def answer(provider, resource_type, *rows, is_known=True):
    key = f"GET /fhir/r4/{resource_type}?patient={PATIENT_ID}"
    provider.answers[key] = http(body=bundle(*rows, total=len(rows))) if is_known else http(404)


def check(linked, *, days_ago):
    """To its end."""
    at = timezone.now() - timedelta(days=days_ago)
    give_tokens(linked, issued_at=at)
    run = sync(linked, at=at, cause=SyncRun.Cause.SCHEDULE)
    for _pause in range(4):
        if run.finished_at is None:
            resume(run, at=at)
    assert run.finished_at is not None
    return run


NUTS = allergy("n1", code={"text": "Brazil nuts"})


class TestWhatAServerSendsAnew:
    def test_is_said_in_a_sentence_and_none_of_it_is_named_or_counted(self, hers, sam, linked, harbor):
        speak(harbor, "r4")
        check(linked, days_ago=1)
        for page in ("home", "what_is_new"):
            text = main(hers, page)
            assert SENT_AGAIN in text
            assert "Pterin" not in text.split("Everything in your record")[0]
            told = text.split("New since")[-1].split("Everything in your record")[0]
            assert not re.search(rf"(?<!:){HOW_MANY}\b", told)  # a minute is no number of entries
            assert "came or changed. Open" not in text
        assert "No entry came or changed since your last visit on" in main(hers, "what_is_new")
        hers.force_login(sam)
        assert SENT_AGAIN not in main(hers, "home")

    def test_is_once_in_its_list(self, hers, linked, harbor):
        speak(harbor, "r4")
        check(linked, days_ago=1)
        assert main(hers, "subject", "allergies").count('class="row-link"') == HOW_MANY
        assert main(hers, "subject", "medicines").count('class="row-link"') == 1

    def test_hides_nothing_that_came_after_it(self, hers, linked, harbor):
        speak(harbor, "r4")
        check(linked, days_ago=1)
        speak(harbor, "r4", NUTS)
        check(linked, days_ago=0)
        for page in ("home", "what_is_new"):
            text = main(hers, page)
            assert SENT_AGAIN in text
            assert "Brazil nuts" in text
            assert "Pteridine" not in text.split("Everything in your record")[0]

    def test_is_no_news_either_where_a_type_comes_late(self, hers, linked, harbor):
        speak(harbor, "r4")
        harbor.answers[f"GET /fhir/r4/AllergyIntolerance?patient={PATIENT_ID}"] = http(500)
        assert check(linked, days_ago=2).outcome == "partial"
        looked(linked.user, at=timezone.now() - timedelta(days=1, hours=12))
        speak(harbor, "r4")
        check(linked, days_ago=1)
        text = main(hers, "what_is_new")
        assert SENT_AGAIN in text
        assert "Pteridine" not in text

    def test_is_not_said_of_a_server_that_brings_more_in_the_version_it_had(self, hers, linked, harbor):
        speak(harbor, "dstu2", NUTS)
        check(linked, days_ago=1)
        text = main(hers, "home")
        assert SENT_AGAIN not in text
        assert "Brazil nuts" in text

    def test_is_not_what_one_brings_that_changed_a_while_ago(self, hers, linked, harbor):
        """A type that it never had before, more than a week after."""
        speak(harbor, "r4")
        check(linked, days_ago=1)
        SyncRun.objects.filter(stated_version="r4").update(created_at=timezone.now() - timedelta(days=9))
        SyncRun.objects.filter(stated_version="dstu2").update(created_at=timezone.now() - timedelta(days=10))
        speak(harbor, "r4", types=("AllergyIntolerance", "Condition"))
        answer(harbor, "Condition", {"resourceType": "Condition", "id": "c1", "code": {"text": "Gravelly cough"}})
        check(linked, days_ago=0)
        assert "Gravelly cough" in main(hers, "what_is_new")

    def test_is_not_what_is_left_of_it_when_its_runs_are_over_a_month_old(self, hers, linked, provider):
        """Its owner comes every other month: whatever came meanwhile is news, and its system changed long ago."""
        Endpoint.objects.update(fhir_version="dstu2")
        ClientRegistration.objects.update(requests_per_minute=1000)
        Connection.objects.update(confirmed_at=timezone.now() - timedelta(days=300))
        linked.refresh_from_db()
        speak(provider, "dstu2")
        answer(provider, "MedicationOrder")  # of which there is none that goes: that would mark the change
        check(linked, days_ago=200)
        speak(provider, "r4")
        for days_ago in (190, 80):
            check(linked, days_ago=days_ago)
        looked(linked.user, at=timezone.now() - timedelta(days=60))
        speak(provider, "r4", NUTS)
        for days_ago in (29, 28, 5):
            check(linked, days_ago=days_ago)
        pruning.prune(at=timezone.now())
        text = main(hers, "what_is_new")
        assert "Brazil nuts" in text
        assert SENT_AGAIN not in text
