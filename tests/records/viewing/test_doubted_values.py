"""A value that its provider says not to trust, or whose sample was spoiled, says so wherever it is shown."""

import csv
import io
from typing import Any

import pytest
from django.urls import reverse

from apps.records.exporting import choosing, summaries
from apps.records.models import Record
from tests.records.exporting.summarized import RESULTS, Summarized
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.pages import page
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, result
from tests.records.viewing.test_modifiers_told import SENTENCE

pytestmark = pytest.mark.django_db

IN_SHORT = "With a note that may change its meaning"
HEMOLYSIS = {"related": [{"type": "interfered-by", "target": {"display": "Hemolysis"}}]}
NOT = {"modifierExtension": [{"url": "urn:not", "valueBoolean": True}]}
TAKEN = {"reference": "Specimen/s1"}
CROSS = 'class="chart-mark is-doubted'


def specimen(**elements: Any) -> dict[str, Any]:
    about = {"subject": {"reference": f"Patient/{PATIENT_ID}"}, "type": {"text": "Venous blood"}}
    return {"resourceType": "Specimen", "id": "s1", **about, **elements}


def state(code: str) -> dict[str, Any]:
    return {"condition": [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0493", "code": code}]}]}


def report(**elements: Any) -> dict[str, Any]:
    about = {"subject": {"reference": f"Patient/{PATIENT_ID}"}, "code": {"text": "Electrolytes"}, "status": "final"}
    return {"resourceType": "DiagnosticReport", "id": "r1", "conclusion": "Read with care", **about, **elements}


def linked(user: Any, version: str) -> Any:
    return make_connection(user, make_endpoint(f"https://one.example/{version}", version=version))


def pk_of(logical_id: str) -> int:
    return Record.objects.get(logical_id=logical_id).pk


def on_paper(user: Any) -> str:
    lists = summaries.summary(choosing.choices(user, at=AT), at=AT).lists
    return "\n".join(line for one in lists for group in one.groups for row in group.rows for line in row.details)


class TestAResultOfASampleThatCouldNotBeUsed:
    @pytest.mark.parametrize("version", ["r4", "dstu2"])
    @pytest.mark.parametrize("is_contained", [True, False])
    @pytest.mark.parametrize("sent", [result(1), report()])
    def test_says_so_wherever_it_is_told(self, client, alice, sam, version, is_contained, sent):
        spoiled = specimen(status="unsatisfactory")
        if is_contained:
            keep(linked(alice, version), sent | {"specimen": {"reference": "#s1"}, "contained": [spoiled]})
        else:
            keep(linked(alice, version), sent | {"specimen": [TAKEN] if sent["id"] == "r1" else TAKEN}, spoiled)
        told = f"{SENTENCE}The sample could not be used. Ask the provider."
        client.force_login(alice)
        assert told in page(client, "subject", "results")
        own = page(client, "entry", "results", pk_of(sent["id"]))
        assert own.index(told) < own.index("<dl")
        assert told in on_paper(alice)
        assert told in Summarized(alice).words(RESULTS)
        client.force_login(sam)
        assert client.get(reverse("entry", args=["results", pk_of(sent["id"])])).status_code == 404

    def test_goes_into_a_patient_summary_as_a_note_that_programs_read(self, alice):
        keep(make_connection(alice), result(1) | {"specimen": TAKEN}, specimen(status="unsatisfactory"))
        (only,) = Summarized(alice).told(RESULTS)
        assert only["note"] == [{"text": "The sample could not be used"}]
        assert only["modifierExtension"]

    def test_says_so_where_a_report_brings_both(self, client, alice):
        inside = {**result(1), "id": "inside", "specimen": {"reference": "#s1"}}
        contained = [specimen(status="unsatisfactory"), inside]
        keep(make_connection(alice), report(contained=contained, result=[{"reference": "#inside"}]))
        client.force_login(alice)
        own = page(client, "entry", "results", pk_of("r1"))
        assert f"{SENTENCE}The sample could not be used." in own
        assert "The sample could not be used" in Summarized(alice).words(RESULTS)

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ("HEM", "Blood cells in the sample had burst (hemolyzed)"),
            ("CLOT", "The sample had clotted"),
            ("CON", "The sample was contaminated"),
            ("AUT", "The sample was damaged (autolyzed)"),
            ("SNR", "The sample was not received"),
        ],
    )
    def test_says_what_was_wrong_with_it(self, client, alice, code, said):
        keep(make_connection(alice), result(1) | {"specimen": TAKEN}, specimen(**state(code)))
        client.force_login(alice)
        assert f"{SENTENCE}{said}." in page(client, "entry", "results", pk_of("o1"))

    def test_names_the_one_of_several(self, client, alice):
        good = specimen(type={"text": "Urine"}) | {"id": "s2"}
        taken = {"specimen": [{"reference": "Specimen/s2"}, TAKEN]}
        keep(make_connection(alice), report(**taken), specimen(status="unsatisfactory"), good)
        client.force_login(alice)
        assert f"{SENTENCE}The sample could not be used: Venous blood." in page(client, "entry", "results", pk_of("r1"))

    @pytest.mark.parametrize(
        "good",
        [
            specimen(status="available"),
            specimen(status="unavailable"),
            specimen(**state("FROZ")),
            specimen(condition=[{"text": "In good order"}]),
            specimen(status="entered-in-error", **state("HEM")),
        ],
    )
    def test_stays_plain_where_nothing_is_known_to_be_wrong(self, client, alice, good):
        keep(make_connection(alice), result(1) | {"specimen": TAKEN}, good)
        client.force_login(alice)
        assert SENTENCE not in page(client, "entry", "results", pk_of("o1"))

    def test_tells_in_which_state_a_sample_came_that_may_be_in_order(self, client, alice):
        good = specimen(condition=[{"text": "In good order"}, *state("FROZ")["condition"]])
        keep(make_connection(alice), result(1) | {"specimen": TAKEN}, good)
        client.force_login(alice)
        own = page(client, "entry", "results", pk_of("o1"))
        assert "State of the sample" in own
        assert own.index("In good order") < own.index("Frozen")


