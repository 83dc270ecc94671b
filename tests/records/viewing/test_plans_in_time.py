"""What is only planned is not called prescribed, ordered or under way, whenever it is or was to be."""

import pytest

from tests.records.told import entry, in_row, named, on_page

MEDICINE = {"medicationCodeableConcept": named("Aspirin"), "authoredOn": "2024-01-05"}
ORDER = {"code": named("X-ray"), "authoredOn": "2024-01-05"}


class TestTheDateOfWhatIsOnlySuggested:
    @pytest.mark.parametrize("intent", ["proposal", "plan", "option"])
    def test_is_when_it_was_written_down(self, intent):
        medicine = on_page(entry("MedicationRequest", status="active", intent=intent, **MEDICINE))
        assert "Written down: January 5, 2024" in medicine
        assert "Prescribed" not in medicine
        order = on_page(entry("ServiceRequest", status="active", intent=intent, **ORDER))
        assert "Written down: January 5, 2024" in order
        assert "Ordered" not in order

    @pytest.mark.parametrize("intent", ["order", "original-order", None])
    def test_is_that_of_an_order_where_it_is_one(self, intent):
        assert "Prescribed: January" in on_page(entry("MedicationRequest", status="active", intent=intent, **MEDICINE))
        assert "Ordered: January" in on_page(entry("ServiceRequest", status="active", intent=intent, **ORDER))


class TestAPlanWithoutAnEnd:
    @pytest.mark.parametrize(
        ("resource_type", "sent"),
        [
            ("Procedure", {"status": "preparation", "performedPeriod": {"start": "2024-02-01"}}),
            ("CommunicationRequest", {"status": "active", "occurrencePeriod": {"start": "2024-02-01"}}),
            ("CommunicationRequest", {"status": "requested", "scheduledPeriod": {"start": "2024-02-01"}}),
            ("ServiceRequest", {"status": "active", "occurrencePeriod": {"start": "2024-02-01"}}),
        ],
    )
    def test_goes_from_a_day_on_and_not_since_then(self, resource_type, sent):
        told = on_page(entry(resource_type, code=named("X"), **sent))
        assert "Planned for: From February 1, 2024 on" in told
        assert "Since" not in told

    def test_is_told_so_of_a_month_and_until_a_day(self):
        month = entry("Procedure", code=named("X"), status="preparation", performedPeriod={"start": "2024-02"})
        assert "Planned for: From February 2024 on" in on_page(month)
        until = entry("Procedure", code=named("X"), status="preparation", performedPeriod={"end": "2024-02-01"})
        assert "Planned for: Until February 1, 2024" in on_page(until)

    def test_has_gone_on_since_then_where_it_is_under_way(self):
        begun = entry("Observation", code=named("X"), status="final", effectivePeriod={"start": "2024-02-01"})
        assert "Since February 1, 2024" in on_page(begun)


class TestWhatIsAskedFor:
    @pytest.mark.parametrize("resource_type", ["DeviceRequest", "SupplyRequest", "CommunicationRequest"])
    @pytest.mark.parametrize("occurrence", ["occurrenceDateTime", "occurrencePeriod"])
    def test_is_planned_for_then(self, resource_type, occurrence):
        day = "2024-02-01"
        when = {"start": day, "end": day} if occurrence.endswith("Period") else day
        told = on_page(entry(resource_type, status="active", authoredOn="2024-01-05", **{occurrence: when}))
        assert "Planned for: February 1, 2024" in told
        assert "Recorded" not in told

    @pytest.mark.parametrize("odd", [None, 7, [], {}, {"start": 7}])
    def test_has_the_date_of_its_writing_where_that_is_no_date(self, odd):
        told = on_page(entry("DeviceRequest", status="active", authoredOn="2024-01-05", occurrenceDateTime=odd))
        assert "Written down: January 5, 2024" in told


class TestADeviceThatWasUsed:
    @pytest.mark.parametrize("name", ["timingPeriod", "whenUsed"])
    def test_was_not_planned(self, name):
        used = entry(
            "DeviceUseStatement", device={"display": "Cane"}, **{name: {"start": "2024-02-01", "end": "2024-03-01"}}
        )
        assert "Used: February 1 to March 1, 2024" in on_page(used)


class TestAPartOfAResult:
    def test_says_its_own_usual_range(self):
        low, high = {"value": 135, "unit": "mmol/L"}, {"value": 145, "unit": "mmol/L"}
        part = {
            "code": named("Sodium"),
            "valueQuantity": {"value": 150, "unit": "mmol/L"},
            "referenceRange": [{"low": low, "high": high}],
        }
        other = {"code": named("Potassium"), "valueQuantity": {"value": 4, "unit": "mmol/L"}}
        told = on_page(entry("Observation", status="final", code=named("Salts"), component=[part, other]))
        assert "usual range: 135 to 145 mmol/L" in told
        assert told.count("usual range: ") == 1
        assert "135" not in in_row(entry("Observation", status="final", code=named("Salts"), component=[part, other]))
