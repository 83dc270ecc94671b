"""A prescribed, reported or dispensed medicine becomes one entry from both versions, and is current only if it really
is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from apps.records.presenters.entry import Context
from apps.records.presenters.medicines import medications
from apps.records.presenters.medicines.medications import Group, Kind, MedicationEntry, Status
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd, shelved

RXNORM = "http://www.nlm.nih.gov/research/umls/rxnorm"
ATORVASTATIN = {
    "coding": [{"system": RXNORM, "code": "259255", "display": "atorvastatin 80 MG tablet"}],
    "text": "atorvastatin 80 MG tablet",
}
ROSE = {"reference": "Practitioner/9", "display": "Dr. Ada Rose"}
DISPENSE_REQUEST = {
    "numberOfRepeatsAllowed": 2,
    "quantity": {"value": 30, "unit": "tablet"},
    "expectedSupplyDuration": {"value": 30, "unit": "days"},
    "validityPeriod": {"start": "2015-12-30", "end": "2016-12-30"},
}
COMMON: dict[str, Any] = {"id": "m1", "medicationCodeableConcept": ATORVASTATIN, "status": "active"}
ORDER: dict[str, Any] = {
    **COMMON,
    "resourceType": "MedicationOrder",
    "patient": {"reference": "Patient/1"},
    "prescriber": ROSE,
    "dateWritten": "2015-12-30",
    "note": "With the evening meal",
    "reasonCodeableConcept": {"text": "High cholesterol"},
    "reasonEnded": {"text": "Muscle pain"},
    "dosageInstruction": [
        {"text": "Take 1 tablet daily", "timing": {"repeat": {"boundsPeriod": {"start": "2016-01-01"}}}},
    ],
    "dispenseRequest": DISPENSE_REQUEST,
}
REQUEST: dict[str, Any] = {
    **COMMON,
    "resourceType": "MedicationRequest",
    "intent": "order",
    "subject": {"reference": "Patient/1"},
    "requester": ROSE,
    "authoredOn": "2015-12-30",
    "note": [{"text": "With the evening meal"}],
    "reasonCode": [{"text": "High cholesterol"}],
    "statusReason": {"text": "Muscle pain"},
    "dosageInstruction": ORDER["dosageInstruction"],
    "dispenseRequest": DISPENSE_REQUEST,
}
REPORT: dict[str, Any] = {
    **COMMON,
    "resourceType": "MedicationStatement",
    "informationSource": {"reference": "Patient/1", "display": "Wren"},
    "effectivePeriod": {"start": "2015-12-30"},
    "dateAsserted": "2016-02-01",
    "dosage": [{"text": "One a day"}],
}
OLD_REPORT = {
    **REPORT,
    "wasNotTaken": False,
    "reasonForUseCodeableConcept": {"text": "High cholesterol"},
    "note": "Sometimes forgotten",
}
NEW_REPORT = {**REPORT, "reasonCode": [{"text": "High cholesterol"}], "note": [{"text": "Sometimes forgotten"}]}
FILL: dict[str, Any] = {
    **COMMON,
    "resourceType": "MedicationDispense",
    "status": "completed",
    "quantity": {"value": 30, "unit": "tablet"},
    "daysSupply": {"value": 30, "unit": "days"},
    "whenPrepared": "2016-01-02",
    "whenHandedOver": "2016-01-03",
}
PHARMACY = {"reference": "Practitioner/ph", "display": "Tarn Pharmacy"}
OLD_FILL = {**FILL, "dispenser": PHARMACY, "authorizingPrescription": [{"reference": "MedicationOrder/m1"}]}
NEW_FILL = {
    **FILL,
    "performer": [{"actor": PHARMACY}],
    "authorizingPrescription": [{"reference": "MedicationRequest/m1"}],
}
PRESENT = {
    "MedicationOrder": medications.present_order,
    "MedicationRequest": medications.present_order,
    "MedicationStatement": medications.present_statement,
    "MedicationDispense": medications.present_dispense,
}
PRESENTERS = (medications.present_order, medications.present_statement, medications.present_dispense)
PARTS = ("medicationReference", "contained", "ingredient", "form")
ELEMENTS = tuple(dict.fromkeys((*ORDER, *REQUEST, *OLD_REPORT, *OLD_FILL, *NEW_FILL, *PARTS)))


def order(**changes: Any) -> MedicationEntry:
    return medications.present_order({**ORDER, **changes}, Context())


def request(**changes: Any) -> MedicationEntry:
    return medications.present_order({**REQUEST, **changes}, Context())


def statement(sent: dict[str, Any] = NEW_REPORT, **changes: Any) -> MedicationEntry:
    return medications.present_statement({**sent, **changes}, Context())


class TestAnOrderOfEitherVersion:
    def test_is_the_same_entry(self):
        assert replace(order(), resource_type="MedicationRequest") == request()

    def test_has_the_facts_of_the_page(self):
        entry = request()
        assert (entry.title, entry.status, entry.group) == ("atorvastatin 80 MG tablet", Status.ON_LIST, Group.CURRENT)
        assert (entry.when.means, entry.when.starts, entry.people) == ("prescribed", "2015-12-30", ("Dr. Ada Rose",))
        assert (entry.reasons, entry.stopped_because) == (("High cholesterol",), ("Muscle pain",))
        assert [dosage.text for dosage in entry.dosages] == ["Take 1 tablet daily"]
        assert (entry.said, entry.taken.starts) == (("With the evening meal",), "2016-01-01")
        assert (entry.supply.quantity.shown, entry.supply.lasts.shown) == ("30 tablet", "30 days")
        assert (entry.supply.refills, entry.ends_at) == ("2", "2016-12-30")

    @pytest.mark.parametrize(
        ("sent", "status", "group"),
        [
            ("active", Status.ON_LIST, Group.CURRENT),
            ("on-hold", Status.PAUSED, Group.PAUSED),
            ("completed", Status.FINISHED, Group.PAST),
            ("stopped", Status.STOPPED, Group.PAST),
            ("draft", Status.NOT_FINAL, Group.UNLISTED),
            (None, Status.NOT_GIVEN, Group.NOT_GIVEN),
            ("unknown", Status.NOT_GIVEN, Group.NOT_GIVEN),
            ("ongoing", Status.NOT_GIVEN, Group.NOT_GIVEN),
            (["active"], Status.ON_LIST, Group.CURRENT),
        ],
    )
    def test_has_the_status_and_group_of_the_table(self, sent, status, group):
        assert [(each.status, each.group) for each in (order(status=sent), request(status=sent))] == [
            (status, group)
        ] * 2

    def test_is_canceled_in_r4_alone(self):
        assert (request(status="cancelled").status, request(status="cancelled").group) == (Status.CANCELED, Group.PAST)

    @given(st.sampled_from(("active", "on-hold", "unknown", "", None, "completed")), st.text(max_size=8) | st.none())
    def test_is_current_with_a_prescribing_intent_alone(self, status, intent):
        entry = request(status=status, intent=intent)
        assert entry.group is not Group.CURRENT or (status == "active" and intent in medications._PRESCRIBING)

    @pytest.mark.parametrize("intent", ["proposal", "plan", "option"])
    def test_is_suggested_where_nobody_ordered_it(self, intent):
        assert (request(intent=intent).status, request(intent=intent).group) == (Status.SUGGESTED, Group.SUGGESTED)
        assert request(intent=intent, status="stopped").group is Group.PAST

    @pytest.mark.parametrize("intent", ["plan", "order"])
    def test_is_reported_where_it_says_so(self, intent):
        entry = request(intent=intent, reportedBoolean=True)
        assert (entry.kind, entry.status, entry.group) == (Kind.REPORTED, Status.ON_LIST, Group.REPORTED)

    def test_is_not_to_be_taken_where_it_forbids(self):
        entry = request(doNotPerform=True)
        assert (entry.status, entry.group) == (Status.NOT_TO_BE_TAKEN, Group.NOT_TO_BE_TAKEN)

    @pytest.mark.parametrize(
        ("ends", "ends_at"),
        [(["2016-02-01", "2016-03"], "2016-03"), (["2016-02-01", None], "2016-12-30"), ([], "2016-12-30")],
    )
    def test_ends_when_its_last_instruction_does(self, ends, ends_at):
        sent = [
            {"text": "1", "timing": {"repeat": {"boundsPeriod": {"start": "2016-01-01", "end": end}}}} for end in ends
        ]
        assert request(dosageInstruction=sent).ends_at == ends_at
        assert order(dosageInstruction=sent, dateEnded="2016-01-15").ends_at == "2016-01-15"


class TestAStatementOfEitherVersion:
    def test_is_the_same_entry(self):
        assert statement(OLD_REPORT) == statement(NEW_REPORT)

    def test_is_reported_and_not_prescribed(self):
        entry = statement()
        assert (entry.kind, entry.status, entry.group) == (Kind.REPORTED, Status.ON_LIST, Group.REPORTED)
        assert (entry.people, entry.is_patient_reported) == (("Wren",), True)
        assert (entry.when.means, entry.when.starts, entry.when.is_open) == ("taken", "2015-12-30", True)
        assert entry.written_down.starts == "2016-02-01"

    def test_was_not_taken_alike_in_both(self):
        old = statement(OLD_REPORT, wasNotTaken=True, reasonNotTaken=[{"text": "Price"}])
        assert old == statement(NEW_REPORT, status="not-taken", statusReason=[{"text": "Price"}])
        assert (old.status, old.group, old.stopped_because) == (Status.NOT_TAKEN, Group.PAST, ("Price",))

    @pytest.mark.parametrize(
        ("sent", "status", "group"),
        [
            ("completed", Status.FINISHED, Group.PAST),
            ("stopped", Status.STOPPED, Group.PAST),
            ("on-hold", Status.PAUSED, Group.PAUSED),
            ("intended", Status.PLANNED, Group.SUGGESTED),
            ("unknown", Status.NOT_GIVEN, Group.NOT_GIVEN),
            (None, Status.NOT_GIVEN, Group.NOT_GIVEN),
        ],
    )
    def test_has_the_status_and_group_of_the_table(self, sent, status, group):
        assert (statement(status=sent).status, statement(status=sent).group) == (status, group)

    @pytest.mark.parametrize("code", ["no-known-medications", "no-medication-info"])
    def test_is_no_medicine_where_it_says_there_is_none(self, code):
        system = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"
        entry = statement(medicationCodeableConcept={"coding": [{"system": system, "code": code}]})
        is_none = code == "no-known-medications"
        assert (entry.is_known_absence, entry.says_no_information) == (is_none, not is_none)
        assert entry.group is (Group.NONE_KNOWN if is_none else Group.NO_INFORMATION)


class TestADispenseOfEitherVersion:
    def test_is_the_same_entry(self):
        old, new = (medications.present_dispense(sent, Context()) for sent in (OLD_FILL, NEW_FILL))
        assert old == new
        assert (old.status, old.group, old.orders) == (Status.FILLED, Group.FILLED, ("m1",))
        assert (old.when.means, old.when.starts, old.pharmacy) == ("filled", "2016-01-03", "Tarn Pharmacy")
        assert old.supply.lasts.shown == "30 days"

    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            ("in-progress", Status.PREPARING),
            ("preparation", Status.PREPARING),
            ("on-hold", Status.WAITING),
            ("stopped", Status.NOT_FILLED),
            ("declined", Status.NOT_FILLED),
            (None, Status.NOT_GIVEN),
        ],
    )
    def test_has_the_status_of_the_table(self, sent, status):
        assert medications.present_dispense({**NEW_FILL, "status": sent}, Context()).status is status


class TestTheNameOfAMedicine:
    MEDICATION = {"resourceType": "Medication", "id": "x", "code": ATORVASTATIN, "form": {"text": "Tablet"}}

    def named(self, **changes: Any) -> MedicationEntry:
        return request(medicationCodeableConcept=None, **changes)

    def test_is_that_of_what_it_contains(self):
        entry = self.named(contained=[self.MEDICATION], medicationReference={"reference": "#x"})
        assert (entry.title, entry.form, entry.codes[0].code) == ("atorvastatin 80 MG tablet", "Tablet", "259255")

    @pytest.mark.parametrize(
        "form", [{"form": {"text": "Tablet"}}, {"form": None, "product": {"form": {"text": "Tablet"}}}]
    )
    def test_is_that_of_what_it_refers_to(self, form):
        sent = {**REQUEST, "medicationCodeableConcept": None, "medicationReference": {"reference": "Medication/x"}}
        entry = medications.present_order(sent, Context(others={"Medication/x": {**self.MEDICATION, **form}}))
        assert (entry.title, entry.form) == ("atorvastatin 80 MG tablet", "Tablet")

    def test_is_what_stands_beside_a_broken_reference(self):
        assert self.named(medicationReference={"reference": "Medication/x", "display": "Axid"}).title == "Axid"

    def test_is_none_where_the_reference_is_all(self):
        entry = self.named(medicationReference={"reference": "Medication/x"})
        assert (entry.title, entry.group) == ("", Group.CURRENT)

    @pytest.mark.parametrize(
        "part",
        [
            {"ingredient": [{"itemCodeableConcept": {"text": "Zinc"}}, {"itemReference": {"display": "Iron"}}]},
            {"product": {"ingredient": [{"item": {"display": "Zinc"}}, {"item": {"display": "Iron"}}]}},
        ],
    )
    def test_is_made_of_its_ingredients_where_they_are_all(self, part):
        entry = self.named(contained=[{"id": "x", **part}], medicationReference={"reference": "#x"})
        assert (entry.title, entry.ingredients) == ("Zinc / Iron", ("Zinc", "Iron"))

    @pytest.mark.parametrize(
        "part",
        [
            {"ingredient": [{"itemReference": {"reference": "#s"}}]},
            {"product": {"ingredient": [{"item": {"reference": "#s"}}]}},
        ],
    )
    @pytest.mark.parametrize("sent", [ORDER, REQUEST, REPORT, FILL])
    def test_is_made_of_the_substances_contained_beside_it(self, sent, part):
        zinc = {"resourceType": "Substance", "id": "s", "code": {"text": "Zinc"}}
        sent = {**sent, "contained": [{"id": "x", **part}, zinc], "medicationReference": {"reference": "#x"}}
        entry = PRESENT[sent["resourceType"]]({**sent, "medicationCodeableConcept": None}, Context())
        assert (entry.title, entry.ingredients) == ("Zinc", ("Zinc",))

    @pytest.mark.parametrize("code", [{"text": "314076"}, {"text": "A10BA02", "coding": [{"code": "A10BA02"}]}])
    @pytest.mark.parametrize(
        ("target", "beside"),
        [
            ({"ingredient": [{"itemCodeableConcept": {"text": "Axid"}}]}, ""),
            ({}, "Axid"),
            ({"code": {"coding": [{"code": "1", "display": "Axid"}]}}, ""),
        ],
    )
    def test_is_no_code_where_anything_else_names_it(self, code, target, beside):
        target, reference = {"id": "x", "code": code, **target}, {"reference": "#x", "display": beside}
        assert self.named(contained=[target], medicationReference=reference).title == "Axid"
        both = request(medicationCodeableConcept=code, contained=[target], medicationReference=reference)
        assert both.title == "Axid"

    @pytest.mark.parametrize("said", ["-", "N/A", "None", "null"])
    @pytest.mark.parametrize("sent", [ORDER, REQUEST])
    def test_is_not_what_stands_in_place_of_one(self, sent, said):
        sent = {**sent, "medicationCodeableConcept": {"text": said}, "medicationReference": {"display": "Axid"}}
        assert medications.present_order(sent, Context()).title == "Axid"

    @pytest.mark.parametrize("code", ["314076", "A10BA02"])
    def test_is_a_code_that_was_sent_as_one_where_nothing_else_is(self, code):
        assert request(medicationCodeableConcept={"text": code, "coding": [{"code": code}]}).title == code

    def test_is_not_told_by_what_it_refers_to_where_that_is_hidden(self):
        hidden = {**self.MEDICATION, "meta": {"security": [{"code": "masked"}]}}
        sent = {"medicationCodeableConcept": {"coding": [{"code": "1"}]}, "medicationReference": {"reference": "#x"}}
        assert request(**sent, contained=[hidden]).title == ""

    @pytest.mark.parametrize("display", ["#x", "Medication/x1", "x1", "urn:uuid:x1"])
    def test_is_nothing_that_only_points(self, display):
        assert self.named(medicationReference={"reference": "Medication/x1", "display": display}).title == ""

    def test_is_found_where_the_id_has_the_mark_of_a_reference(self):
        target = {**self.MEDICATION, "id": "#x"}
        assert self.named(contained=[target], medicationReference={"reference": "#x"}).title == ATORVASTATIN["text"]

    @pytest.mark.parametrize(
        ("markup", "title"),
        [
            ("<div>Zinc &amp; co</div>", "Zinc & co"),
            ("<div><p>Zinc</p><p>5 mg</p></div>", ""),
            ("<div>id: x1</div>", ""),
            ("<div>Generated Narrative</div>", ""),
            (f"<div>{'Zinc ' * 30}</div>", ""),
        ],
    )
    def test_is_its_narrative_where_that_is_no_more_than_a_name(self, markup, title):
        target = {"resourceType": "Medication", "id": "x", "text": {"div": markup}}
        assert self.named(contained=[target], medicationReference={"reference": "#x"}).title == title
        named = self.named(contained=[{**target, "code": ATORVASTATIN}], medicationReference={"reference": "#x"})
        assert named.title == ATORVASTATIN["text"]


class TestAnUglyMedicine:
    @given(odd(*ELEMENTS), st.sampled_from(PRESENTERS))
    def test_never_raises_and_can_always_be_shelved(self, content, present):
        shelved(present, content)

    @pytest.mark.parametrize("present", PRESENTERS)
    def test_keeps_nothing_of_what_was_entered_in_error(self, present):
        for sent in ({**REQUEST, "status": "entered-in-error"}, {"id": "m1", "status": "entered-in-error"}):
            entry = present(sent, Context())
            assert (entry.is_withdrawn, entry.title, entry.codes, entry.dosages) == (True, "", (), ())

    def test_is_withheld_where_its_name_is_masked(self):
        masked = {
            "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "masked"}]
        }
        assert request(medicationCodeableConcept=masked).is_withheld
        assert request(medicationCodeableConcept=None, medicationReference=masked).is_withheld


class TestMedicinesOfOthers:
    def test_have_a_title_and_a_date_where_one_was_sent(self):
        pairs = [
            *corpus.presented(medications.present_order, "MedicationOrder", "MedicationRequest"),
            *corpus.presented(medications.present_statement, "MedicationStatement"),
            *corpus.presented(medications.present_dispense, "MedicationDispense"),
        ]
        dates = ("dateWritten", "authoredOn", "effectiveDateTime", "effectivePeriod", "dateAsserted", "whenHandedOver")
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, *dates) >= 0.98


class TestTheWords:
    def test_are_there_for_every_member(self):
        assert set(medications.STATUS_WORDS) == set(Status)
        assert set(medications.GROUP_WORDS) == set(Group)
