"""Whatever a provider answers, the run ends or waits, and the page says something."""

import json
import re

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.directory.models import ClientRegistration
from apps.records.models import Record, SyncRun
from apps.records.presenters import elements
from apps.records.presenters.persons import patient
from tests.records.linked import AT
from tests.records.people import PATIENT_ID
from tests.records.presenters.test_patient import ANYTHING, ODD_PATIENTS
from tests.records.provider import ALLERGIES, METADATA, PATIENT, statement
from tests.records.runs import sync
from tests.wire.servers import http

STATUSES = st.sampled_from([200, 200, 200, 200, 201, 204, 301, 400, 403, 404, 406, 410, 418, 422, 500])
ODD_ROWS = ODD_PATIENTS.map(lambda row: {"resourceType": "AllergyIntolerance", "id": "a1", **row})
ODD_BUNDLES = st.fixed_dictionaries(
    {"resourceType": st.just("Bundle")},
    optional={
        "entry": ANYTHING | st.lists(st.fixed_dictionaries({"resource": ODD_ROWS | ANYTHING}), max_size=4),
        "link": ANYTHING | st.lists(st.fixed_dictionaries({"relation": st.just("next"), "url": ANYTHING}), max_size=2),
        "total": ANYTHING,
    },
)
WHOLE_PATIENTS = ODD_PATIENTS.map(lambda person: {"resourceType": "Patient", "id": PATIENT_ID, **person})


def as_json(content):
    return json.dumps(content).encode("utf-8", "surrogatepass")


def answers(*bodies):
    return st.builds(
        lambda status, body: http(status, body),
        STATUSES,
        st.one_of(st.binary(max_size=60), *[b.map(as_json) for b in bodies]),
    )


class TestPatientPage:
    @given(WHOLE_PATIENTS)
    @settings(max_examples=300)
    def test_can_be_shown_whatever_was_sent(self, person):
        summary = patient.present(elements.parse(as_json(person)))
        text = render_to_string("records/patient.html", {"patient": summary, "connection": None, "forloop": {}})
        assert "Personal details" in text


@pytest.mark.django_db
class TestAnyAnswer:
    @given(
        # without a statement everything is asked for, and that takes its time
        metadata=st.one_of(st.just(http(body=statement("Patient", "AllergyIntolerance"))), answers(ANYTHING)),
        person=answers(WHOLE_PATIENTS, ANYTHING),
        allergies=answers(ODD_BUNDLES, ANYTHING),
    )
    @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
    def test_ends_a_run_or_lets_it_wait(self, linked, provider, hers, metadata, person, allergies):
        SyncRun.objects.all().delete()
        Record.objects.all().delete()
        ClientRegistration.objects.update(requests_per_minute=1_000_000)
        provider.answers |= {METADATA: metadata, PATIENT: person, ALLERGIES: allergies}
        run = sync(linked, at=AT)
        assert run.outcome or run.pauses == 1
        response = hers.get(reverse("record", args=[linked.pk]))
        assert response.status_code == 200
        assert re.search("<h1>[^<]*Harbor Family Practice", response.content.decode())
