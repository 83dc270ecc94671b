"""The first page of the whole record: what matters now, what is new, and what is said about allergies."""

import re
from datetime import datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.connections.models import Connection
from apps.records.models import Leaf, Record, Shelf, SyncRun, SyncStep
from apps.records.shelving import beginnings
from tests.records.pages import main
from tests.records.people import PATIENT_ID, allergy
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

NONE_KNOWN = {"coding": [{"system": "http://snomed.info/sct", "code": "716186003", "display": "No known allergy"}]}
NO_MEDICINE = {"coding": [{"system": "http://snomed.info/sct", "code": "409137002"}], "text": "NKDA"}
ACTIVE, PAST = {"coding": [{"code": "active"}]}, {"coding": [{"code": "inactive"}]}
ABSENT_REASON = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"


def condition(logical_id, name, status="active"):
    return {
        "resourceType": "Condition",
        "id": logical_id,
        "clinicalStatus": {"coding": [{"code": status}]},
        "code": {"text": name},
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
    }


def looked(user, *, at: datetime):
    recording.record(EventType.RECORD_VIEWED, actor=Actor.user(user.pk), at=at, user_id=user.pk)


def checked(connection, *, changed, at: datetime, resource_type="Observation"):
    """A check that changed so many results, or others."""
    run = SyncRun.objects.create(
        user=connection.user, connection=connection, cause="clock", outcome="complete", created_at=at, finished_at=at
    )
    SyncStep.objects.create(
        run=run,
        user=connection.user,
        resource_type=resource_type,
        status="complete",
        rows_kept=changed,
        rows_changed=changed,
        finished_at=at,
    )


def copied(connection):
    """To its end, once."""
    Connection.objects.filter(pk=connection.pk).update(last_checked_at=timezone.now())


class TestWhatMattersNow:
    def test_names_what_is_current_and_the_latest_results_without_values(self, hers, connection):
        keep(connection, condition("c1", "Asthma"), condition("c2", "Mumps", "resolved"), result(0, value=152.5))
        text = main(hers, "whole_record").split("Everything in your record")[0]
        assert "Asthma" in text
        assert "Mumps" not in text
        assert "Sodium" in text
        assert "December 31, 2024" in text
        assert "152.5" not in text

    def test_calls_nothing_the_newest_by_a_date_that_cannot_be(self, hers, connection):
        keep(connection, result(0), {**result(1, name="Potassium", code="2823-3"), "effectiveDateTime": "2999-01-01"})
        text = main(hers, "whole_record")
        assert "newest December 31, 2024" in text
        assert "newest January 1, 2999" not in text
        assert text.index(">Sodium") < text.index(">Potassium")

    def test_calls_nothing_the_newest_by_a_date_later_in_the_present_year(self, hers, connection):
        soon = (timezone.now() + timedelta(days=3)).date()
        keep(connection, result(0), {**result(1), "effectiveDateTime": soon.isoformat()})
        text = main(hers, "whole_record")
        assert "newest December 31, 2024" in text
        assert f"newest {soon.year}" not in text

    def test_calls_nothing_the_newest_where_no_date_can_be(self, hers, connection):
        keep(connection, {**result(1), "effectiveDateTime": "2999-01-01"})
        text = main(hers, "whole_record")
        assert "<span>1 entry</span>" in text
        assert "newest" not in text.split("Everything in your record")[1]

    def test_says_how_many_there_are_where_the_newest_cannot_be_found(self, hers, connection):
        keep(connection, result(0), {**result(1), "effectiveDateTime": "2999-01-01"})
        Leaf.objects.update(sealed_rows=b"\x03" + bytes(80))
        text = main(hers, "whole_record")
        assert "<span>2 entries</span>" in text

    def test_that_does_not_open_leaves_the_subjects(self, hers, connection):
        keep(connection, condition("c1", "Asthma"))
        Leaf.objects.update(sealed_rows=b"\x03" + bytes(80))
        text = main(hers, "whole_record")
        assert "What matters now" not in text
        assert "Health conditions" in text

    def test_of_another_person_is_not_there(self, client, sam, connection):
        keep(connection, condition("c1", "Asthma"))
        client.force_login(sam)
        assert "Asthma" not in main(client, "whole_record")


