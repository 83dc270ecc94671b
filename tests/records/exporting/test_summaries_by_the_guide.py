"""What the guide of the International Patient Summary asks for if it is known, beyond what makes a document valid."""

import re

import pytest
from django.utils import translation

from apps.connections.models import Connection
from apps.records.models import SyncRun
from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import (
    ALLERGIES,
    DEVICES,
    MEDICINES,
    PROBLEMS,
    PROCEDURES,
    RESULTS,
    VACCINES,
    Summarized,
    made,
)
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import DSTU2_PATIENT, R4_PATIENT

pytestmark = pytest.mark.django_db

CANARY = {"text": "Canary"}
UNKNOWN = {
    "coding": [{"system": "http://terminology.hl7.org/CodeSystem/data-absent-reason", "code": "unknown"}]
}  # fmt: skip


class TestADocument:
    def test_is_by_the_program_that_put_it_together(self, alice):
        make_connection(alice)
        found = Summarized(alice)
        (author,) = found.named(found.composition["author"])
        assert author["deviceName"][0]["name"] == "Holdfast"
        assert re.fullmatch("urn:uuid:[0-9a-f-]{36}", found.composition["identifier"]["value"])

    def test_says_for_whom_it_was_made_and_how_current_each_provider_is(self, alice):
        connection = make_connection(alice)
        make_connection(alice, make_endpoint("https://other.example/r4"))
        Connection.objects.filter(pk=connection.pk).update(last_checked_at=AT)
        said = Summarized(alice).composition["text"]["div"].replace("\N{NO-BREAK SPACE}", " ")
        assert "Made on November 20, 2026, 9:40 a.m. UTC by Holdfast, for the person themselves." in said
        assert "From Harbor Family Practice · checked on November 20, 2026, 9:40 a.m. UTC" in said
        assert "From Harbor Family Practice · We cannot tell how current this is." in said

    def test_says_of_a_record_still_arriving_nothing_that_calls_it_the_readers(self, alice):
        SyncRun.objects.create(user=alice, connection=make_connection(alice), cause="confirmed", created_at=AT)
        said = Summarized(alice).composition["text"]["div"]
        assert "This record was still arriving when the copy was made." in said
        assert "Your record" not in said

    def test_names_the_language_of_its_narratives(self, alice):
        make_connection(alice)
        with translation.override("es"):
            found = Summarized(alice)
        assert found.composition["language"] == "es"
        assert 'lang="es" xml:lang="es"' in found.words(ALLERGIES)

    def test_says_that_an_empty_list_means_nothing(self, alice):
        keep(make_connection(alice), made("Procedure", code=CANARY, status="completed"))
        found = Summarized(alice)
        said = "Nothing is listed. This does not mean there is none."
        assert said in found.words(ALLERGIES)
        assert said not in found.words(PROCEDURES)

    @pytest.mark.parametrize(
        ("loinc", "name", "codes", "words"),
        [
            (MEDICINES, "medicationCodeableConcept", ["no-medication-info", "1287211007"], "medicamentos"),
            (ALLERGIES, "code", ["no-allergy-info", "1287211007"], "alergias"),
            (PROBLEMS, "code", ["no-problem-info", "1287211007"], "problemas de salud"),
        ],
    )
    def test_says_that_nothing_is_known_in_codes_of_both_editions_and_in_words(self, alice, loinc, name, codes, words):
        make_connection(alice)
        with translation.override("es"):
            (only,) = Summarized(alice).told(loinc)
        assert [each["code"] for each in only[name]["coding"]] == codes
        assert only[name]["text"] == f"Sin información sobre {words}"

    def test_has_a_code_for_what_nobody_named(self, alice):
        keep(make_connection(alice), made("Procedure", status="completed", note=[{"text": "Canary"}]))
        (only,) = Summarized(alice).told(PROCEDURES)
        assert [each["code"] for each in only["code"]["coding"]] == ["unknown"]


