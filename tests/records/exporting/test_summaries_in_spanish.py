"""In a Spanish patient summary everything is Spanish but the provider's own words."""

import re

import pytest
from django.utils import translation

from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import (
    ALLERGIES,
    DEVICES,
    MEDICINES,
    PAST,
    PLANS,
    PROBLEMS,
    PROCEDURES,
    RESULTS,
    VACCINES,
    Summarized,
    made,
)
from tests.records.linked import make_connection

pytestmark = pytest.mark.django_db

CANARY = {"text": "Canary"}
DRUG = {"medicationCodeableConcept": CANARY}
UNLIKELY = [{"manifestation": [{"text": "Hives"}], "severity": "severe", "certainty": "unlikely"}]
DONE = [
    {"detail": {"description": "Walk", "status": "completed"}},
    {"detail": {"description": "Run", "prohibited": True}},
]
RANGE = [{"low": {"value": 136}, "high": {"value": 145, "unit": "mmol/L"}}]
HIGH = [{"coding": [{"system": "http://hl7.org/fhir/v2/0078", "code": "H"}]}]
SALT = {"valueQuantity": {"value": 151, "unit": "mmol/L"}, "referenceRange": RANGE, "interpretation": HIGH}


def observed(**elements):
    return made("Observation", code=CANARY, status="final", **elements)


class TestANarrativeInSpanish:
    @pytest.mark.parametrize(
        ("loinc", "sent", "said"),
        [
            (
                ALLERGIES,
                made("AllergyIntolerance", code=CANARY, status="active", criticality="CRITH", reaction=UNLIKELY),
                ("En la lista de Harbor Family Practice; Podría ser grave; "
                "Ronchas (Hives) · Reacción anterior: Grave · Certeza: Poco probable"),
            ),
            (
                PROBLEMS,
                made("Condition", code=CANARY, clinicalStatus="active", severity={"text": "Mild"},
                     bodySite=[{"text": "Left hand"}]),
                "Actual; Gravedad: Leve; Parte del cuerpo: Left hand",
            ),
            (
                PAST,
                made("Condition", code=CANARY, clinicalStatus="resolved", abatementDateTime="2019-03"),
                "Resuelto; Terminado: marzo de 2019",
            ),
            (
                VACCINES,
                made("Immunization", vaccineCode=CANARY, status="completed", lotNumber="AX7", isSubpotent=True),
                "Aplicada; Número de lote: AX7; Una dosis que quizá no proteja lo suficiente",
            ),
            (PROCEDURES, made("Procedure", code=CANARY, status="completed"), "Realizado"),
            (
                PLANS,
                made("CarePlan", status="active", description="Heart", activity=DONE),
                "Actual; Walk · Realizado; No hacer: Run",
            ),
            (MEDICINES, made("MedicationOrder", status="on-hold", **DRUG), "En pausa por el proveedor"),
            (DEVICES, made("Device", type=CANARY, status="available", model="X9"), "En uso; X9"),
            (RESULTS, observed(valueBoolean=True), "Sí"),
            (RESULTS, observed(valueSampledData={"data": "1 2 3", "origin": {"value": 0}}), "Un registro de 3 valores"),
            (RESULTS, observed(valueAttachment={"url": "https://lab.example/1"}), "Un archivo"),
            (RESULTS, observed(), "Sin valor"),
            (RESULTS, observed(**SALT) | {"status": "preliminary"},
             ("Resultado preliminar, puede cambiar; 151 mmol/L; Por encima del rango habitual; "
             "Rango habitual: 136 a 145 mmol/L")),
        ],
    )  # fmt: skip
    def test_has_details_in_spanish(self, alice, loinc, sent, said):
        keep(make_connection(alice), sent)
        with translation.override("es"):
            words = Summarized(alice).words(loinc)
        (cells,) = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td>", words)
        assert cells[1] == said

    def test_has_dates_in_spanish_that_say_what_they_are_of(self, alice):
        when = {"start": "2019-02-01"}
        keep(
            make_connection(alice),
            made("Procedure", code=CANARY, status="completed", performedDateTime="2019-03-04"),
            made("CarePlan", status="active", description="Heart", period=when),
        )
        with translation.override("es"):
            found = Summarized(alice)
        assert "<td>Realizado: 4 de marzo de 2019</td>" in found.words(PROCEDURES)
        assert "<td>Desde el 1 de febrero de 2019</td>" in found.words(PLANS)
