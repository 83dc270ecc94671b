"""The page “What is new”: everything since the last visit as its lists show it, with values."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import Connection
from apps.records.models import Record, Shelf, SyncStep
from apps.records.viewing import what_is_new
from tests.records.pages import main
from tests.records.people import PATIENT_ID, allergy
from tests.records.shelved import keep, result
from tests.records.views.arriving import all_came_now, checked, looked

pytestmark = pytest.mark.django_db


@pytest.fixture
def last_visit(alice):
    at = timezone.now() - timedelta(days=3)
    looked(alice, at=at)
    return at


GRAVE = {
    "resourceType": "DiagnosticReport",
    "id": "d1",
    "status": "final",
    "code": {"text": "Surgical pathology", "coding": [{"system": "http://loinc.org", "code": "11529-5"}]},
    "subject": {"reference": f"Patient/{PATIENT_ID}"},
    "result": [{"reference": "Observation/o0"}],
}


def assert_closed(text):
    assert "Sodium" in text
    assert "152.5" not in text
    assert "Open it to see the result" in text


def new(connection, *types):
    """Everything of these types came by a check of now."""
    all_came_now()
    for resource_type in types or ("Observation",):
        checked(connection, changed=1, at=timezone.now(), resource_type=resource_type)


class TestWhatIsNew:
    def test_is_told_subject_by_subject_with_values(self, hers, sam, connection, last_visit):
        keep(connection, result(0, value=152.5), allergy("a1"))
        new(connection, "Observation", "AllergyIntolerance")
        text = main(hers, "what_is_new")
        assert "2 entries came or changed since your last visit on" in text
        parts = ('<h2 class="group">Results</h2>', "Sodium", "152.5", ">Allergies and reactions</h2>", "Pteridine")
        places = [text.index(part) for part in parts]
        assert places == sorted(places)
        hers.force_login(sam)
        assert "Sodium" not in main(hers, "what_is_new")

    def test_has_what_home_leaves_to_it(self, hers, connection, last_visit):
        keep(connection, result(0, name="How she lives", code="72166-2"))
        new(connection)
        assert "How she lives" not in main(hers, "home")
        text = main(hers, "what_is_new")
        assert '<h2 class="group">Family and social history</h2>' in text
        assert "How she lives" in text

    def test_has_no_value_of_what_belongs_to_grave_news(self, hers, connection, last_visit):
        keep(connection, result(0, value=152.5), GRAVE)
        new(connection, "Observation", "DiagnosticReport")
        assert_closed(main(hers, "what_is_new"))

    def test_has_no_value_where_the_shelf_does_not_open_that_would_say_whose_it_is(self, hers, connection, last_visit):
        pulse = result(1, value=71.5, name="Heart rate", code="8867-4")
        keep(connection, result(0, value=152.5), GRAVE, {**pulse, "category": [{"coding": [{"code": "vital-signs"}]}]})
        new(connection)
        Shelf.objects.filter(subject="results").update(sealed_index=b"\x03" + bytes(80))
        text = main(hers, "what_is_new")
        assert_closed(text)
        assert "71.5" in text

    def test_has_no_value_where_no_shelf_has_it_yet(self, hers, connection, other, last_visit):
        keep(connection, result(0, value=152.5))
        keep(other, result(0, value=133.5))
        for one in (connection, other):
            new(one)
        text = main(hers, "what_is_new")
        assert "152.5" in text
        assert "133.5" in text
        Shelf.objects.filter(connection=other, subject="results").delete()
        assert "133.5" not in main(hers, "what_is_new")
        step = SyncStep.objects.filter(run__connection=connection)
        step.update(needs_shelf=True)
        assert_closed(main(hers, "what_is_new"))
        step.update(status="getting", finished_at=None)
        other.delete()
        checked(connection, changed=1, at=timezone.now())
        assert_closed(main(hers, "what_is_new"))

    def test_says_what_was_there_and_changed(self, hers, connection, last_visit):
        keep(connection, result(0), *(result(number, name="Potassium", code="2823-3") for number in (1, 2)))
        new(connection)
        Record.objects.filter(logical_id="o0").update(first_received_at=last_visit - timedelta(days=9))
        text = main(hers, "what_is_new")
        assert text.count("changed</span>") == 1
        assert text.index("Sodium") < text.index("changed</span>") < text.index("Potassium")

    def test_leaves_out_what_was_there_before(self, hers, connection, last_visit):
        keep(connection, result(0), result(1, name="Potassium", code="2823-3"))
        new(connection)
        Record.objects.filter(logical_id="o0").update(received_at=last_visit - timedelta(days=1))
        text = main(hers, "what_is_new")
        assert "1 entry came or changed" in text
        assert "Sodium" not in text

    def test_is_of_one_person_where_that_is_asked_for(self, hers, sam, connection, other, last_visit):
        other.sealed_person = candidates.seal_person(other, Candidate(PATIENT_ID, "Perrin Quillfeather", "2019-03-09"))
        other.save()
        keep(connection, result(0))
        keep(other, result(1, name="Potassium", code="2823-3"))
        for one in (connection, other):
            new(one)
        assert "(Wrenna Quillfeather)" in main(hers, "what_is_new")
        assert f'href="{reverse("what_is_new")}?of={other.pk}"' in main(hers, "home", of=other.pk)
        text = main(hers, "what_is_new", of=other.pk)
        assert "Potassium" in text
        assert "Sodium" not in text
        assert "Wrenna" not in text
        hers.force_login(sam)
        assert "Potassium" not in main(hers, "what_is_new", of=other.pk)

    def test_names_a_provider_whose_whole_record_is_new(self, hers, connection, last_visit):
        keep(connection, result(0))
        new(connection)
        Connection.objects.update(confirmed_at=timezone.now())
        text = main(hers, "what_is_new")
        assert "The whole record from Harbor Family Practice is new here." in text
        assert "No entry came or changed since your last visit on" in text
        assert "Sodium" not in text

    def test_says_how_many_it_has_no_room_for(self, hers, connection, last_visit, monkeypatch):
        monkeypatch.setattr(what_is_new, "MOST_ROWS", 3)
        keep(connection, *(result(number, name=f"Test {number}", code=f"{number}-0") for number in range(5)))
        new(connection)
        text = main(hers, "what_is_new")
        assert text.count('class="row-link"') == 3
        assert "Here are the latest ones. 2 earlier ones are in the lists." in text

    def test_is_all_of_it_at_the_first_visit(self, hers, connection):
        keep(connection, result(0))
        new(connection)
        assert "This is your first visit since your record came, so all of it is new." in main(hers, "what_is_new")

    def test_is_not_said_to_be_all_where_it_does_not_open(self, hers, connection):
        keep(connection, result(0))
        Shelf.objects.update(sealed_index=b"\x03" + bytes(80))
        text = main(hers, "what_is_new")
        assert "We cannot open this right now" in text
        assert "all of it is new" not in text

    def test_takes_at_most_twelve_queries(self, hers, connection, other, last_visit, django_assert_max_num_queries):
        for one in (connection, other):
            keep(one, allergy("a1"), *(result(number) for number in range(60)))
            new(one)
        main(hers, "what_is_new")
        with django_assert_max_num_queries(12):
            assert "Sodium" in main(hers, "what_is_new")
