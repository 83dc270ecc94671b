"""Dates in lists and on entries: as they were sent, with what they are dates of, and called odd if they are."""

import pytest

from apps.records.models import Record
from tests.records.pages import main, page
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db


class TestADateThatCannotBe:
    @pytest.mark.parametrize("on", ["2999-01-01", "1066-10-14", "1984-02-01"])
    def test_is_shown_as_sent_and_said_to_look_wrong(self, hers, connection, on):
        keep(connection, {**result(0), "effectiveDateTime": on})
        assert "This date looks wrong. Ask Harbor Family Practice." in page(hers, "subject", "results")
        record = Record.objects.get(logical_id="o0")
        text = page(hers, "entry", "results", record.pk)
        assert "This date looks wrong. Ask Harbor Family Practice." in text
        assert on[:4] in text

    @pytest.mark.parametrize("on", ["2024-12-31", "1984-03-09", "1984", "1984-03"])
    def test_is_not_one_that_can(self, hers, connection, on):
        keep(connection, {**result(0), "effectiveDateTime": on})
        assert "looks wrong" not in page(hers, "subject", "results")

    def test_is_not_that_of_a_plan(self, hers, connection):
        planned = {"resourceType": "Appointment", "id": "ap", "status": "booked", "start": "2999-01-01T10:00:00Z"}
        keep(connection, planned)
        text = page(hers, "subject", "other")
        assert "January 1, 2999" in text
        assert "looks wrong" not in text


class TestAPeriodThatEndsBeforeItBegins:
    SAID = "The end date is before the start date. Harbor Family Practice sent it this way. Ask them."
    VISIT = {"resourceType": "Encounter", "id": "v1", "status": "finished", "class": {"code": "IMP"}}

    @pytest.mark.parametrize(
        ("key", "sent"),
        [
            ("visits", {**VISIT, "period": {"start": "2024-05-09", "end": "2024-05-02"}}),
            ("visits", {**VISIT, "period": {"start": "2024-05-09T10:00:00-05:00", "end": "2024-05-09T10:30:00-04:00"}}),
            (
                "conditions",
                {
                    "resourceType": "Condition",
                    "id": "v1",
                    "code": {"text": "Asthma"},
                    "onsetDateTime": "2024-05",
                    "abatementDateTime": "2023",
                },
            ),
            (
                "medicines",
                {
                    **order("v1"),
                    "dosageInstruction": [
                        {"timing": {"repeat": {"boundsPeriod": {"start": "2024-05-09", "end": "2024-05-02"}}}}
                    ],
                },
            ),
        ],
    )
    def test_is_shown_as_sent_and_said_to_be(self, hers, connection, key, sent):
        keep(connection, sent)
        record = Record.objects.get(logical_id="v1")
        assert self.SAID in page(hers, "subject", key)
        assert self.SAID in page(hers, "entry", key, record.pk)

    @pytest.mark.parametrize(
        ("start", "end"),
        [
            ("2024-05-09", "2024-05-09"),
            ("2024-05-09", "2024-05"),
            ("2024-05-09", "2024"),
            ("2024-05-09T23:00:00-05:00", "2024-05-09"),
            ("2024-05-09T10:00:00-05:00", "2024-05-09T10:30:00-06:00"),
        ],
    )
    def test_is_not_one_that_may_not(self, hers, connection, start, end):
        keep(connection, {**self.VISIT, "period": {"start": start, "end": end}})
        assert "before the start date" not in page(hers, "subject", "visits")


class TestAClockTime:
    @pytest.mark.parametrize(
        ("sent", "said"),
        [
            ("2024-03-04T14:05:00-05:00", "March 4, 2024, 2:05 p.m."),
            ("2024-03-04T23:30:00+09:00", "March 4, 2024, 11:30 p.m."),
            ("2024-03-04T14:05:00Z", "March 4, 2024, 2:05 p.m."),
        ],
    )
    def test_is_on_the_entry_where_it_was_sent(self, hers, connection, sent, said):
        keep(connection, {**result(0), "effectiveDateTime": sent})
        assert said in page(hers, "entry", "results", Record.objects.get(logical_id="o0").pk)

    @pytest.mark.parametrize("sent", ["2024-03-04", "2024-03-04T00:00:00Z"])
    def test_is_not_made_up(self, hers, connection, sent):
        keep(connection, {**result(0), "effectiveDateTime": sent})
        text = page(hers, "entry", "results", Record.objects.get(logical_id="o0").pk)
        assert "March 4, 2024<" in text


class TestADateInARow:
    def test_of_a_document_is_when_the_visit_was(self, hers, connection):
        document = {
            "resourceType": "DocumentReference",
            "id": "d1",
            "status": "current",
            "type": {"text": "Progress note"},
            "context": {"period": {"start": "2024-06-09T10:00:00-05:00"}},
            "content": [{"attachment": {"contentType": "text/plain", "url": "Binary/1"}}],
        }
        keep(connection, document)
        text = main(hers, "subject", "documents")
        assert "Visit June 9, 2024" in text
        assert "Since" not in text

    def test_says_what_it_is_of(self, hers, connection):
        goal = {
            "resourceType": "Goal",
            "id": "g1",
            "lifecycleStatus": "active",
            "description": {"text": "Walk every day"},
            "startDate": "2024-01-05",
            "target": [{"dueDate": "2027-02-20"}],
            "subject": {"reference": f"Patient/{PATIENT_ID}"},
        }
        keep(connection, goal)
        assert "To be reached by: February 20, 2027" in main(hers, "subject", "plans")


class TestWhatIsOdd:
    @pytest.fixture
    def ended(self, connection):
        supply = {"validityPeriod": {"start": "2024-01-05", "end": "2024-06-05"}}
        keep(connection, {**order("m1"), "dispenseRequest": supply}, {**order("m2", status="stopped")})

    def test_says_that_the_end_of_a_current_medicine_has_passed(self, hers, ended):
        said = "The end date has passed (June 5, 2024). Ask whether you still take it."
        assert main(hers, "subject", "medicines").count(said) == 1
        assert said in page(hers, "entry", "medicines", Record.objects.get(logical_id="m1").pk)
        assert said not in page(hers, "entry", "medicines", Record.objects.get(logical_id="m2").pk)

    def test_names_who_took_part_in_a_visit_once(self, hers, connection):
        seen_by = {"type": [{"text": "primary performer"}], "individual": {"display": "Dr. Ives"}}
        keep(connection, {"resourceType": "Encounter", "id": "e1", "status": "finished", "participant": [seen_by]})
        text = main(hers, "subject", "visits")
        assert text.count("Dr. Ives") == 1
        assert "Dr. Ives · primary performer" in text

    def test_says_that_a_visit_never_ended(self, hers, connection):
        visit = {
            "resourceType": "Encounter",
            "id": "e1",
            "status": "in-progress",
            "class": {"code": "IMP"},
            "subject": {"reference": f"Patient/{PATIENT_ID}"},
            "period": {"start": "2020-01-05"},
        }
        keep(connection, visit, {**visit, "id": "e2", "status": "finished"})
        assert main(hers, "subject", "visits").count("No end date was recorded") == 1
