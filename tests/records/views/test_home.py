"""Home: what is new since the last visit, and how much there is of each subject, without values."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import Connection
from apps.records.models import Leaf, Record, Shelf, SyncRun, SyncStep
from tests.records.pages import main
from tests.records.people import PATIENT_ID, allergy
from tests.records.shelved import keep, result
from tests.records.views.arriving import checked, looked

pytestmark = pytest.mark.django_db


def copied(connection):
    """To its end, once."""
    Connection.objects.filter(pk=connection.pk).update(last_checked_at=timezone.now())


def under_way(connection, *, complete, waiting):
    """A first copy that has got these kinds, and waits for those."""
    run = SyncRun.objects.create(
        user=connection.user, connection=connection, cause="confirmed", created_at=timezone.now()
    )
    for resource_type in complete:
        step = {"status": "complete", "finished_at": timezone.now()}
        SyncStep.objects.create(run=run, user=connection.user, resource_type=resource_type, **step)
    for resource_type in waiting:
        SyncStep.objects.create(run=run, user=connection.user, resource_type=resource_type)


class TestHowMuchThereIs:
    def test_calls_nothing_the_newest_by_a_date_that_cannot_be(self, hers, connection):
        keep(connection, result(0), {**result(1, name="Potassium", code="2823-3"), "effectiveDateTime": "2999-01-01"})
        copied(connection)
        text = main(hers, "home")
        assert "newest December 31, 2024" in text
        assert "newest January 1, 2999" not in text

    def test_calls_nothing_the_newest_by_a_date_later_in_the_present_year(self, hers, connection):
        soon = (timezone.now() + timedelta(days=3)).date()
        keep(connection, result(0), {**result(1), "effectiveDateTime": soon.isoformat()})
        copied(connection)
        text = main(hers, "home")
        assert "newest December 31, 2024" in text
        assert f"newest {soon.year}" not in text

    def test_calls_nothing_the_newest_where_no_date_can_be(self, hers, connection):
        keep(connection, {**result(1), "effectiveDateTime": "2999-01-01"})
        copied(connection)
        text = main(hers, "home")
        assert "<span>1 entry</span>" in text
        assert "newest" not in text.split("Everything in your record")[1]

    def test_says_how_many_there_are_where_the_newest_cannot_be_found(self, hers, connection):
        keep(connection, result(0), {**result(1), "effectiveDateTime": "2999-01-01"})
        Leaf.objects.update(sealed_rows=b"\x03" + bytes(80))
        copied(connection)
        text = main(hers, "home")
        assert "<span>2 entries</span>" in text

    def test_is_counted_so_far_while_a_first_copy_is_on_its_way(self, hers, connection):
        keep(connection, *(result(number) for number in range(3)), allergy("a1"), allergy("a2"))
        under_way(connection, complete=["AllergyIntolerance"], waiting=["Observation", "DiagnosticReport", "Device"])
        text = main(hers, "home")
        assert "<span>3 entries so far</span>" in text
        assert "<span>2 entries</span>" in text
        assert "<span>Nothing yet</span>" in text
        SyncRun.objects.update(finished_at=timezone.now(), outcome="complete")
        text = main(hers, "home")
        assert "<span>3 entries</span>" in text
        assert "<span>No entries here. See why.</span>" in text

    def test_has_no_value_and_nothing_that_an_entry_says(self, hers, sam, connection):
        keep(connection, result(0, value=152.5), allergy("a1"))
        copied(connection)
        for told in ("152.5", "Sodium", "Pteridine"):
            assert told not in main(hers, "home")
        hers.force_login(sam)
        assert "1 entry" not in main(hers, "home")

    def test_is_not_told_of_how_somebody_lives(self, hers, connection):
        keep(connection, result(0, name="How she lives", code="72166-2"))
        copied(connection)
        row = main(hers, "home").split(f'href="{reverse("subject", args=["history"])}"')[1].split("</a>")[0]
        assert "Family and social history" in row
        assert "row-detail" not in row
        assert "1 entry" in main(hers, "subject", "history")

    def test_is_not_told_of_a_list_that_does_not_open(self, hers, connection):
        keep(connection, result(0), allergy("a1"))
        copied(connection)
        Shelf.objects.filter(subject="results").update(sealed_index=b"\x03" + bytes(80))
        text = main(hers, "home")
        assert "We cannot open this right now" in text
        row = text.split(f'href="{reverse("subject", args=["results"])}"')[1].split("</a>")[0]
        assert "row-detail" not in row
        assert "<span>1 entry</span>" in text

    def test_is_of_one_person_where_that_is_asked_for(self, hers, sam, connection, other):
        other.sealed_person = candidates.seal_person(other, Candidate(PATIENT_ID, "Perrin Quillfeather", "2019-03-09"))
        other.save()
        keep(connection, result(0))
        keep(other, result(0), result(1))
        for one in (connection, other):
            copied(one)
        assert "<span>3 entries</span>" in main(hers, "home")
        text = main(hers, "home", of=other.pk)
        assert "<span>2 entries</span>" in text
        assert "Harbor Family Practice" not in text
        assert "Wrenna" not in text
        for there in (("subject", ["results"]), ("everything_by_date", []), ("whole_record", [])):
            assert f'href="{reverse(there[0], args=there[1])}?of={other.pk}"' in text
        hers.force_login(sam)
        assert "Quillfeather" not in main(hers, "home", of=other.pk)


class TestNewSinceTheLastVisit:
    @pytest.fixture
    def last_visit(self):
        return timezone.now() - timedelta(days=3)

    def test_names_the_others_where_one_does_not_open(self, hers, alice, connection, last_visit):
        keep(connection, result(0), result(1, name="Potassium"))
        Record.objects.filter(logical_id="o1").update(sealed_body=b"\x03" + bytes(80))
        looked(alice, at=last_visit)
        checked(connection, changed=2, at=timezone.now())
        Record.objects.update(received_at=timezone.now(), first_received_at=timezone.now())
        text = main(hers, "home").split("Everything in your record")[0]
        assert "New since your last visit on" in text
        assert "Sodium" in text

    @pytest.mark.parametrize(
        "more", [{"category": [{"coding": [{"code": "survey"}]}]}, {"code": {"text": "Cause of death"}}]
    )
    def test_does_not_name_what_a_first_page_leaves_to_the_lists(self, hers, alice, connection, last_visit, more):
        keep(connection, result(0), {**result(1, name="How she lives", code="72166-2"), **more}, result(2))
        looked(alice, at=last_visit)
        checked(connection, changed=3, at=timezone.now())
        Record.objects.update(received_at=timezone.now(), first_received_at=timezone.now())
        text = main(hers, "home").split("Everything in your record")[0]
        assert "Sodium" in text
        assert "How she lives" not in text
        assert "Cause of death" not in text
        assert "1 more entry came or changed. Open it when you like:" in text

    @pytest.mark.parametrize("code", ["72166-2", "44260-8"], ids=["how she lives", "an answer"])
    def test_says_that_something_came_where_none_of_it_is_named(self, hers, alice, connection, last_visit, code):
        keep(connection, *(result(number, name="Let be", code=code) for number in range(2)))
        looked(alice, at=last_visit)
        checked(connection, changed=2, at=timezone.now())
        Record.objects.update(received_at=timezone.now(), first_received_at=timezone.now())
        text = main(hers, "home").split("Everything in your record")[0]
        assert "New since your last visit on" in text
        assert "2 entries came or changed. Open them when you like:" in text
        assert f'href="{reverse("what_is_new")}"' in text
        assert "Let be" not in text
        assert "social history" not in text

    def test_says_nothing_of_what_no_list_has(self, hers, alice, connection, last_visit):
        keep(connection, {**result(0), "status": "entered-in-error"})
        looked(alice, at=last_visit)
        checked(connection, changed=1, at=timezone.now())
        Record.objects.update(received_at=timezone.now())
        assert "New since" not in main(hers, "home")

    def test_names_what_came_since_without_values(self, hers, alice, connection, last_visit):
        keep(connection, result(0, value=152.5), result(1, name="Potassium"))
        Record.objects.update(received_at=last_visit - timedelta(days=1))
        Record.objects.filter(logical_id="o0").update(received_at=timezone.now(), first_received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=1, at=timezone.now())
        text = main(hers, "home").split("Everything in your record")[0]
        assert "New since your last visit on" in text
        assert "Sodium" in text
        assert "Potassium" not in text
        assert "152.5" not in text
        assert "changed" not in text

    def test_names_a_condition_in_the_provider_s_words_as_well(self, hers, alice, connection, last_visit):
        coded = {"text": "Diabetes", "coding": [{"system": "http://snomed.info/sct", "code": "714628002"}]}
        sent = {
            "resourceType": "Condition",
            "id": "c1",
            "code": coded,
            "clinicalStatus": {"coding": [{"code": "active"}]},
        }
        keep(connection, {**sent, "subject": {"reference": f"Patient/{PATIENT_ID}"}})
        Record.objects.update(received_at=timezone.now(), first_received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=1, at=timezone.now(), resource_type="Condition")
        text = main(hers, "home").split("Everything in your record")[0]
        assert 'Blood sugar above usual (prediabetes) <span class="theirs">(Diabetes)</span>' in text

    def test_has_the_newest_first_by_their_own_dates(self, hers, alice, connection, last_visit):
        potassium = result(1, name="Potassium", code="2823-3")
        keep(
            connection, result(0), potassium, {**result(2, name="Chloride", code="2075-0"), "effectiveDateTime": "2999"}
        )
        Record.objects.filter(logical_id="o0").update(received_at=timezone.now() - timedelta(minutes=9))
        Record.objects.exclude(logical_id="o0").update(received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=3, at=timezone.now())
        text = main(hers, "home")
        assert text.index(">Sodium") < text.index(">Potassium") < text.index(">Chloride")

    def test_says_what_changed(self, hers, alice, connection, last_visit):
        keep(connection, result(0))
        Record.objects.update(first_received_at=last_visit - timedelta(days=9), received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=1, at=timezone.now())
        assert "<span>Results</span> <span><span>· </span>changed</span> " in main(hers, "home")

    def test_counts_nobody_of_whom_entries_tell(self, hers, alice, connection, last_visit):
        person = {"resourceType": "RelatedPerson", "patient": {"reference": f"Patient/{PATIENT_ID}"}}
        keep(connection, result(0), *({**person, "id": f"r{number}"} for number in range(25)))
        looked(alice, at=last_visit)
        for resource_type, changed in (("Observation", 1), ("RelatedPerson", 25)):
            checked(connection, changed=changed, at=timezone.now(), resource_type=resource_type)
        Record.objects.update(received_at=timezone.now())
        text = main(hers, "home")
        assert "New since" in text
        assert "came or changed" not in text

    def test_counts_what_it_does_not_name(self, hers, alice, connection, last_visit):
        keep(connection, *(result(number) for number in range(9)))
        Record.objects.update(received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=9, at=timezone.now())
        text = main(hers, "home")
        assert "4 more entries came or changed. Open them when you like:" in text
        assert f'<a href="{reverse("what_is_new")}">What is new</a>' in text

    def test_counts_what_it_does_not_look_through(self, hers, alice, connection, last_visit):
        first, last = ({**result(number), "status": "entered-in-error"} for number in (31, 32))
        keep(connection, first, *(result(number) for number in range(30)), last)  # the first is not looked through
        Record.objects.update(received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=31, at=timezone.now())
        text = main(hers, "home")
        assert "25 more entries came or changed. Open them when you like:" in text
        assert f'<a href="{reverse("what_is_new")}">What is new</a>' in text

    def test_is_not_said_at_the_first_visit_nor_where_nothing_came(self, hers, alice, connection, last_visit):
        keep(connection, result(0))
        checked(connection, changed=1, at=last_visit)
        assert "New since" not in main(hers, "home")
        looked(alice, at=timezone.now() - timedelta(days=2))
        assert "New since" not in main(hers, "home")

    def test_is_told_of_one_person_alone_where_that_is_asked_for(self, hers, sam, alice, connection, other, last_visit):
        other.sealed_person = candidates.seal_person(other, Candidate(PATIENT_ID, "Perrin Quillfeather", "2019-03-09"))
        other.save()
        keep(connection, result(0))
        keep(other, result(1, name="Potassium", code="2823-3"))
        Record.objects.update(received_at=timezone.now())
        looked(alice, at=last_visit)
        for one in (connection, other):
            checked(one, changed=1, at=timezone.now())
        everybodys, one = (main(hers, "home", **query) for query in ({}, {"of": other.pk}))
        assert "(Wrenna Quillfeather)" in everybodys
        assert "Sodium" in everybodys
        assert "Sodium" not in one
        address = reverse("entry", args=["results", Record.objects.get(logical_id="o1").pk])
        assert f'href="{address}?of={other.pk}"' in one
        hers.force_login(sam)
        assert "Potassium" not in main(hers, "home", of=other.pk)

    def test_names_a_provider_whose_whole_record_is_new_and_none_of_its_entries(
        self, hers, sam, alice, connection, other, last_visit
    ):
        keep(connection, result(0))
        keep(other, result(1, name="Potassium", code="2823-3"))
        Record.objects.update(received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=1, at=timezone.now())
        Connection.objects.filter(pk=other.pk).update(confirmed_at=timezone.now())
        assert "is new here" not in main(hers, "home")  # it is on its way
        checked(other, changed=1, at=timezone.now())
        text = main(hers, "home")
        assert "The whole record from Riverside Hospital is new here." in text
        assert "Sodium" in text
        assert "Potassium" not in text
        assert "more" not in text.split("New since")[1].split("Everything in your record")[0]
        hers.force_login(sam)
        assert "is new here" not in main(hers, "home")

    def test_names_none_of_what_the_first_copy_brought_that_was_on_its_way_at_the_last_visit(
        self, hers, sam, alice, connection, last_visit
    ):
        keep(connection, result(0))
        Connection.objects.update(confirmed_at=last_visit)
        looked(alice, at=last_visit + timedelta(minutes=1))
        Record.objects.update(received_at=last_visit + timedelta(minutes=2))
        checked(connection, changed=1, at=last_visit + timedelta(minutes=2))
        SyncRun.objects.update(created_at=last_visit)
        text = main(hers, "home")
        assert "The whole record from Harbor Family Practice is new here." in text
        assert "Sodium" not in text
        SyncStep.objects.update(finished_at=last_visit, needs_shelf=True)  # it was there, on whichever shelf
        assert "is new here" not in main(hers, "home")
        SyncStep.objects.update(finished_at=last_visit + timedelta(minutes=2))
        SyncRun.objects.update(created_at=last_visit + timedelta(minutes=1))  # a sign-in may begin one like the first
        text = main(hers, "home")
        assert "is new here" not in text
        assert "Sodium" in text
        hers.force_login(sam)
        assert "is new here" not in main(hers, "home")

    def test_takes_at_most_twelve_queries(
        self, hers, alice, connection, other, last_visit, django_assert_max_num_queries
    ):
        for one in (connection, other):
            keep(one, allergy("a1"), *(result(number) for number in range(60)))
            checked(one, changed=60, at=timezone.now())
        Record.objects.update(received_at=timezone.now())
        looked(alice, at=last_visit)
        main(hers, "home")
        with django_assert_max_num_queries(12):
            assert "New since" in main(hers, "home")
