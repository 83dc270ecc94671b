"""What may be grave news is shown at no URL before its page has asked, in whatever type of resource it came."""

from base64 import b64encode

import pytest
from django.urls import reverse

from apps.records.models import Record
from apps.records.viewing import entries
from tests.fixtures.cast import PASSWORD
from tests.records.linked import make_connection, make_endpoint
from tests.records.pages import main_of
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

SUBJECT = {"subject": {"reference": f"Patient/{PATIENT_ID}"}}
FORM = {"contentType": "text/plain", "data": b64encode(b"Sorrowful words").decode(), "title": "Letter"}
LOINC = "http://loinc.org"


def coded(code):
    return {"coding": [{"system": LOINC, "code": code}]}


def told(resource_type, **elements):
    return {"resourceType": resource_type, "id": "g1", "status": "final", **SUBJECT, **elements}


REPORT = told("DiagnosticReport", code=coded("22637-3"), conclusion="Sorrowful", presentedForm=[FORM])
DOCUMENT = told(
    "DocumentReference",
    status="current",
    type={"text": "Report"},
    category=[{"text": "Pathology"}],
    content=[{"attachment": FORM}],
)
PICTURE = told(
    "Media", status="completed", view={"text": "Histology slide"}, content=FORM, note=[{"text": "Sorrowful"}]
)
RESULT = told(
    "Observation",
    category=[{"coding": [{"code": "laboratory"}]}],
    code={"text": "Screen", **coded("56888-1")},
    effectiveDateTime="2024-12-31",
    valueString="Sorrowful words",
)
SOCIAL = {**RESULT, "category": [{"coding": [{"code": "social-history"}]}], "valueAttachment": FORM}
GRAVE = [
    pytest.param(REPORT, "results", id="report"),
    pytest.param(DOCUMENT, "documents", id="document"),
    pytest.param(PICTURE, "other", id="picture"),
    pytest.param(RESULT, "results", id="result"),
]
HAVE_FILES = [*GRAVE[:3], pytest.param(SOCIAL, "history", id="social history")]


def pk_of(logical_id="g1"):
    return Record.objects.get(logical_id=logical_id).pk


def entry_of(subject, logical_id="g1"):
    return reverse("entry", args=[subject, pk_of(logical_id)])


def pages_of(subject):
    """What leads to its content, by its names in `urls`."""
    yield reverse("entry_as_sent", args=[subject, pk_of()])
    yield reverse("file", args=[pk_of(), 0])
    yield reverse("save_file", args=[pk_of(), 0])


class TestWhatMayCarryGraveNews:
    @pytest.mark.parametrize(("resource", "subject"), GRAVE)
    def test_asks_before_its_entry_is_shown(self, hers, sam, connection, resource, subject):
        keep(connection, resource)
        its_entry = entry_of(subject)
        text = main_of(hers.get(its_entry))
        assert "This report may contain sensitive news." in text
        assert "Sorrowful" not in text
        assert hers.post(its_entry).status_code == 302
        assert "This report may" not in main_of(hers.get(its_entry))
        hers.force_login(sam)
        assert hers.get(its_entry).status_code == 404
        assert hers.post(its_entry).status_code == 404

    @pytest.mark.parametrize(("resource", "subject"), HAVE_FILES)
    def test_is_shown_by_no_other_address_before_that(self, hers, sam, connection, resource, subject):
        keep(connection, resource)
        its_entry = entry_of(subject)
        for there in pages_of(subject):
            answer = hers.get(there)
            assert (answer.status_code, answer["Location"]) == (302, its_entry), there
            assert answer["Cache-Control"] == "no-store, private"
        assert "This report may contain sensitive news." in main_of(hers.get(its_entry))
        hers.post(its_entry)
        assert b"Sorrowful words" in hers.get(reverse("file", args=[pk_of(), 0])).content
        assert hers.get(reverse("save_file", args=[pk_of(), 0])).content == b"Sorrowful words"
        hers.force_login(sam)
        assert {hers.get(there).status_code for there in pages_of(subject)} == {404}

    @pytest.mark.parametrize(("resource", "subject"), GRAVE)
    def test_says_nothing_of_it_in_any_list(self, hers, sam, connection, resource, subject):
        keep(connection, resource)
        lists = [reverse(name) for name in ("whole_record", "everything_by_date")]
        lists += [reverse("subject", args=[subject]), reverse("record", args=[connection.pk])]
        for there in lists:
            assert "Sorrowful" not in main_of(hers.get(there)), there
        found = main_of(hers.post(reverse("search_record"), {"words": "sorrowful"}, follow=True))
        assert entry_of(subject) not in found
        hers.force_login(sam)
        assert entry_of(subject) not in main_of(hers.get(reverse("subject", args=[subject])))

    def test_is_asked_for_once_a_session(self, client, alice, connection):
        keep(connection, REPORT)
        client.force_login(alice)
        client.post(entry_of("results"))
        assert "This report may" not in main_of(client.get(entry_of("results")))
        client.logout()
        client.force_login(alice)
        assert "This report may" in main_of(client.get(entry_of("results")))

    def test_is_asked_for_each_by_itself(self, hers, connection):
        keep(connection, REPORT, {**REPORT, "id": "g2"})
        hers.post(entry_of("results"))
        assert "This report may" in main_of(hers.get(entry_of("results", "g2")))

    def test_asks_for_a_file_whose_report_was_renamed_since(self, hers, sam, connection):
        keep(connection, REPORT)
        keep(connection, {**REPORT, "code": {"text": "Addendum"}})
        there = reverse("file", args=[pk_of(), 0])
        assert hers.get(there)["Location"] == entry_of("results")
        hers.force_login(sam)
        assert hers.get(there).status_code == 404

    def test_says_so_where_its_file_does_not_open(self, hers, connection):
        keep(connection, REPORT)
        Record.objects.filter(pk=pk_of()).update(sealed_body=b"\x03" + bytes(80))
        there = reverse("file", args=[pk_of(), 0])
        assert "We could not open this file" in main_of(hers.get(there))
        assert hers.get(reverse("save_file", args=[pk_of(), 0]))["Location"] == there


