"""Times that R4 does not allow must not make the patient summary invalid."""

import json

import pytest

from apps.records.exporting import choosing
from apps.records.exporting.ips import documents
from tests.records.exporting.keeping import keep
from tests.records.exporting.r4 import assert_r4
from tests.records.linked import AT, make_connection
from tests.records.people import R4_PATIENT

pytestmark = pytest.mark.django_db

PERIOD = {"start": "2019-03-04", "end": "2019-03-05"}
FLU = {"resourceType": "Immunization", "id": "i1", "status": "completed", "vaccineCode": {"text": "Flu"}}


def the_one(user, kind):
    written = documents.document(choosing.choices(user, at=AT), at=AT)
    assert_r4(written)
    (found,) = [each["resource"] for each in json.loads(written)["entry"] if each["resource"]["resourceType"] == kind]
    return found


class TestABirthDate:
    @pytest.mark.parametrize(
        ("sent", "written"),
        [("1980-05", "1980-05"), ("1980-05-01T00:00:00Z", "1980-05-01"), ("1980-05-01T00:00", "1980-05-01")],
    )
    def test_is_written_as_a_date(self, alice, sent, written):
        keep(make_connection(alice), {**R4_PATIENT, "birthDate": sent})
        assert the_one(alice, "Patient")["birthDate"] == written

    @pytest.mark.parametrize("sent", ["unknown", "05/01/1980", "1980-13-45", "1980-02-30"])
    def test_that_is_none_is_not_written(self, alice, sent):
        keep(make_connection(alice), {**R4_PATIENT, "birthDate": sent})
        assert the_one(alice, "Patient").get("birthDate") != sent


class TestAVaccine:
    def test_that_came_with_a_period_has_its_beginning(self, alice):
        keep(make_connection(alice), R4_PATIENT, {**FLU, "occurrencePeriod": PERIOD})
        assert the_one(alice, "Immunization")["occurrenceDateTime"] == "2019-03-04"

    def test_that_came_with_an_end_alone_says_no_time(self, alice):
        keep(make_connection(alice), R4_PATIENT, {**FLU, "occurrencePeriod": {"end": "2019-03-05"}})
        assert "occurrenceDateTime" not in the_one(alice, "Immunization")


class TestSinceWhen:
    @pytest.mark.parametrize("kind", ["Condition", "AllergyIntolerance"])
    def test_is_kept_as_it_was_said(self, alice, kind):
        keep(make_connection(alice), R4_PATIENT, {"resourceType": kind, "id": "c1", "onsetString": "As a child"})
        assert the_one(alice, kind)["onsetString"] == "As a child"
