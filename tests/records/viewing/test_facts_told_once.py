"""An entry's page shows no date twice, loses no time of day, and calls nothing done that was not."""

from typing import Any

import pytest

from apps.records.presenting import KINDS
from apps.records.viewing.facts import labels
from tests.records.told import concept, entry, in_row, named, on_page

DAYS = {"boundsPeriod": {"start": "2019-03-04", "end": "2019-06-04"}}
HOURS = {"boundsPeriod": {"start": "2019-03-04T10:30:00Z", "end": "2019-03-04T12:00:00Z"}}
WEEKLY = {"frequency": 2, "period": 1, "periodUnit": "wk"}


def ordered(**timing: Any) -> str:
    return on_page(entry("ServiceRequest", code=named("Massage"), authoredOn="2019-03-01", occurrenceTiming=timing))


def to_do(**timing: Any) -> str:
    detail = {"description": "Walk", "status": "scheduled", "scheduledTiming": timing}
    return on_page(entry("CarePlan", status="active", activity=[{"detail": detail}]))


class TestAnOrderWithATiming:
    @pytest.mark.parametrize(
        "timing", [{"repeat": DAYS}, {"event": ["2019-05-05T14:30:00Z"]}], ids=["from-to", "event"]
    )
    def test_that_is_a_date_says_when_and_not_how_often(self, timing):
        told = ordered(**timing)
        assert "Planned for: " in told
        assert "How often" not in told

    def test_says_in_how_often_from_when_to_when(self):
        told = ordered(repeat={**DAYS, **WEEKLY})
        assert "How often: 2 times a week" in told
        assert told.count("June 4, 2019") == 1

    def test_keeps_the_hours_that_how_often_does_not_tell(self):
        assert "10:30" in ordered(repeat={**HOURS, **WEEKLY})

    def test_of_several_days_says_each(self):
        told = ordered(event=["2019-05-05", "2019-05-12"])
        assert "How often: On May 5, 2019 and May 12, 2019" in told
        assert "Planned for" not in told


class TestWhatIsToBeDone:
    def test_keeps_the_hours_it_is_planned_for(self):
        assert "10:30" in to_do(repeat=HOURS)

    def test_says_once_from_when_to_when(self):
        assert to_do(repeat={**DAYS, **WEEKLY}).count("June 4, 2019") == 1


class TestWhatWasNotDone:
    @pytest.mark.parametrize("sent", [{"status": "not-done"}, {"status": "preparation"}, {"notPerformed": True}])
    @pytest.mark.parametrize("action", [concept("implanted"), named("Removal")])
    def test_puts_no_device_in_and_takes_none_out(self, sent, action):
        focal = [{"action": action, "manipulated": {"display": "Pacer"}}]
        told = entry("Procedure", focalDevice=focal, code=named("Operation"), **sent)
        assert "Devices: Pacer" in on_page(told).splitlines()
        assert "Pacer" not in in_row(told)


class TestAMedicineOfAHospitalStay:
    @pytest.mark.parametrize(
        ("categories", "is_told"), [(["inpatient"], True), (["inpatient", "discharge"], False), (["community"], False)]
    )
    def test_is_one_that_does_not_go_home(self, categories, is_told):
        told = entry("MedicationRequest", status="active", category=[concept(code) for code in categories])
        assert ("For a hospital stay" in in_row(told)) is is_told


class TestARow:
    @pytest.mark.parametrize("kind", KINDS)
    def test_names_fields_that_its_kind_has(self, kind):
        told = {*labels.in_rows(kind), *labels.first_in_rows(kind), *labels.behind_in_rows(kind)}
        assert told <= set(KINDS[kind].__struct_fields__)
