"""How to reach those whom an entry names: each number once, and none at home."""

from typing import Any

import pytest

from apps.records.presenters.entry import Context
from apps.records.presenters.persons import contact_points
from apps.records.templatetags.entry_rows import reached_line

ROOT = "https://harbor.example/r4"


def phone(value="555-0100", **also):
    return {"system": "phone", "value": value, **also}


def others(*resources):
    return Context({f"{one['resourceType']}/{one['id']}": one for one in resources}, root=ROOT)


def clinic(*telecom, **also):
    return {"resourceType": "Organization", "id": "o", "name": "Bay Clinic", "telecom": [*telecom], **also}


def doctor(*telecom, **also):
    return {"resourceType": "Practitioner", "id": "d", "name": [{"text": "Ada Rose"}], "telecom": [*telecom], **also}


def place(**also):
    return {"resourceType": "Location", "id": "l", "name": "East Wing", **also}


def told(resource, *resources):
    return [(one.name, one.address, one.number) for one in contact_points.of(resource, others(*resources))]


VISIT = {
    "resourceType": "Encounter",
    "id": "e",
    "participant": [{"individual": {"reference": "Practitioner/d"}}],
    "serviceProvider": {"reference": "Organization/o"},
    "location": [{"location": {"reference": "Location/l"}}],
}


class TestWhoeverIsNamed:
    def test_is_told_with_the_number_people_call(self):
        ways = ({"system": "fax", "value": "1"}, phone("2", use="old"), phone())
        assert told(VISIT, clinic(*ways)) == [("Bay Clinic", "", "555-0100")]

    @pytest.mark.parametrize("named", [f"{ROOT}/Organization/o", "Organization/o/_history/2", "#o"])
    def test_is_found_however_they_are_named(self, named):
        inside = {"contained": [clinic(phone())]} if named == "#o" else {}
        sent = {"resourceType": "Observation", "performer": [{"reference": named}], **inside}
        assert told(sent, *(() if inside else (clinic(phone()),))) == [("Bay Clinic", "", "555-0100")]

    def test_is_nobody_of_another_server(self):
        sent = {"resourceType": "Observation", "performer": [{"reference": "https://other.example/Organization/o"}]}
        assert not told(sent, clinic(phone()))

    def test_shares_a_number_with_the_place_they_work_at(self):
        assert told(VISIT, doctor(phone()), clinic(phone())) == [("Bay Clinic", "", "555-0100")]
        assert told(VISIT, doctor(phone("2")), clinic(phone())) == [
            ("Bay Clinic", "", "555-0100"),
            ("Ada Rose", "", "2"),
        ]

    @pytest.mark.parametrize("use", ["home", "old", "temp"])
    def test_is_not_called_at_home(self, use):
        assert not told(VISIT, doctor(phone(use=use)))
        assert told(VISIT, doctor(phone(use="work")))

    def test_is_reached_where_they_work_where_they_have_no_number(self):
        role = {
            "resourceType": "PractitionerRole",
            "id": "r",
            "practitioner": {"display": "Ada Rose"},
            "organization": {"reference": "Organization/o"},
        }
        sent = {"resourceType": "ServiceRequest", "requester": {"reference": "PractitionerRole/r"}}
        assert told(sent, role, clinic(phone())) == [("Ada Rose", "", "555-0100")]

    def test_has_an_address_where_it_is_a_place(self):
        address = {"line": ["2 Water Street"], "city": "Boston", "state": "MA", "postalCode": "02115"}
        east = place(address=address, managingOrganization={"reference": "Organization/o"})
        assert told(VISIT, east, clinic(phone(), address=[address])) == [
            ("East Wing", "2 Water Street, Boston, MA 02115", "555-0100")
        ]

    def test_is_not_the_patient_or_what_is_contained_and_named_by_nothing(self):
        sent = {"resourceType": "Observation", "subject": {"reference": "Location/l"}, "contained": [clinic(phone())]}
        assert not told(sent, place(telecom=[phone()]))

    def test_is_found_behind_much_that_names_nobody(self):
        results = [{"reference": f"Observation/{n}"} for n in range(1000)]
        sent = {"resourceType": "DiagnosticReport", "result": results, "performer": [{"reference": "Organization/o"}]}
        assert told(sent, clinic(phone())) == [("Bay Clinic", "", "555-0100")]

    def test_is_at_most_a_few(self):
        many = [{**clinic(phone(str(n))), "id": str(n)} for n in range(300)]
        sent = {"resourceType": "CarePlan", "author": [{"reference": f"Organization/{n}"} for n in range(300)]}
        assert len(told(sent, *many)) == 5

    @pytest.mark.parametrize(
        "odd", [None, "x", 5, [None, "x", 5], [[{"value": "1"}]], [{"system": 5, "value": []}], {}]
    )
    def test_is_nobody_where_nothing_can_be_read(self, odd):
        assert not told(VISIT, {**clinic(), "telecom": odd}, place(telecom=odd, address=odd, managingOrganization=odd))
        assert not told({**VISIT, "serviceProvider": odd, "location": odd, "participant": odd}, clinic(phone()))
        assert not told({**VISIT, "serviceProvider": {"reference": odd}}, place())

    def test_is_sought_no_deeper_than_resources_are(self):
        deep: dict[str, Any] = {"reference": "Organization/o"}
        for _level in range(500):
            deep = {"part": [deep]}
        assert not told({"resourceType": "Basic", **deep}, clinic(phone()))


class TestTheLineOfOne:
    def test_leads_to_a_call(self):
        one = contact_points.ContactPoint("Bay & Sons", "2 Water Street", "+1 (555) 0100")
        call = '<a href="tel:+15550100">+1 (555) 0100</a>'
        assert reached_line(one) == f"Bay &amp; Sons \N{MIDDLE DOT} 2 Water Street \N{MIDDLE DOT} {call}"

    @pytest.mark.parametrize("number", ["555-0100 ext. 4", '"onclick="x', "<b>5550100</b>", "911"])
    def test_leads_nowhere_where_it_cannot_be_dialed(self, number):
        line = reached_line(contact_points.ContactPoint("<i>Bay", "", number))
        assert "<a" not in line
        assert "<i" not in line
        assert "<b" not in line
