"""Telephone numbers on the page of a care team or an insurer are links that call."""

import json
from typing import Any

import pytest

from apps.records import presenting
from apps.records.presenters.entry import Context, Entry
from apps.records.templatetags.entry_rows import fact_line
from apps.records.viewing import facts

CALL = '<a href="tel:+15550142">+1 (555) 0142</a>'


def entry(resource_type: str, **sent: Any) -> Entry:
    body = json.dumps({"resourceType": resource_type, "id": "x1", **sent}).encode()
    return presenting.present(body, resource_type=resource_type, logical_id="x1", context=Context())[1]


def told(of: Entry) -> list[str]:
    lines = (line for fact in facts.of(of, provider="Harbor") for line in fact.lines)
    return [fact_line(line, "", frozenset(), of) for line in lines]


def team(**telecom: str) -> Entry:
    doctor = {"resourceType": "Practitioner", "id": "d", "name": [{"text": "Ada Rose"}], "telecom": [telecom]}
    role = {"text": "Call 555"}
    return entry("CareTeam", contained=[doctor], participant=[{"member": {"reference": "#d"}, "role": [role]}])


class TestATelephoneNumber:
    @pytest.mark.parametrize("system", ["phone", "sms"])
    def test_of_a_care_team_can_be_called(self, system):
        (line,) = (line for line in told(team(system=system, value="+1 (555) 0142")) if "Ada Rose" in line)
        assert line == f"Call 555 \N{MIDDLE DOT} Ada Rose \N{MIDDLE DOT} {CALL}"

    def test_of_an_insurer_can_be_called(self):
        payer = {"resourceType": "Organization", "id": "p", "telecom": [{"system": "phone", "value": "+1 (555) 0142"}]}
        plan = entry("Coverage", status="active", contained=[payer], payor=[{"reference": "#p"}])
        assert CALL in told(plan)

    def test_of_whom_to_ask_about_a_device_can_be_called(self):
        assert CALL in told(entry("Device", contact=[{"system": "phone", "value": "+1 (555) 0142"}]))

    @pytest.mark.parametrize(
        ("system", "value"),
        [
            ("email", "555-0142"),
            ("phone", "555-0142 ext. 7"),
            ("phone", "<b>555-0142</b>"),
            ("phone", "911"),
            ("phone", 'x" onclick="y'),
        ],
    )
    def test_is_nothing_else(self, system, value):
        said = " ".join(told(team(system=system, value=value)))
        assert "<a" not in said
        assert "<b" not in said

    def test_is_not_part_of_a_longer_one(self):
        of = team(system="phone", value="555-0142")
        assert fact_line("1555-0142 555-01423", "", frozenset(), of) == "1555-0142 555-01423"
