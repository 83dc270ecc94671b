"""What a page says about a copy that takes minutes because its provider allows few requests."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.directory.models import ClientRegistration
from apps.records.syncing import progress
from tests.records.linked import AT, give_tokens
from tests.records.people import PATIENT_ID, allergy, bundle
from tests.records.provider import METADATA, statement
from tests.records.runs import resume, step, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

TYPES = ("AllergyIntolerance", "MedicationRequest", "Condition", "Immunization", "Goal")


@pytest.fixture
def slow(linked, provider):
    """Three questions a minute, of seven there are: what is offered, who it is, and the first of five types."""
    ClientRegistration.objects.update(requests_per_minute=3, parallel_requests=1)
    linked.registration.refresh_from_db()
    provider.answers[METADATA] = http(body=statement("Patient", *TYPES))
    for name in TYPES:
        provider.answers[f"GET /fhir/r4/{name}?patient={PATIENT_ID}"] = http(body=bundle())
    provider.answers[f"GET /fhir/r4/{TYPES[0]}?patient={PATIENT_ID}"] = http(body=bundle(allergy("a1")))
    return linked


class TestACopyThatTakesMinutes:
    def test_says_what_is_next_and_about_how_long(self, slow):
        sync(slow)
        found = progress.of(slow)
        assert found is not None
        assert [subject.key for subject in found.next] == ["conditions", "vaccines", "plans"]
        assert found.minutes == 2  # four questions, three a minute

    def test_brings_what_people_look_for_first(self, slow):
        run = sync(slow)
        assert [step(run, name).status for name in TYPES] == ["complete", "getting", "waiting", "waiting", "waiting"]

    def test_counts_the_pages_that_are_left(self, slow, provider):
        """Of 50 that the provider counted, one page brought one."""
        first = bundle(allergy("a1"), total=50, next_url=provider.next_url(2))
        provider.answers[f"GET /fhir/r4/{TYPES[0]}?patient={PATIENT_ID}"] = http(body=first)
        sync(slow)
        found = progress.of(slow)
        assert found is not None
        assert found.minutes == 18  # 49 and four

    def test_says_so_on_its_page_in_words(self, slow, hers):
        give_tokens(slow, issued_at=timezone.now())
        sync(slow, at=timezone.now().replace(second=0))
        for name in ("record", "record_progress"):
            text = re.sub(r"\s+", " ", hers.get(reverse(name, args=[slow.pk])).content.decode())
            assert "Next: Health conditions, Vaccines, Care plans and goals." in text
            assert "About 2 minutes to go: Harbor Family Practice lets us ask only so often." in text

    def test_says_no_minutes_while_its_provider_does_not_answer(self, slow, hers, provider):
        give_tokens(slow, issued_at=timezone.now())
        provider.answers[f"GET /fhir/r4/{TYPES[0]}?patient={PATIENT_ID}"] = http(429)
        sync(slow, at=timezone.now().replace(second=0))
        text = hers.get(reverse("record", args=[slow.pk])).content.decode()
        assert "Paused; continues by itself" in text
        assert "to go" not in text

    def test_can_be_read_as_far_as_it_is(self, slow, hers):
        give_tokens(slow, issued_at=timezone.now())
        sync(slow, at=timezone.now().replace(second=0))
        shown = hers.get(reverse("record_progress", args=[slow.pk])).content.decode()
        assert f'<a id="read-now" href="{reverse("whole_record")}?of={slow.pk}">' in shown
        page = hers.get(reverse("subject", args=["allergies"])).content.decode()
        assert "Pteridine" in page

    def test_has_no_outlook_when_it_is_done(self, slow):
        ClientRegistration.objects.update(requests_per_minute=100)
        run = sync(slow)
        assert run.outcome == "complete"
        assert progress.of(slow) is None

    def test_says_nothing_of_minutes_where_less_than_one_is_left(self, slow):
        run = sync(slow)
        ClientRegistration.objects.update(requests_per_minute=6)
        slow.registration.refresh_from_db()
        found = progress.of(slow)
        assert found is not None
        assert (run.outcome, found.minutes) == ("", None)

    def test_is_not_foretold_before_it_is_planned(self, slow, provider):
        provider.answers[METADATA] = http(503)
        run = sync(slow)
        resume(run, at=AT)
        assert progress.of(slow) is None

    def test_leaves_out_steps_that_an_old_release_made(self, slow, hers):
        """They do not say how they ask, and have not begun, or ended so."""
        give_tokens(slow, issued_at=timezone.now())
        run = sync(slow, at=timezone.now().replace(second=0))
        run.steps.filter(resource_type__in=["Condition", "MedicationRequest", "Patient"]).update(asked=None)
        found = progress.of(slow)
        assert found is not None
        assert ([subject.key for subject in found.next], found.minutes) == (["vaccines", "plans"], None)
        assert hers.get(reverse("record", args=[slow.pk])).status_code == 200
