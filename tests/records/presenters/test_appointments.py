"""An Appointment of either version, and its status on the day on which a page is read."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given

from apps.records.presenters import appointments
from apps.records.presenters.appointments import AppointmentEntry, Group, Status
from apps.records.presenters.entry import Context
from apps.records.viewing import current_status
from apps.records.viewing.listing import row_details, rows
from apps.records.viewing.wording import other_kinds, words
from tests.records.presenters.oddities import odd, shelved

TODAY = date(2026, 3, 4)
HARBOR = {"resourceType": "Location", "id": "h", "name": "Harbor Clinic"}
CONTEXT = Context(others={"Location/h": HARBOR})
TAKE_PART = [
    {"actor": {"reference": "Patient/p", "display": "Pat"}},
    {"actor": {"reference": "Practitioner/f", "display": "Ada Finch"}},
    {"actor": {"reference": "Location/h"}},
    {"type": [{"text": "interpreter"}]},
]


def of(**sent: Any) -> AppointmentEntry:
    return appointments.present({"resourceType": "Appointment", "id": "a", **sent}, CONTEXT)


class TestAnAppointment:
    def test_says_when_it_is_where_with_whom_and_why(self):
        entry = of(
            status="booked",
            start="2026-03-05T10:00:00Z",
            end="2026-03-05T10:30:00Z",
            participant=TAKE_PART,
            description="Check-up",
            patientInstruction="Come without breakfast",
        )
        assert (entry.title, entry.people, entry.places) == ("Check-up", ("Ada Finch",), ("Harbor Clinic",))
        assert (entry.when.means, entry.when.starts, entry.when.ends) == (
            "planned", "2026-03-05T10:00:00Z", "2026-03-05T10:30:00Z",
        )  # fmt: skip
        assert entry.advice == ("Come without breakfast",)
        assert [said for said in row_details.of(entry) if said][1:] == ["Harbor Clinic", "Ada Finch"]

    def test_is_the_same_from_both_versions(self):
        shared = {"status": "cancelled", "start": "2026-03-05T10:00:00Z", "participant": TAKE_PART, "comment": "By bus"}
        dstu2 = of(**shared, type={"text": "Check-up"}, reason={"text": "Cough"})
        r4 = of(**shared, appointmentType={"text": "Check-up"}, reasonCode=[{"text": "Cough"}])
        assert dstu2 == r4
        assert (r4.title, r4.reasons, r4.said, r4.group) == ("Check-up", ("Cough",), ("By bus",), Group.PAST)

    @pytest.mark.parametrize(
        "actor",
        [
            {"reference": "Location/x/_history/2", "display": "Room 3"},
            {"reference": "https://other.example/r4/Location/x", "display": "Room 3"},
            {"type": "Location", "display": "Room 3"},
            {"reference": "#room"},
        ],
    )
    def test_knows_a_place_however_it_is_named(self, actor):
        room = {"resourceType": "Location", "id": "room", "name": "Room 3"}
        entry = of(status="booked", contained=[room], participant=[{"actor": actor}], description="Check-up")
        assert (entry.places, entry.people) == (("Room 3",), ())

    def test_passes_over_what_stands_in_place_of_a_name(self):
        assert of(status="booked", description="-", appointmentType={"text": "Check-up"}).title == "Check-up"

    def test_without_a_name_is_called_what_it_is(self):
        entry = of(status="booked", start="2026-03-05")
        assert (rows.names(entry)[0], other_kinds.said(entry)) == ("Appointment", "Other entry (appointment)")

    def test_that_is_only_asked_for_says_between_which_days(self):
        entry = of(status="proposed", requestedPeriod=[{"start": "2026-03-05", "end": "2026-03-09"}])
        assert (entry.when.starts, entry.when.ends) == ("2026-03-05", "2026-03-09")

    def test_says_why_it_was_canceled(self):
        assert of(status="cancelled", cancelationReason={"text": "Ill"}).reasons_not == ("Ill",)

    @pytest.mark.parametrize(
        ("status", "before", "after"),
        [
            ("proposed", "Asked for", "Date passed"),
            ("pending", "Asked for", "Date passed"),
            ("booked", "Booked", "Date passed"),
            ("waitlist", "On the waiting list", "Date passed"),
            ("arrived", "Arrived", "Arrived"),
            ("checked-in", "Arrived", "Arrived"),
            ("fulfilled", "Done", "Done"),
            ("cancelled", "Canceled", "Canceled"),
            ("noshow", "Marked as missed", "Marked as missed"),
            ("odd", "Status not given", "Status not given"),
        ],
    )
    def test_stands_as_its_status_and_the_day_say(self, status, before, after):
        entry = of(status=status, start="2026-03-04T10:00:00Z", end="2026-03-04T10:30:00Z", description="Check-up")
        told = [words.of_status(current_status.of(entry, datetime(2026, 3, day, tzinfo=UTC))) for day in (3, 4, 5)]
        assert told == [before, before, after]

    def test_of_no_day_is_never_said_to_have_passed(self):
        assert of(status="booked", description="Check-up").standing(today=TODAY) is Status.BOOKED

    @given(content=odd("status", "start", "end", "participant", "description", "requestedPeriod", "reason", "comment"))
    def test_never_raises_and_can_be_shelved(self, content):
        shelved(appointments.present, content).standing(today=TODAY)  # type: ignore[attr-defined]  # its kind

    def test_says_nothing_of_what_was_entered_in_error(self):
        entry = of(status="entered-in-error", description="Canary")
        assert entry.is_withdrawn
        assert "Canary" not in repr(entry)
