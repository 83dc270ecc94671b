"""The first page of the whole record: what matters now, and what is said about allergies."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.models import Connection
from apps.records.models import Leaf, Shelf, SyncRun, SyncStep
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

    def test_has_results_of_a_date_that_cannot_be_last(self, hers, connection):
        keep(connection, result(0), {**result(1, name="Potassium", code="2823-3"), "effectiveDateTime": "2999-01-01"})
        text = main(hers, "whole_record")
        assert text.index(">Sodium") < text.index(">Potassium")

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
        assert "<span>1 entry</span>" in main(hers, "home")
        assert "1 entry" in main(hers, "subject", "conditions")
        hers.force_login(sam)
        assert hers.get(reverse("record", args=[connection.pk])).status_code == 404

    def test_is_no_entry_where_its_provider_says_that_there_is_none(self, hers, connection):
        none_known = {"coding": [{"system": "http://snomed.info/sct", "code": "160245001"}]}
        keep(connection, {**condition("c1", ""), "code": none_known}, allergy("a1", code=NO_MEDICINE))
        copied(connection)
        run = SyncRun.objects.create(
            user=connection.user, connection=connection, cause="clock", outcome="complete",
            created_at=timezone.now(), finished_at=timezone.now(),
        )  # fmt: skip
        for name in ("AllergyIntolerance", "Condition"):
            step = {"resource_type": name, "status": "complete", "finished_at": timezone.now()}
            SyncStep.objects.create(run=run, user=connection.user, **step)
        text = main(hers, "record", connection.pk)
        assert "Harbor Family Practice recorded: none known. Complete as of" in text
        assert "Harbor Family Practice recorded: none known, or none of a kind. Complete as of" in text
        assert "1 entry. Complete" not in text.split("Personal details")[-1]


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
