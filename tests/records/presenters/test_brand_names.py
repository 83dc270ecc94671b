"""Other names of a medicine are shown as sent, and as a brand only if the provider says so."""

from typing import Any

import pytest

from apps.records.presenters.entry import Context
from apps.records.presenters.medicines import medications
from apps.records.presenters.medicines.medications import MedicationEntry
from apps.records.viewing import facts
from apps.records.viewing.listing import row_details

RXNORM = "http://www.nlm.nih.gov/research/umls/rxnorm"
COSOPT = "dorzolamide 20 MG/ML / timolol 5 MG/ML Ophthalmic Solution [Cosopt]"


class TestNamesOfABrand:
    def named(self, concept: dict[str, Any], **sent: Any) -> MedicationEntry:
        request = {"resourceType": "MedicationRequest", "status": "active", "intent": "order"}
        return medications.present_order({**request, "medicationCodeableConcept": concept, **sent}, Context())

    def test_are_what_rxnorm_writes_in_brackets(self):
        coding = {"system": RXNORM, "code": "1", "display": COSOPT}
        entry = self.named({"text": "Eye drops", "coding": [coding]})
        assert (entry.title, entry.brands, entry.also_called) == ("Eye drops", ("Cosopt",), (COSOPT,))

    @pytest.mark.parametrize(
        "concept",
        [
            {"text": COSOPT},  # not said to be RxNorm's name
            {"coding": [{"system": "urn:x", "code": "1", "display": COSOPT}]},
            {"coding": [{"system": RXNORM, "code": "1", "display": "Body [Ratio] of something"}]},
            {"text": "Lipitor"},
        ],
    )
    def test_are_never_guessed(self, concept):
        assert self.named(concept).brands == ()

    @pytest.mark.parametrize(
        ("is_brand", "brands"), [(True, ("Lipitor",)), ("true", ("Lipitor",)), (False, ()), (None, ())]
    )
    def test_are_what_a_medication_of_dstu2_says_is_one(self, is_brand, brands):
        product = {"resourceType": "Medication", "id": "p", "code": {"text": "Lipitor"}, "isBrand": is_brand}
        sent = {"contained": [product], "medicationReference": {"reference": "#p"}, "medicationCodeableConcept": None}
        entry = medications.present_order({"resourceType": "MedicationOrder", "status": "active", **sent}, Context())
        assert (entry.title, entry.brands, entry.also_called) == ("Lipitor", brands, ())

    def test_and_other_names_are_told_once_and_change_no_title(self):
        codings = [
            {"system": RXNORM, "code": "259255", "display": "Atorvastatin 80 mg  Tablet"},
            {"system": "urn:multum", "code": "d04105", "display": "atorvastatin"},
            {"system": "urn:gpi", "code": "39400010100330", "display": "39400010100330"},
            {"system": "urn:x", "code": "y", "display": "N/A"},
            {"system": "urn:z", "code": "z", "display": "ATORVASTATIN"},
        ]
        entry = self.named({"text": "atorvastatin 80 mg tablet", "coding": codings})
        assert (entry.title, entry.also_called) == ("atorvastatin 80 mg tablet", ("atorvastatin",))

    def test_are_told_beside_their_translations(self):
        content = [{"url": "lang", "valueCode": "es"}, {"url": "content", "valueString": "Atorvastatina"}]
        translated = {
            "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": content}]
        }
        assert self.named({"text": "Atorvastatin", "_text": translated}).also_called == ("Atorvastatina",)

    def test_stand_on_its_page_and_not_in_its_row(self):
        entry = self.named({"text": "Eye drops", "coding": [{"system": RXNORM, "code": "1", "display": COSOPT}]})
        told = {fact.label: fact.lines for fact in facts.of(entry, provider="Harbor")}
        assert (told["Brand name"], told["Also called"]) == (("Cosopt",), (COSOPT,))
        assert "Cosopt" not in " ".join(row_details.of(entry))