class TestWhatCame:
    """On the page of its provider."""

    def test_is_counted_as_its_list_does_though_nothing_came_of_others(self, hers, sam, connection):
        withdrawn = {"coding": [{"code": "entered-in-error"}]}
        keep(connection, condition("c1", "Asthma"), {**condition("c2", "Mumps"), "verificationStatus": withdrawn})
        Shelf.objects.exclude(subject__in=["patient", "conditions"]).delete()  # a copy builds none of what did not come
        copied(connection)
        run = SyncRun.objects.create(
            user=connection.user, connection=connection, cause="clock", outcome="complete",
            created_at=timezone.now(), finished_at=timezone.now(),
        )  # fmt: skip
        SyncStep.objects.create(
            run=run, user=connection.user, resource_type="Condition", status="complete", finished_at=timezone.now()
        )
        assert "1 entry. Complete as of" in main(hers, "record", connection.pk)
        assert "<span>1 entry</span>" in main(hers, "whole_record")
        assert "1 entry" in main(hers, "subject", "conditions")
        hers.force_login(sam)
        assert hers.get(reverse("record", args=[connection.pk])).status_code == 404


class TestWhatIsSaidAboutAllergies:
    @pytest.mark.parametrize("address", [("whole_record",), ("subject", "allergies"), ("subject", "medicines")])
    def test_counts_those_on_lists(self, hers, connection, address):
        keep(connection, allergy("a1", clinicalStatus=ACTIVE), allergy("a2", code={"text": "Wasps"}))
        assert "2 allergies or reactions on your lists" in main(hers, *address)

    @pytest.mark.parametrize("address", [("whole_record",), ("subject", "allergies"), ("subject", "medicines")])
    def test_says_of_more_than_it_reads_how_many_there_are_at_least(self, hers, connection, address):
        most = beginnings.OF["allergies"].most
        keep(connection, *(allergy(f"a{n}", code={"text": f"Plant {n:03}"}) for n in range(most + 1)))
        assert f"At least {most} allergies or reactions on your lists" in main(hers, *address)

    @pytest.mark.parametrize("address", [("whole_record",), ("subject", "medicines")])
    def test_names_each_whole_and_counts_what_a_line_has_no_room_for(self, hers, connection, address):
        names = [f"Penicillin V potassium, {number:02}" for number in range(50)]
        keep(connection, *(allergy(f"a{n}", code={"text": name}) for n, name in enumerate(names)))
        text = main(hers, *address)
        told = [name for name in names if name in text]
        assert told == names[:20]
        assert f"{told[-1]} · and 30 more</p>" in re.sub(r"\s+(?=</p>)", "", text)

    @pytest.mark.parametrize("address", [("whole_record",), ("subject", "medicines")])
    def test_names_one_that_names_many_things_whole_and_the_others_beside_one_without_end(
        self, hers, connection, address
    ):
        many = {"text": "Pollen of " + 18 * "many grasses, " + "and birch"}
        endless = {"text": "Latex" + 1000 * "x"}
        keep(connection, *(allergy(f"a{n}", code=code) for n, code in enumerate((many, endless, {"text": "Walnut"}))))
        text = main(hers, *address)
        assert "and birch" in text
        assert "Walnut" in text
        assert "Latex" + 294 * "x" + "…" in text
        assert 300 * "x" not in text

    @pytest.mark.parametrize("address", [("whole_record",), ("subject", "allergies"), ("subject", "medicines")])
    @pytest.mark.parametrize(
        ("code", "said"),
        [
            (NONE_KNOWN, "Harbor Family Practice recorded “no known allergies” on March 4, 2019."),
            (NO_MEDICINE, "Harbor Family Practice recorded “no known medicine allergies” on March 4, 2019."),
        ],
    )
    def test_says_who_recorded_that_there_are_none(self, hers, connection, address, code, said):
        keep(connection, allergy("a1", code=code, clinicalStatus=ACTIVE, recordedDate="2019-03-04"))
        text = main(hers, *address)
        assert said in text
        assert "on your lists" not in text

    def test_calls_what_came_as_a_code_alone_by_words_of_ours(self, hers, connection):
        coding = {"system": "http://snomed.info/sct", "code": "429625007"}
        keep(connection, allergy("a1", code={"coding": [coding]}, clinicalStatus=ACTIVE))
        text = main(hers, "subject", "allergies")
        assert ">No known food allergies<" in text
        assert "Unnamed entry" not in text

    def test_does_not_let_one_provider_speak_for_another(self, hers, connection, other):
        keep(connection, allergy("a1", code=NONE_KNOWN, clinicalStatus=ACTIVE, recordedDate="2019-03-04"))
        keep(other, allergy("a1", clinicalStatus=ACTIVE))
        text = main(hers, "subject", "allergies")
        assert text.index("1 allergy or reaction on your lists") < text.index("recorded “no known allergies”")
        assert "Another provider lists allergies or reactions. Tell Harbor Family Practice about them." in text

    def test_says_who_sent_none(self, hers, connection, other):
        keep(connection, allergy("a1", clinicalStatus=ACTIVE))
        keep(other)
        copied(other)
        said = "Riverside Hospital has sent no allergy entries. This does not mean you have none."
        assert said in main(hers, "whole_record")
        assert said in main(hers, "subject", "medicines")

    def test_says_of_several_at_once_that_they_sent_none(self, hers, connection, other):
        for one in (connection, other):
            keep(one)
            copied(one)
        said = "Harbor Family Practice and Riverside Hospital have sent no allergy entries. This does not mean"
        assert said in main(hers, "subject", "medicines")

    @pytest.mark.parametrize("address", [("whole_record",), ("subject", "medicines")])
    def test_says_of_none_that_they_sent_none_while_they_are_being_copied(self, hers, connection, other, address):
        keep(other)
        copied(other)
        text = main(hers, *address)
        assert "Riverside Hospital has sent no allergy entries." in text
        assert "No allergy entries have come from Harbor Family Practice yet. This does not mean you have none." in text
        assert "Harbor Family Practice has sent no" not in text

    @pytest.mark.parametrize(
        ("stands", "said"),
        [([PAST], None), ([ACTIVE], "1 allergy or reaction"), ([ACTIVE, None, PAST], "2 allergies or reactions")],
    )
    def test_counts_those_without_details_by_what_is_said_of_them(self, hers, sam, connection, older, stands, said):
        masked = {"extension": [{"url": ABSENT_REASON, "valueCode": "masked"}]}
        sent = [allergy(f"a{nth}", code=masked, clinicalStatus=status) for nth, status in enumerate(stands)]
        for one in (connection, older):
            keep(one, *sent)
        text = main(hers, "whole_record").split("Everything in your record")[0]
        assert f"{said} on your lists" in text if said else "on your lists" not in text
        listed = main(hers, "subject", "allergies")
        assert listed.count('<span class="row-title name">Entry without details') == 2 * len(stands)
        assert (">Past<" in listed) is (PAST in stands)
        hers.force_login(sam)
        assert "Entry without details" not in main(hers, "subject", "allergies")

    def test_counts_none_that_is_past_or_ruled_out(self, hers, connection):
        past = {"coding": [{"code": "resolved"}]}
        keep(connection, allergy("a1", clinicalStatus=past))
        assert "on your lists" not in main(hers, "whole_record")


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
        text = main(hers, "whole_record").split("What matters now")[0]
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
        text = main(hers, "whole_record").split("What matters now")[0]
        assert "Sodium" in text
        assert "How she lives" not in text
        assert "Cause of death" not in text
        assert "1 more entry came or changed, to be opened when you like:" in text

    @pytest.mark.parametrize(
        ("code", "subject"), [("72166-2", "history"), ("44260-8", "results")], ids=["how she lives", "an answer"]
    )
    def test_says_that_something_came_where_none_of_it_is_named(
        self, hers, alice, connection, last_visit, code, subject
    ):
        keep(connection, *(result(number, name="Let be", code=code) for number in range(2)))
        looked(alice, at=last_visit)
        checked(connection, changed=2, at=timezone.now())
        Record.objects.update(received_at=timezone.now(), first_received_at=timezone.now())
        text = main(hers, "whole_record").split("What matters now")[0]
        assert "New since your last visit on" in text
        assert "2 entries came or changed, to be opened when you like:" in text
        assert reverse("subject", args=[subject]) in text
        assert "Let be" not in text

    def test_says_nothing_of_what_no_list_has(self, hers, alice, connection, last_visit):
        keep(connection, {**result(0), "status": "entered-in-error"})
        looked(alice, at=last_visit)
        checked(connection, changed=1, at=timezone.now())
        Record.objects.update(received_at=timezone.now())
        assert "New since" not in main(hers, "whole_record")

    def test_names_what_came_since_without_values(self, hers, alice, connection, last_visit):
        keep(connection, result(0, value=152.5), result(1, name="Potassium"))
        Record.objects.update(received_at=last_visit - timedelta(days=1))
        Record.objects.filter(logical_id="o0").update(received_at=timezone.now(), first_received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=1, at=timezone.now())
        text = main(hers, "whole_record").split("What matters now")[0]
        assert "New since your last visit on" in text
        assert "Sodium" in text
        assert "Potassium" not in text
        assert "152.5" not in text
        assert "changed" not in text

    def test_names_a_condition_in_the_provider_s_words_as_well(self, hers, alice, connection, last_visit):
        coded = {"text": "Diabetes", "coding": [{"system": "http://snomed.info/sct", "code": "714628002"}]}
        keep(connection, {**condition("c1", ""), "code": coded})
        Record.objects.update(received_at=timezone.now(), first_received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=1, at=timezone.now(), resource_type="Condition")
        text = main(hers, "whole_record").split("What matters now")[0]
        assert 'Blood sugar above usual (prediabetes) <span class="theirs">(Diabetes)</span>' in text

    def test_says_what_changed(self, hers, alice, connection, last_visit):
        keep(connection, result(0))
        Record.objects.update(first_received_at=last_visit - timedelta(days=9), received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=1, at=timezone.now())
        assert "<span>Results</span> <span><span>· </span>changed</span> " in main(hers, "whole_record")

    def test_counts_nobody_of_whom_entries_tell(self, hers, alice, connection, last_visit):
        person = {"resourceType": "RelatedPerson", "patient": {"reference": f"Patient/{PATIENT_ID}"}}
        keep(connection, result(0), *({**person, "id": f"r{number}"} for number in range(25)))
        looked(alice, at=last_visit)
        for resource_type, changed in (("Observation", 1), ("RelatedPerson", 25)):
            checked(connection, changed=changed, at=timezone.now(), resource_type=resource_type)
        Record.objects.update(received_at=timezone.now())
        text = main(hers, "whole_record")
        assert "New since" in text
        assert "came or changed" not in text

    def test_counts_what_it_does_not_name(self, hers, alice, connection, last_visit):
        keep(connection, *(result(number) for number in range(9)))
        Record.objects.update(received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=9, at=timezone.now())
        text = main(hers, "whole_record")
        assert "4 more entries came or changed, to be opened when you like:" in text
        assert f'<a href="{reverse("subject", args=["results"])}">Results</a>' in text

    def test_counts_what_it_does_not_look_through(self, hers, alice, connection, last_visit):
        first, last = ({**result(number), "status": "entered-in-error"} for number in (31, 32))
        keep(connection, first, *(result(number) for number in range(30)), last)  # the first is not looked through
        Record.objects.update(received_at=timezone.now())
        looked(alice, at=last_visit)
        checked(connection, changed=31, at=timezone.now())
        text = main(hers, "whole_record")
        assert "25 more entries came or changed, to be opened when you like:" in text
        assert f'<a href="{reverse("everything_by_date")}">Everything by date</a>' in text

    def test_is_not_said_at_the_first_visit_nor_where_nothing_came(self, hers, alice, connection, last_visit):
        keep(connection, result(0))
        checked(connection, changed=1, at=last_visit)
        assert "New since" not in main(hers, "whole_record")
        looked(alice, at=timezone.now() - timedelta(days=2))
        assert "New since" not in main(hers, "whole_record")

    def test_takes_at_most_twelve_queries(
        self, hers, alice, connection, other, last_visit, django_assert_max_num_queries
    ):
        for one in (connection, other):
            keep(one, allergy("a1"), *(result(number) for number in range(60)))
            checked(one, changed=60, at=timezone.now())
        Record.objects.update(received_at=timezone.now())
        looked(alice, at=last_visit)
        main(hers, "whole_record")
        with django_assert_max_num_queries(12):
            assert "New since" in main(hers, "whole_record")