class TestAResultThatMayCarryGraveNews:
    def test_is_not_drawn_before_its_entry_asked(self, hers, sam, connection):
        keep(connection, RESULT)
        there = reverse("over_time", args=["results", pk_of()])
        assert hers.get(there)["Location"] == entry_of("results")
        hers.post(entry_of("results"))
        assert "Sorrowful words" in main_of(hers.get(there))
        hers.force_login(sam)
        assert hers.get(there).status_code == 404

    def test_has_a_row_that_says_where_to_read_it(self, hers, connection):
        keep(connection, RESULT, result(1))
        text = main_of(hers.get(reverse("subject", args=["results"])))
        assert text.count("Open it to see the result") == 1
        assert "5.1 mmol/L" in text

    def test_says_at_once_that_there_is_no_value(self, hers, connection):
        keep(connection, {name: part for name, part in RESULT.items() if name != "valueString"})
        assert "No value given" in main_of(hers.get(reverse("subject", args=["results"])))

    def test_says_in_no_list_where_the_laboratory_puts_what_has_no_value(self, hers, sam, connection):
        sent = {name: value for name, value in RESULT.items() if name != "valueString"}
        keep(connection, {**sent, "interpretation": {"coding": [{"code": "POS"}]}})
        there = reverse("subject", args=["results"])
        assert "Open it to see the result" in main_of(hers.get(there))
        for page in (there, reverse("whole_record"), reverse("everything_by_date")):
            assert "Positive" not in main_of(hers.get(page))
        hers.force_login(sam)
        assert "Open it" not in main_of(hers.get(there))

    def test_stands_by_name_alone_on_the_page_of_an_ordinary_report(self, hers, sam, connection):
        panel = told("DiagnosticReport", id="r1", code={"text": "Panel"}, result=[{"reference": "Observation/g1"}])
        keep(connection, RESULT, panel)
        text = main_of(hers.get(entry_of("results", "r1")))
        assert "Open it to see the result" in text
        assert "Sorrowful" not in text
        assert entry_of("results") in text
        hers.force_login(sam)
        assert hers.get(entry_of("results", "r1")).status_code == 404

    def test_that_a_report_contains_makes_the_report_ask(self, hers, connection):
        inside = {name: part for name, part in RESULT.items() if name != "subject"}
        panel = told("DiagnosticReport", code={"text": "Panel"}, contained=[inside], result=[{"reference": "#g1"}])
        keep(connection, panel)
        assert "This report may contain sensitive news." in main_of(hers.get(entry_of("results")))
        hers.post(entry_of("results"))
        assert "Sorrowful words" in main_of(hers.get(entry_of("results")))

    def test_is_not_asked_for_again_by_who_reads_its_report(self, hers, connection):
        report = told("DiagnosticReport", id="r1", code=coded("11529-5"), result=[{"reference": "Observation/g1"}])
        keep(connection, RESULT, report)
        hers.post(entry_of("results", "r1"))
        assert "Sorrowful words" in main_of(hers.get(entry_of("results", "r1")))
        assert "Sorrowful words" in main_of(hers.get(entry_of("results")))

    def test_of_two_providers_stays_two_where_their_words_differ(self, hers, alice, connection):
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        keep(connection, RESULT)
        keep(other, {**RESULT, "interpretation": [{"text": "Reactive"}]})
        text = main_of(hers.get(reverse("subject", args=["results"])))
        assert text.count("Open it to see the result") == 2


class TestAnOldVersion:
    def test_makes_its_entry_ask_also_where_the_page_leaves_it_out(self, hers, connection, monkeypatch):
        monkeypatch.setattr(entries, "_MOST_VERSIONS", 1)
        for number, name in enumerate(("HIV screen", "Sodium", "Potassium")):
            keep(connection, result(0, value=number + 1, name=name, code=f"x-{number}"))
        record = Record.objects.get(logical_id="o0")
        there = reverse("entry", args=["results", record.pk])
        for query in ({}, {"versions": "all"}):
            assert "sensitive news" in hers.get(there, query).content.decode()


class TestWhoChoseNotToBeAsked:
    @pytest.mark.parametrize(("resource", "subject"), GRAVE)
    def test_reads_at_once(self, hers, alice, sam, connection, resource, subject):
        keep(connection, resource)
        there = reverse("entry", args=[subject, Record.objects.get(logical_id="g1").pk])
        assert "sensitive news" in hers.get(there).content.decode()
        hers.post(reverse("choose_grave_news"), {"sensitive": "show"})
        assert "sensitive news" not in hers.get(there).content.decode()
        hers.force_login(sam)
        assert hers.get(there).status_code == 404

    def test_changes_nothing_for_anybody_else(self, hers, alice, sam, connection):
        keep(make_connection(sam, make_endpoint("https://sams.example/r4")), REPORT)
        hers.post(reverse("choose_grave_news"), {"sensitive": "show"})
        hers.force_login(sam)
        there = reverse("entry", args=["results", Record.objects.get(logical_id="g1").pk])
        assert "sensitive news" in hers.get(there).content.decode()


class TestACopy:
    def test_is_offered_with_a_word_on_what_it_can_show(self, hers, connection):
        keep(connection, REPORT)
        hers.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        text = hers.get(reverse("download_copy")).content.decode()
        assert "A copy may show things you have not read yet" in text
        assert "Sorrowful" not in text
