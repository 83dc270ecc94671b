"""A result with an ordinary name, in a report that may be grave news, is shown at no URL before its reader chose to
read it."""

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.pages import main_of
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

SORROWFUL = {**result(0, name="Final diagnosis", code="x-1"), "valueString": "Sorrowful words"}
del SORROWFUL["valueQuantity"]
EARLIER = {**SORROWFUL, "id": "o1", "effectiveDateTime": "2020-01-01", "valueString": "Earlier words"}


def naming(*paths, code="22637-3", logical_id="r1", **elements):
    return {
        "resourceType": "DiagnosticReport",
        "id": logical_id,
        "status": "final",
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        "code": {"text": "Report", "coding": [{"system": "http://loinc.org", "code": code}]},
        "result": [{"reference": path} for path in paths],
        **elements,
    }


def panel(logical_id, *members, name="Findings"):
    made = result(9, name=name, code="x-9")
    del made["valueQuantity"]
    return {**made, "id": logical_id, "hasMember": [{"reference": member} for member in members]}


def address(name, logical_id="o0"):
    return reverse(name, args=["results", Record.objects.get(logical_id=logical_id).pk])


class TestAResultOfAGraveReport:
    @pytest.mark.parametrize(
        "named_by",
        [
            pytest.param([naming("Observation/o0")], id="report"),
            pytest.param([naming("https://fhir.example/r4/Observation/o0/_history/3")], id="whole address"),
            pytest.param([naming("Observation/p1"), panel("p1", "Observation/o0")], id="panel of a report"),
            pytest.param(
                [naming("Observation/p1"), panel("p1", "Observation/p2"), panel("p2", "Observation/o0")],
                id="panel of a panel",
            ),
            pytest.param([panel("p1", "Observation/o0", name="Histology")], id="panel that is grave itself"),
        ],
    )
    def test_says_nothing_of_itself_in_any_list(self, hers, sam, connection, named_by):
        keep(connection, SORROWFUL, result(2), *named_by)
        lists = [reverse(name) for name in ("whole_record", "everything_by_date")]
        lists += [reverse("subject", args=["results"]), reverse("record", args=[connection.pk])]
        lists += [f"{reverse('subject', args=['results'])}?by=name"]
        for there in lists:
            assert "Sorrowful" not in main_of(hers.get(there)), there
        text = main_of(hers.get(reverse("subject", args=["results"])))
        assert "Open it to see the result" in text
        assert "5.1 mmol/L" in text
        hers.force_login(sam)
        assert "Final diagnosis" not in main_of(hers.get(reverse("subject", args=["results"])))

    def test_asks_before_its_own_pages_open(self, hers, sam, connection):
        keep(connection, SORROWFUL, naming("Observation/o0"))
        assert "This report may contain sensitive news." in main_of(hers.get(address("entry")))
        for name in ("entry_as_sent", "over_time"):
            assert hers.get(address(name))["Location"] == address("entry")
        hers.post(address("entry"))
        for name in ("entry", "entry_as_sent", "over_time"):
            assert "Sorrowful words" in main_of(hers.get(address(name)))
        hers.force_login(sam)
        assert hers.get(address("entry")).status_code == 404

    def test_is_not_asked_for_again_by_who_reads_its_report(self, hers, connection):
        keep(connection, SORROWFUL, naming("Observation/o0"))
        hers.post(address("entry", "r1"))
        assert "Sorrowful words" in main_of(hers.get(address("entry", "r1")))
        assert "Sorrowful words" in main_of(hers.get(address("entry")))

    def test_stands_by_name_alone_on_an_ordinary_report(self, hers, connection):
        keep(connection, SORROWFUL, naming("Observation/o0"), naming("Observation/o0", code="x", logical_id="r2"))
        text = main_of(hers.get(address("entry", "r2")))
        assert "Open it to see the result" in text
        assert "Sorrowful" not in text

    def test_is_neither_counted_nor_ordered_there_by_what_it_says(self, hers, connection):
        high = {**SORROWFUL, "interpretation": [{"coding": [{"code": "H"}]}]}
        also = {**result(2), "interpretation": [{"coding": [{"code": "N"}]}]}
        ordinary = naming("Observation/o2", "Observation/o0", code="x", logical_id="r2")
        keep(connection, high, also, naming("Observation/o0"), ordinary)
        text = main_of(hers.get(address("entry", "r2")))
        assert "1 compared with the usual range, and in it" in text
        assert text.index("5.1 mmol/L") < text.index("Open it to see the result")

    def test_is_left_out_over_time_until_it_is_opened(self, hers, sam, connection):
        keep(connection, SORROWFUL, EARLIER, naming("Observation/o0"))
        there = address("over_time", "o1")
        text = main_of(hers.get(there))
        assert "1 value belongs to a report that may contain sensitive news" in text
        assert "Earlier words" in text
        assert "Sorrowful" not in text
        hers.post(address("entry"))
        text = main_of(hers.get(there))
        assert "Sorrowful words" in text
        assert "sensitive" not in text
        hers.force_login(sam)
        assert hers.get(there).status_code == 404

    def test_is_shown_at_once_to_who_chose_not_to_be_asked(self, hers, sam, connection):
        keep(connection, SORROWFUL, EARLIER, naming("Observation/o0"))
        hers.post(reverse("choose_grave_news"), {"sensitive": "show"})
        assert "Sorrowful words" in main_of(hers.get(address("entry")))
        assert "Sorrowful words" in main_of(hers.get(address("over_time", "o1")))
        hers.force_login(sam)
        assert hers.get(address("entry")).status_code == 404

    def test_asks_no_more_when_its_report_does_not_name_it(self, hers, connection):
        keep(connection, SORROWFUL, naming("Observation/o0"))
        keep(connection, naming("Observation/o9"))
        assert "Sorrowful words" in main_of(hers.get(reverse("subject", args=["results"])))
        assert "Sorrowful words" in main_of(hers.get(address("entry")))

    def test_asks_still_when_the_provider_took_its_report_back(self, hers, connection):
        keep(connection, SORROWFUL, naming("Observation/o0"))
        Record.objects.filter(logical_id="r1").update(removed_at=AT)
        keep(connection)
        assert "Sorrowful" not in main_of(hers.get(reverse("subject", args=["results"])))
        assert "Sorrowful" not in main_of(hers.get(address("entry")))

    def test_of_another_type_or_connection_with_the_same_id_asks_nothing(self, hers, alice, connection):
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        keep(connection, naming("Observation/o0"), naming(code="x", logical_id="o0", conclusion="Ordinary words"))
        keep(other, {**SORROWFUL, "valueString": "Words of another"})
        text = main_of(hers.get(reverse("subject", args=["results"])))
        assert "Words of another" in text
        report = Record.objects.get(resource_type="DiagnosticReport", logical_id="o0")
        assert "Ordinary words" in main_of(hers.get(reverse("entry", args=["results", report.pk])))

    def test_that_does_not_open_hides_no_other(self, hers, connection, caplog):
        keep(connection, SORROWFUL, result(2), naming("Observation/o0", "Observation/o2"))
        Record.objects.filter(logical_id="o2").update(sealed_body=b"\x03" + bytes(80))
        keep(connection)
        assert "Sorrowful" not in main_of(hers.get(reverse("subject", args=["results"])))
        assert "Sorrowful" not in caplog.text


class TestWhatIsGraveByAPartOfIt:
    def test_says_in_a_list_neither_a_value_of_a_result_nor_what_else_a_document_is_called(self, hers, connection):
        part = {"code": {"text": "HIV 1 antibody"}, "valueString": "Sorrowful part"}
        screened = {**SORROWFUL, "code": {"text": "Screening"}, "component": [part]}
        letter = {
            "resourceType": "DocumentReference", "id": "d1", "status": "current", "type": {"text": "Pathology"},
            "description": "Sorrowful growth",
        }  # fmt: skip
        keep(connection, screened, letter)
        for subject in ("results", "documents"):
            assert "Sorrowful" not in main_of(hers.get(reverse("subject", args=[subject])))
        assert "Sorrowful" not in main_of(hers.get(address("entry")))
        read = hers.post(address("entry"), follow=True)
        assert "Sorrowful part" in main_of(read)
