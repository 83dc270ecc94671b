"""What one provider sends alike in two ways, without a code or date to recognize it by: a plan, a device."""

import re

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.records.linked import AT
from tests.records.people import allergy
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db


def plan(description="Walk every day"):
    content = {"status": "active", "intent": "plan", "title": "Walking", "description": description}
    return {"resourceType": "CarePlan", "id": "c1", "period": {"start": "2024-03-05"}, **content}


def device(logical_id="v1", serial="A1"):
    kind = {"text": "Pacemaker", "coding": [{"system": "http://snomed.info/sct", "code": "14106009"}]}
    return {"resourceType": "Device", "id": logical_id, "status": "active", "type": kind, "serialNumber": serial}


def listed(client, name, *args):
    """The rows of a list."""
    text = re.sub(r"\s+", " ", client.get(reverse(name, args=args)).content.decode())
    return text.split("<h1")[1]


class TestWhatOneProviderSendsInTwoWays:
    def test_is_one_row_without_a_code_or_a_date_and_each_clinics_own_another(self, hers, connection, older, other):
        for one, number in ((connection, "1"), (older, "2"), (other, "1")):
            keep(one, {**plan(), "id": f"c{number}"}, device(f"v{number}"))
        for subject in ("plans", "devices"):
            text = listed(hers, "subject", subject)
            assert text.count('class="row-link"') == 2, subject
            assert "(FHIR" not in text.split('class="row-link"')[1], subject

    @pytest.mark.parametrize("is_fuller_first", [True, False])
    def test_is_one_row_where_one_way_tells_more_and_leads_to_that(self, hers, sam, connection, older, is_fuller_first):
        fuller, barer = (connection, older) if is_fuller_first else (older, connection)
        keep(fuller, {**plan(), "note": [{"text": "Bring your shoes"}]}, {**device(), "modelNumber": "X2"})
        text = {"status": "generated", "div": "<div xmlns='http://www.w3.org/1999/xhtml'>Walking: walk every day</div>"}
        keep(barer, {**plan(), "text": text}, device())
        for subject, kind in (("plans", "CarePlan"), ("devices", "Device")):
            listing = listed(hers, "subject", subject)
            assert listing.count('class="row-link"') == 1, subject
            assert "1 entry came more than once and is shown once." in listing
            record = Record.objects.get(connection=fuller, resource_type=kind)
            assert reverse("entry", args=[subject, record.pk]) in listing
        hers.force_login(sam)
        assert 'class="row-link"' not in listed(hers, "subject", "plans")

    def test_is_two_rows_where_each_way_tells_something_of_its_own(self, hers, connection, older):
        keep(connection, {**plan(), "note": [{"text": "Bring your shoes"}]}, {**device(), "modelNumber": "X2"})
        keep(older, {**plan(), "note": [{"text": "Bring a hat"}]}, {**device(), "manufacturer": "Pulse"})
        for subject in ("plans", "devices"):
            assert listed(hers, "subject", subject).count('class="row-link"') == 2, subject

    def test_is_listed_by_one_provider(self, hers, connection, older):
        keep(connection, order("m1"), order("m2", on="2023-01-05"))
        keep(older, order("m3", on="2022-01-05"))
        assert "providers list this" not in listed(hers, "subject", "medicines")

    def test_is_two_rows_where_one_way_tells_otherwise(self, hers, connection, older):
        keep(connection, plan(), device())
        keep(older, plan("Walk twice a day"), device(serial="B2"))
        for subject in ("plans", "devices"):
            assert listed(hers, "subject", subject).count('class="row-link"') == 2, subject

    @pytest.mark.parametrize(
        ("numbers", "is_same_id", "rows"),
        [(("A1", "A1"), False, 1), (("", ""), False, 2), (("A1", ""), False, 2), (("", ""), True, 1)],
    )
    def test_is_two_rows_where_two_things_may_have_that_name(
        self, hers, sam, connection, older, numbers, is_same_id, rows
    ):
        """Somebody may have two pacemakers, of which nothing but the name is told."""
        first, second = ({**device("v1"), "serialNumber": number} for number in numbers)
        keep(connection, first)
        keep(older, second if is_same_id else {**second, "id": "v2"})
        assert listed(hers, "subject", "devices").count('class="row-link"') == rows
        hers.force_login(sam)
        assert 'class="row-link"' not in listed(hers, "subject", "devices")

    def test_is_two_rows_of_two_doses_without_a_date(self, hers, connection, older):
        dose = {"resourceType": "Immunization", "status": "completed", "vaccineCode": {"text": "Snake venom, mixed"}}
        keep(connection, {**dose, "id": "i1"})
        keep(older, {**dose, "id": "i2"})
        assert "1 entry came more than once" not in listed(hers, "subject", "vaccines")

    def test_is_as_many_rows_as_one_way_has_of_it(self, hers, connection, older):
        keep(connection, device("v1"), result(0))
        keep(older, device("v1"), device("v2"), result(0), {**result(0), "id": "again"})
        for subject in ("devices", "results"):
            assert listed(hers, "subject", subject).count('class="row-link"') == 2, subject


class TestADevice:
    def test_has_no_date_that_could_be_missing(self, hers, sam, connection):
        keep(connection, device("v1"), device("v2", serial="B2"))
        text = listed(hers, "subject", "devices")
        assert "2 entries" in text
        assert "newest first" not in text
        assert "Date not given" not in text
        record = Record.objects.get(logical_id="v1")
        assert "Date not given" not in listed(hers, "entry", "devices", record.pk)
        hers.force_login(sam)
        assert "2 entries" not in listed(hers, "subject", "devices")


class TestWhatOneProviderSaysOfAllergiesInTwoWays:
    def test_is_said_once_where_it_is_the_same(self, hers, sam, connection, older):
        none = allergy("a1", code={"text": "No known allergies"}, recordedDate="2019-03-04")
        for one in (connection, older):
            keep(one, none)
        text = listed(hers, "whole_record")
        assert text.count("recorded “no known allergies”") == 1
        assert "Harbor Family Practice recorded “no known allergies”" in text
        hers.force_login(sam)
        assert "no known allergies" not in listed(hers, "whole_record")

    def test_is_said_once_where_neither_way_has_any(self, hers, connection, older):
        for one in (connection, older):
            keep(one, result(0))
            one.last_checked_at = AT
            one.save()
        said = "Harbor Family Practice has sent no allergy entries. This does not mean you have none."
        assert said in listed(hers, "whole_record")

    def test_is_not_what_another_provider_lists(self, hers, connection, older):
        keep(connection, allergy("a1"))
        keep(older, allergy("a2", code={"text": "No known allergies"}, recordedDate="2019-03-04"))
        text = listed(hers, "whole_record")
        assert "(FHIR DSTU2) recorded “no known allergies” on March 4, 2019." in text
        assert "Another provider" not in text