class TestWhatSpeaksAgainstAValue:
    def test_is_told_in_the_language_of_the_page(self, hers, connection):
        keep(connection, result(1) | HEMOLYSIS)
        hers.cookies["django_language"] = "es"
        own = page(hers, "entry", "results", pk_of("o1"))
        assert "Alterado por: Hemolysis" in own
        assert "Interfered by" not in own


class TestAValueInDoubtOverTime:
    @pytest.mark.parametrize(("doubt", "said"), [(HEMOLYSIS, "Interfered by: Hemolysis"), (NOT, "Modifier extension")])
    def test_has_a_mark_and_the_words_in_the_table(self, hers, sam, client, connection, doubt, said):
        keep(connection, result(0), result(1) | doubt, result(2))
        told = page(hers, "over_time", "results", pk_of("o0"))
        table = told[told.index("<table") :]
        assert table.count(CROSS) == 1
        row = next(row for row in table.split("<tr") if CROSS in row)
        assert "December 30, 2024" in row
        assert f"{IN_SHORT}</p><p>{said}" in row
        client.force_login(sam)
        assert client.get(reverse("over_time", args=["results", pk_of("o0")])).status_code == 404

    @pytest.mark.parametrize(
        ("number", "sentence"),
        [
            (0, "This value carries a note that may change its meaning; see the table."),
            (1, "Other values carry notes that may change their meaning; see the table."),
        ],
    )
    @pytest.mark.parametrize("values", [2, 3])
    def test_is_in_the_title_of_a_chart_and_in_its_legend(self, hers, connection, number, sentence, values):
        sent = [result(each) | (HEMOLYSIS if each == number else {}) for each in range(values)]
        keep(connection, *sent)
        told = page(hers, "over_time", "results", pk_of("o0"))
        if values == 3:
            assert sentence in told[told.index("<title id=") :].split("</title>")[0]
            assert IN_SHORT in told[told.index('<ul class="chart-legend') :].split("</ul>")[0]
        assert sentence in told[: told.index("<table")]

    def test_is_not_compared_with_another(self, hers, connection):
        keep(connection, result(0, value=9) | HEMOLYSIS, result(1), result(2))
        assert "Higher than" not in page(hers, "over_time", "results", pk_of("o0"))

    def test_says_so_in_a_saved_file(self, hers, connection):
        keep(connection, result(0) | HEMOLYSIS, result(1))
        response = hers.get(reverse("save_values", args=["results", pk_of("o0")]))
        lines = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"), newline="")))
        assert f"{IN_SHORT}; Interfered by: Hemolysis" in lines[1]
        assert not any(IN_SHORT in cell for cell in lines[2])
