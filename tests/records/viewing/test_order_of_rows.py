"""The parts of a row are in the order in which people recognize such things (patient experience 3)."""

import json
import re
from typing import Any

import pytest

from apps.connections.models import Connection
from apps.directory.models import Provider
from apps.records import presenting
from apps.records.presenters.entry import Context
from apps.records.shelving.reading import Shelved
from apps.records.templatetags import entry_rows
from apps.records.viewing.listing import rows
from apps.records.viewing.opening.whole import Source

VISIT = {"status": "finished", "type": [{"text": "Check-up"}], "serviceProvider": {"display": "Heron Clinic"}}
SEEN_BY = [{"individual": {"display": "Dr. Ives"}}]
DOCTOR = {"display": "Dr. Ives"}
DONE_BY = {"performer": [{"actor": DOCTOR}]}
PLACE = [{"location": {"display": "Room 2"}}]
PROCEDURE = {"status": "completed", "code": {"text": "Appendix removal"}, "location": {"display": "Heron Clinic"}}
DOCUMENT = {"status": "current", "type": {"text": "Letter"}, "description": "About the knee"}
FILE = [{"attachment": {"contentType": "application/pdf", "size": 2048, "url": "Binary/b1"}}]
SPECIALTY = {"practiceSetting": {"text": "Cardiology"}}


def said(resource_type: str, **sent: Any) -> list[str]:
    """What the row says, line by line."""
    body = json.dumps({"resourceType": resource_type, "id": "x1", **sent}).encode()
    told = presenting.present(body, resource_type=resource_type, logical_id="x1", context=Context())[1]
    connection = Connection(provider=Provider(name="Harbor"))
    (row,) = rows.of(
        [Shelved(1, connection.pk, "visits", (0, "", "", 1), told)],
        {connection.pk: Source(connection, None, is_out_of_date=False)},
    )
    markup = str(entry_rows.entry_row(row)).partition("</div>")[0]
    lines = re.split(r'<span class="row-(?:title|said|detail)[^"]*">', markup)[1:]
    return [re.sub(r"<[^>]*>", "", line).strip() for line in lines]


class TestARow:
    @pytest.mark.parametrize(
        "sent",
        [
            {"class": {"code": "AMB"}, "period": {"start": "2024-01-05"}},
            {"class": "outpatient", "period": {"start": "2024-01-05"}},
        ],
    )
    def test_of_a_visit_says_its_date_before_who_and_where(self, sent):
        assert said("Encounter", **VISIT, **sent, participant=SEEN_BY, location=PLACE) == [
            *("Check-up", "Visit", "Seen January 5, 2024", "Dr. Ives", "Heron Clinic", "Room 2", "Harbor"),
        ]

    def test_of_a_procedure_says_its_date_before_where_and_who(self):
        assert said("Procedure", **PROCEDURE, **DONE_BY, performedDateTime="2024-01-05") == [
            *("Appendix removal", "Done January 5, 2024", "Heron Clinic", "Dr. Ives", "Harbor"),
        ]

    @pytest.mark.parametrize(
        "sent",
        [
            {"date": "2024-01-05", "context": SPECIALTY},
            {"created": "2024-01-05", "context": SPECIALTY},
        ],
    )
    def test_of_a_document_says_its_date_before_its_author_and_its_file(self, sent):
        assert said("DocumentReference", **DOCUMENT, **sent, author=[{"display": "Dr. Ives"}], content=FILE) == [
            *("Letter", "About the knee", "Written down January 5, 2024", "Dr. Ives", "Cardiology"),
            *("PDF document, 2.0\xa0KB", "Harbor"),
        ]

    def test_of_an_appointment_says_its_date_before_where_and_who(self):
        taking_part = [
            {"actor": {"reference": "Location/l1", "display": "Room 2"}},
            {"actor": {"reference": "Practitioner/p1", "display": "Dr. Ives"}},
        ]
        assert said("Appointment", status="booked", start="2024-01-05T10:00:00+01:00", participant=taking_part) == [
            *("Appointment", "Booked · Planned for January 5, 2024", "Room 2", "Dr. Ives", "Harbor"),
        ]

    @pytest.mark.parametrize(
        ("resource_type", "sent"),
        [
            ("MedicationRequest", {"authoredOn": "2024-01-05", "intent": "order", "requester": DOCTOR}),
            ("MedicationOrder", {"dateWritten": "2024-01-05", "prescriber": DOCTOR}),
        ],
    )
    def test_of_a_medicine_says_how_to_take_it_and_how_it_stands_before_who_prescribed_it(self, resource_type, sent):
        taken = {"medicationCodeableConcept": {"text": "Cetirizine"}, "dosageInstruction": [{"text": "One a day"}]}
        assert said(resource_type, status="active", **taken, **sent) == [
            *("Cetirizine", "One a day", "On the current list · Prescribed January 5, 2024", "Dr. Ives", "Harbor"),
        ]

    def test_of_what_was_not_done_says_why_before_its_date(self):
        why = {"notPerformed": True, "reasonNotPerformed": [{"text": "Fever"}]}
        assert said("Procedure", **{**PROCEDURE, **why}) == [
            *("Appendix removal", "Why not: Fever", "Not done · Date not given", "Heron Clinic", "Harbor"),
        ]

    def test_stands_on_one_line_where_nothing_stands_behind_the_date(self):
        assert said("Condition", code={"text": "Asthma"}, onsetDateTime="2024-01-05", severity={"text": "Mild"}) == [
            *("Asthma", "Severity: Mild", "Status not given · Started January 5, 2024 · Harbor"),
        ]
        assert said("Procedure", status="completed", code={"text": "Cast"}, performedDateTime="2024-01-05") == [
            *("Cast", "Done January 5, 2024 · Harbor"),
        ]
