"""The names of entries in rows and on pages."""

from typing import ClassVar

import pytest
from django.utils import translation

from apps.connections.models import Connection
from apps.directory.models import Provider
from apps.records.presenters import conditions, documents, immunizations, visits
from apps.records.presenters.entry import Context
from apps.records.presenters.observations import results
from apps.records.shelving.reading import Shelved
from apps.records.viewing.listing import rows
from apps.records.viewing.opening.whole import Source
from apps.records.viewing.wording import values_in_words


class TestTheNameOfAVisit:
    @pytest.mark.parametrize(
        ("sent", "name"),
        [
            ({"class": "inpatient"}, "Hospital stay"),
            ({"class": {"code": "EMER"}}, "Emergency visit"),
            ({"class": {"code": "X9", "display": "Day clinic"}}, "Day clinic"),
            ({"period": {"start": "2026-03-01"}}, "Visit"),
            ({"class": "inpatient", "type": [{"text": "Hip replacement"}]}, "Hip replacement"),
        ],
    )
    def test_is_what_it_was_where_nothing_else_is_sent(self, sent, name):
        entry = visits.present({"resourceType": "Encounter", "id": "v1", "status": "finished", **sent}, Context())
        assert rows.names(entry)[0] == name

    @pytest.mark.parametrize(
        ("language", "names"),
        [("en", ("Checkup", "Encounter for check up")), ("es", ("Chequeo", "Encounter for check up"))],
    )
    def test_is_plain_with_the_providers_beside_it_where_its_code_has_one(self, language, names):
        coding = {"system": "http://snomed.info/sct", "code": "185349003", "display": "Encounter for check up"}
        sent = {"resourceType": "Encounter", "id": "v1", "status": "finished", "type": [{"coding": [coding]}]}
        with translation.override(language):
            assert rows.names(visits.present(sent, Context())) == names


class TestTheNameOfAVaccine:
    @pytest.mark.parametrize(
        ("code", "theirs", "names"),
        [
            ("187", "zoster recombinant", ("Shingles (zoster)", "zoster recombinant")),
            ("115", "Tdap", ("Diphtheria, Tetanus, Whooping cough (pertussis)", "Tdap")),
            ("187", "", ("Shingles (zoster)", "")),
            ("99999", "Something new", ("Something new", "")),
        ],
    )
    def test_is_what_it_is_against_with_the_providers_beside_it(self, code, theirs, names):
        coded = {"text": theirs, "coding": [{"system": "http://hl7.org/fhir/sid/cvx", "code": code}]}
        sent = {"resourceType": "Immunization", "id": "i1", "status": "not-done", "vaccineCode": coded}
        assert rows.names(immunizations.present(sent, Context())) == names


class TestTheNameOfADocument:
    @pytest.mark.parametrize(
        ("language", "code", "theirs", "names"),
        [
            ("en", "18842-5", "Discharge note", ("Discharge summary: your hospital stay", "Discharge note")),
            ("es", "18842-5", "Discharge note", ("Resumen de alta: su hospitalización", "Discharge note")),
            ("en", "34108-1", "office note", ("Office note", "")),
            ("en", "99999-9", "Something new", ("Something new", "")),
        ],
    )
    def test_is_what_kind_it_is_with_the_providers_beside_it(self, language, code, theirs, names):
        kind = {"text": theirs, "coding": [{"system": "http://loinc.org", "code": code}]}
        sent = {"resourceType": "DocumentReference", "id": "d1", "status": "current", "type": kind}
        with translation.override(language):
            assert rows.names(documents.present(sent, Context())) == names


class TestTheNameOfAnAnswer:
    def test_is_plain_with_the_providers_beside_it(self):
        code = {"text": "Tobacco smoking status", "coding": [{"system": "http://loinc.org", "code": "72166-2"}]}
        sent = {"resourceType": "Observation", "id": "o1", "status": "final", "code": code}
        assert rows.names(results.present(sent, Context())) == ("Smoking", "Tobacco smoking status")


class TestACodeInPlaceOfAName:
    SENT: ClassVar = {"resourceType": "Observation", "id": "o1", "status": "final"}

    def test_is_told_as_what_it_is(self):
        entry = results.present({**self.SENT, "code": {"coding": [{"display": "MDC_ECG_ELEC_POTL"}]}}, Context())
        assert rows.names(entry) == ("Provider's code MDC_ECG_ELEC_POTL", "")

    @pytest.mark.parametrize(
        ("coding", "name"), [({"code": "38341003"}, "Provider's code 38341003"), ({}, "Unnamed entry")]
    )
    def test_is_told_where_nothing_else_was_sent(self, coding, name):
        sent = {"resourceType": "Condition", "id": "c1", "code": {"coding": [coding]}, "onsetDateTime": "2024"}
        assert rows.names(conditions.present(sent, Context()))[0] == name

    def test_is_told_so_of_a_part(self):
        part = {"code": {"coding": [{"display": "MDC_ECG_ELEC_POTL_II"}]}, "valueString": "Even"}
        entry = results.present({**self.SENT, "component": [part]}, Context())
        assert values_in_words.of_result(entry) == "Provider's code MDC_ECG_ELEC_POTL_II: Even"

    def test_stands_behind_a_name_of_ours(self):
        coding = {"system": "http://loinc.org", "code": "2951-2", "display": "NA_SERUM"}
        entry = results.present({**self.SENT, "code": {"coding": [coding]}}, Context())
        assert rows.names(entry)[1] == "NA_SERUM"
        assert "Provider's code" not in rows.names(entry)[0]


class TestTheValueOfAResult:
    def test_of_unnamed_parts_is_what_they_say(self):
        parts = [{"valueString": "Wine"}, {"code": {"text": "Second"}, "valueString": "Beer"}]
        sent = {"resourceType": "Observation", "id": "o1", "status": "final", "component": parts}
        assert values_in_words.of_result(results.present(sent, Context())) == "Wine \N{MIDDLE DOT} Second: Beer"


class TestARowOfAVisit:
    @pytest.mark.parametrize("name", ["Rose, Ada", "Ada Rose"])
    @pytest.mark.parametrize("role", [{}, {"type": [{"text": "Surgeon"}]}])
    def test_names_nobody_twice(self, name, role):
        sent = {"resourceType": "Encounter", "id": "v1", "status": "finished", "class": {"code": "AMB"}}
        met = visits.present({**sent, "participant": [{**role, "individual": {"display": name}}]}, Context())
        connection = Connection(provider=Provider(name="Harbor"))
        source = Source(connection, None, is_out_of_date=False)
        (row,) = rows.of([Shelved(1, connection.pk, "visits", (0, "", "", 1), met)], {connection.pk: source})
        assert str(row.details).count(name) == 1