class TestAPatient:
    @pytest.mark.parametrize("sent", [R4_PATIENT, DSTU2_PATIENT])
    def test_can_be_reached(self, alice, sent):
        keep(make_connection(alice), sent)
        (only,) = Summarized(alice).of_type("Patient")
        assert only["telecom"] == [
            {"system": "phone", "value": "555-0142", "use": "home"},
            {"system": "email", "value": "wren@quill.invalid"},
        ]
        assert only["address"] == [
            {"use": "home", "line": ["7 Heron Way", "Flat 2"], "city": "Tarn", "state": "OR", "postalCode": "97001"}
        ]
        assert only["generalPractitioner"] == [{"display": "Dr. Orla Vantongeren"}]

    def test_is_not_sought_where_they_were_once(self, alice):
        old = {"use": "old", "city": "Canary"}
        moved = {"city": "Canary", "period": {"end": "2019"}}
        phone = {"system": "carrier pigeon", "value": "7", "use": "loft"}
        keep(make_connection(alice), {**R4_PATIENT, "address": [old, moved, {"use": "home"}], "telecom": [phone, {}]})
        (only,) = Summarized(alice).of_type("Patient")
        assert "address" not in only
        assert only["telecom"] == [{"system": "other", "value": "7"}]

    def test_is_sought_where_they_live_until_a_day_to_come(self, alice):
        here = {"city": "Tarn", "period": {"start": "2019", "end": "9999-12-31"}}
        keep(make_connection(alice), {**R4_PATIENT, "address": [here]})
        (only,) = Summarized(alice).of_type("Patient")
        assert only["address"] == [{"city": "Tarn"}]


