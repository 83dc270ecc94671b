"""A record that cannot be decrypted hides no other, and its list says that it is missing."""

import pytest
from django.urls import reverse

from apps.records import shelving
from apps.records.models import Record, Shelf
from apps.records.shelving import indexing
from apps.records.subjects import LISTED
from tests.records.linked import AT
from tests.records.pages import ask, page
from tests.records.people import allergy
from tests.records.runs import shelved_names, sync
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

SAID = "We could not open some entries"
DETAILS = "We could not open your personal details"


def spoil(**which):
    assert Record.objects.filter(**which).update(sealed_body=b"\x03" + bytes(80))


class TestARecordThatDoesNotOpen:
    def test_leaves_every_other_on_its_shelf_and_is_counted(self, connection):
        keep(connection, result(1), result(2), allergy("a1"))
        spoil(logical_id="o1")
        Shelf.objects.all().delete()
        built = shelving.rebuild_all(connection, at=AT)
        assert (built.entries, built.unopened) == (3, 1)  # with the patient

    def test_is_said_on_its_list_and_on_no_other(self, hers, connection):
        keep(connection, result(1), allergy("a1"), allergy("a2"))
        spoil(logical_id="a2")
        shelving.rebuild_all(connection, at=AT)
        for address in (("subject", "allergies"), ("everything_by_date",), ("whole_record",), ("search_record",)):
            assert SAID in page(hers, *address)
        assert SAID not in page(hers, "subject", "results")
        assert "Pteridine" in page(hers, "subject", "allergies")

    def test_is_said_wherever_its_type_may_be_listed(self, hers, connection):
        keep(connection, result(1), result(2))
        spoil(logical_id="o1")
        shelving.rebuild_all(connection, at=AT)
        said = {subject.key for subject in LISTED if SAID in page(hers, "subject", subject.key)}
        assert said == {"results", "vitals", "history"}

    def test_is_said_no_more_when_its_provider_has_it_no_more(self, hers, connection):
        keep(connection, allergy("a1"), allergy("a2"))
        spoil(logical_id="a2")
        Record.objects.filter(logical_id="a2").update(removed_at=AT)
        shelving.rebuild_all(connection, at=AT)
        assert SAID not in page(hers, "subject", "allergies")

    def test_is_logged_by_its_ids_alone(self, connection, caplog):
        keep(connection, allergy("a1"))
        spoil(logical_id="a1")
        shelving.rebuild_all(connection, at=AT)
        pk = Record.objects.get(logical_id="a1").pk
        assert f"Records do not open: connection {connection.pk}, 1 of them, such as [{pk}]." in caplog.text
        assert "Allergy" not in caplog.text

    def test_of_the_patient_leaves_what_its_shelf_says(self, connection):
        keep(connection, allergy("a1"))
        spoil(resource_type="Patient")
        built = shelving.rebuild_all(connection, at=AT)
        assert (built.entries, built.unopened) == (1, 1)
        assert shelved_names(connection) == ["Dr. Wrenna Ilse Quillfeather"]

    def test_of_the_patient_is_said_where_their_details_would_stand(self, hers, connection):
        keep(connection, allergy("a1"))
        assert DETAILS not in page(hers, "record", connection.pk)
        spoil(resource_type="Patient")
        Shelf.objects.all().delete()
        shelving.rebuild_all(connection, at=AT)
        assert DETAILS in page(hers, "record", connection.pk)

    def test_of_one_of_two_patients_is_said_beside_the_other(self, hers, connection):
        keep(connection, {"resourceType": "Patient", "id": "second", "name": [{"text": "Ilse Quillfeather"}]})
        assert DETAILS not in page(hers, "record", connection.pk)
        spoil(logical_id="second")
        shelving.rebuild_all(connection, at=AT)
        text = page(hers, "record", connection.pk)
        assert DETAILS in text
        assert "Dr. Wrenna Ilse Quillfeather" in text

    def test_and_is_referred_to_is_as_if_it_were_not_here(self, connection):
        recorder = {"reference": "Practitioner/d1", "display": "Dr. Vesper"}
        keep(connection, allergy("a1", recorder=recorder), {"resourceType": "Practitioner", "id": "d1"})
        spoil(logical_id="d1")
        built = shelving.rebuild_all(connection, at=AT)
        assert (built.entries, built.unopened) == (2, 0)

    def test_tells_a_stranger_nothing(self, client, sam, connection):
        keep(connection, allergy("a1"))
        spoil(logical_id="a1")
        shelving.rebuild_all(connection, at=AT)
        client.force_login(sam)
        assert SAID not in page(client, "subject", "allergies")
        assert client.get(reverse("record", args=[connection.pk])).status_code in {302, 404}


class TestALeafOfAnotherRelease:
    def test_is_said_not_to_open_just_now(self, hers, connection, monkeypatch):
        monkeypatch.setattr(indexing, "write_rows", lambda rows: b'{"of": "another release"}')
        monkeypatch.setattr(indexing, "write_phrases", lambda counts, lines: b'[[[0, "of another release"]]]')
        keep(connection, result(1), allergy("a1"))
        test = ("over_time", "results", Record.objects.get(logical_id="o1").pk)
        for address in (("subject", "results"), ("everything_by_date",), ("whole_record",), test):
            page(hers, *address)
        assert "We cannot open this right now" in page(hers, "subject", "results")
        assert "We cannot open this right now" in page(hers, "everything_by_date")
        found = ask(hers, "sodium")
        assert "We cannot open this right now" in found


class TestAShelfThatIsMissing:
    @pytest.mark.parametrize("is_there", [True, False])
    def test_is_not_taken_for_a_provider_that_sent_nothing(self, hers, linked, is_there):
        sync(linked)
        spoilt = Shelf.objects.filter(subject="allergies")
        assert spoilt.update(sealed_index=b"\x03" + bytes(80)) if is_there else spoilt.delete()
        for address in (("subject", "allergies"), ("subject", "medicines"), ("whole_record",)):
            assert "sent no allergy entries" not in page(hers, *address)
        assert "We cannot open this right now" in page(hers, "subject", "allergies")