class TestAnEntry:
    def test_says_where_on_the_body(self, alice):
        site = [{"coding": [{"system": "http://snomed.info/sct", "code": "7771000"}], "text": "Left"}, {}]
        keep(
            make_connection(alice),
            made("Condition", code=CANARY, clinicalStatus="active", bodySite=site),
            made("Procedure", code=CANARY, status="completed", bodySite=site, outcome={"text": "Well"},
                 complication=[{"text": "Fever"}]),
        )  # fmt: skip
        found = Summarized(alice)
        (condition,), (procedure,) = found.told(PROBLEMS), found.told(PROCEDURES)
        assert condition["bodySite"] == procedure["bodySite"] == site[:1]
        assert (procedure["outcome"], procedure["complication"]) == ({"text": "Well"}, [{"text": "Fever"}])

    @pytest.mark.parametrize(
        "stage", [{"summary": {"text": "IIIb"}}, [{"summary": {"text": "IIIb"}}, {"type": CANARY}]]
    )
    def test_says_how_far_a_condition_went(self, alice, stage):
        keep(make_connection(alice), made("Condition", code=CANARY, clinicalStatus="active", stage=stage))
        found = Summarized(alice)
        assert found.told(PROBLEMS)[0]["stage"] == [{"summary": {"text": "IIIb"}}]
        assert "Current; Stage: IIIb" in found.words(PROBLEMS)

    def test_says_of_what_and_where_it_was_measured(self, alice):
        sample = {"specimen": {"display": "Urine"}, "bodySite": {"text": "Bladder"}, "method": {"text": "Strip"}}
        keep(make_connection(alice), made("Observation", code=CANARY, status="final", valueString="v", **sample))
        found = Summarized(alice)
        (only,) = found.told(RESULTS)
        assert {name: only[name] for name in sample} == sample
        assert "v; Sample: Urine; Body site: Bladder" in found.words(RESULTS)

    @pytest.mark.parametrize(
        ("reaction", "told"),
        [
            ({"severity": "severe"}, {"manifestation": [UNKNOWN], "severity": "severe"}),
            ({"description": "Swelled"}, {"manifestation": [{"text": "Swelled"}], "description": "Swelled"}),
            (
                {"substance": CANARY, "manifestation": [CANARY], "onset": "2012-01-02", "exposureRoute": CANARY},
                {"substance": CANARY, "manifestation": [CANARY], "onset": "2012-01-02", "exposureRoute": CANARY},
            ),
            ({"manifestation": [CANARY], "note": {"text": "x"}}, {"manifestation": [CANARY], "note": [{"text": "x"}]}),
        ],
    )
    def test_says_what_is_known_of_a_reaction(self, alice, reaction, told):
        keep(make_connection(alice), made("AllergyIntolerance", code=CANARY, reaction=[reaction, {}]))
        (only,) = Summarized(alice).told(ALLERGIES)
        assert only["reaction"] == [told]

    @pytest.mark.parametrize("name", ["lastOccurrence", "lastOccurence"])
    def test_says_when_a_reaction_was_last_had(self, alice, name):
        keep(make_connection(alice), made("AllergyIntolerance", code=CANARY, **{name: "2019-03-04"}))
        found = Summarized(alice)
        assert found.told(ALLERGIES)[0]["lastOccurrence"] == "2019-03-04"
        assert "Last time: March 4, 2019" in found.words(ALLERGIES)

    @pytest.mark.parametrize(
        "sent",
        [
            {"protocolApplied": [{"series": "Basic", "doseNumberPositiveInt": 2, "seriesDosesPositiveInt": 3}]},
            {"vaccinationProtocol": [{"series": "Basic", "doseSequence": 2, "seriesDoses": 3}]},
        ],
    )
    def test_says_which_dose_it_was(self, alice, sent):
        keep(make_connection(alice), made("Immunization", vaccineCode=CANARY, status="completed", **sent))
        found = Summarized(alice)
        (only,) = found.told(VACCINES)
        assert only["protocolApplied"] == [{"series": "Basic", "doseNumberString": "2", "seriesDosesString": "3"}]
        assert "Given; Dose: 2 of 3" in found.words(VACCINES)

    @pytest.mark.parametrize(
        ("loinc", "sent"),
        [
            (RESULTS, made("Observation", code=CANARY, status="final", valueString="v", note=[{"text": "Spoiled"}])),
            (RESULTS, made("Observation", code=CANARY, status="final", valueString="v", comments="Spoiled")),
            (
                RESULTS,
                made("Observation", code=CANARY, valueString="v", note=[{"text": r"{\rtf1{\fonttbl x;} Spoiled\par}"}]),
            ),
            (ALLERGIES, made("AllergyIntolerance", code=CANARY, note=[{"text": "Spoiled"}])),
            (ALLERGIES, made("AllergyIntolerance", substance=CANARY, note={"text": "Spoiled"})),
        ],
    )
    def test_keeps_what_its_provider_wrote_beside_it(self, alice, loinc, sent):
        keep(make_connection(alice), sent)
        found = Summarized(alice)
        (only,) = found.told(loinc)
        assert only["note"] == [{"text": "Spoiled"}]
        assert "; Spoiled</td>" in found.words(loinc)

    def test_keeps_what_was_written_beside_a_result_in_a_report(self, alice):
        inside = {**made("Observation", code=CANARY, valueString="v", note=[{"text": "Spoiled"}]), "id": "in"}
        keep(make_connection(alice), made("DiagnosticReport", code=CANARY, status="final", contained=[inside]))
        found = Summarized(alice)
        (only,) = found.of_type("Observation")
        assert only["note"] == [{"text": "Spoiled"}]
        assert "Canary: v; Spoiled</td>" in found.words(RESULTS)

    @pytest.mark.parametrize(
        ("sent", "named"),
        [
            ({"model": "X9"}, {"deviceName": [{"name": "X9", "type": "model-name"}]}),
            ({"deviceName": [{"name": "X9", "type": "model-name"}]},
             {"deviceName": [{"name": "X9", "type": "model-name"}]}),
            ({"modelNumber": "X9"}, {"modelNumber": "X9"}),
            ({"udiCarrier": [{"carrierHRF": "(01)1234"}]}, {"udiCarrier": [{"carrierHRF": "(01)1234"}]}),
            ({"udi": "(01)1234"}, {"udiCarrier": [{"carrierHRF": "(01)1234"}]}),
        ],
    )  # fmt: skip
    def test_says_which_device_it_is(self, alice, sent, named):
        keep(make_connection(alice), made("Device", type=CANARY, status="active", **sent))
        found = Summarized(alice)
        (use,) = found.told(DEVICES)
        (device,) = found.named([use["device"]])
        assert named.items() <= device.items()

    @pytest.mark.parametrize(
        "members",
        [
            {"hasMember": [{"reference": "Observation/part"}, {"reference": "Observation/elsewhere"}]},
            {"related": [{"type": "has-member", "target": {"reference": "Observation/part"}}]},
        ],
    )
    def test_refers_to_the_results_that_it_groups(self, alice, members):
        part = {**made("Observation", code={"text": "Part"}, status="final", valueString="v"), "id": "part"}
        keep(make_connection(alice), made("Observation", code={"text": "Whole"}, status="final", **members), part)
        found = Summarized(alice)
        whole = next(each for each in found.told(RESULTS) if each["code"]["text"] == "Whole")
        assert [each["code"]["text"] for each in found.named(whole["hasMember"])] == ["Part"]
        assert re.search("<td>Whole</td><td>[12] results?</td>", found.words(RESULTS))
