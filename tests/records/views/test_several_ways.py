"""One provider sends the same record in two ways, as FHIR R4 and DSTU2, or again beside a copy that was kept."""

import re
from datetime import UTC, datetime

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.fixtures.cast import PASSWORD
from tests.records.linked import make_connection
from tests.records.pages import main
from tests.records.shelved import keep, result
from tests.records.views.test_reports import report

pytestmark = pytest.mark.django_db

PANEL = {"text": "Basic panel", "coding": [{"system": "http://loinc.org", "code": "51990-0"}]}


def note(title):
    file = {"title": title, "contentType": "text/plain", "url": "Binary/1"}
    kind = {"text": "Progress note", "coding": [{"system": "http://loinc.org", "code": "11506-3"}]}
    content = {"type": kind, "date": "2024-03-05", "content": [{"attachment": file}]}
    return {"resourceType": "DocumentReference", "id": "d1", "status": "current", **content}


@pytest.fixture
def newer(alice, connection):
    """Of the same person, in the same way: somebody disconnected, kept the copy, and connected again."""
    connection.disconnect(at=datetime(2026, 5, 3, 12, tzinfo=UTC))
    return make_connection(alice, connection.endpoint)


class TestACopyKeptBesideANewerOne:
    def test_is_told_apart_wherever_it_is_chosen_or_named(self, hers, connection, newer):
        for one in (connection, newer):
            keep(one, result(0))
        kept = f"{connection.provider.name} (earlier copy, until May 3, 2026)"
        hers.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        for there in (("subject", "results"), ("everything_by_date",), ("whole_record",), ("download_copy",)):
            assert kept in main(hers, *there), there

    def test_is_called_by_its_name_alone_once_it_is_all_there_is(self, hers, connection):
        keep(connection, result(0))
        connection.disconnect(at=datetime(2026, 5, 3, 12, tzinfo=UTC))
        assert "earlier copy" not in main(hers, "subject", "results")

    def test_is_said_to_be_counted_too(self, hers, connection, newer):
        for one in (connection, newer):
            keep(one, result(0))
        text = main(hers, "home")
        assert f"The record of {connection.provider.name} is here more than once." in text
        assert "<span>2 entries</span>" in text


class TestOneProviderReadInTwoWays:
    def test_is_told_apart_wherever_it_is_named(self, hers, sam, connection, older):
        keep(connection, result(0))
        keep(older, result(1))
        name = connection.provider.name
        for there in (("subject", "results"), ("everything_by_date",), ("whole_record",)):
            text = main(hers, *there)
            assert f"{name} (FHIR R4)" in text, there
            assert f"{name} (FHIR DSTU2)" in text, there
        hers.force_login(sam)
        assert "FHIR" not in main(hers, "subject", "results")

    def test_is_called_by_its_name_alone_where_it_is_read_in_one(self, hers, connection):
        keep(connection, result(0))
        assert "(FHIR" not in main(hers, "subject", "results")

    def test_is_said_to_be_counted_as_often_as_it_came_as_its_list_is(self, hers, sam, connection, older, other):
        said = f"The record of {connection.provider.name} is here more than once."
        for one in (connection, older, other):
            keep(one, result(0))
        text = main(hers, "home")
        assert said in text
        assert "Riverside Hospital is read" not in text
        assert "<span>3 entries</span>" in text
        listed = main(hers, "subject", "results", by="date")
        assert "3 entries, newest first" in listed
        assert "1 entry came more than once and is shown once." in listed
        hers.force_login(sam)
        assert "is here more than once" not in main(hers, "home")

    def test_is_asked_by_its_name_alone(self, hers, connection, older):
        """Whoever calls a clinic does not ask for a version of FHIR."""
        for one in (connection, older):
            keep(one, {**result(0), "effectiveDateTime": "2924-12-31"})
        text = main(hers, "subject", "results", by="date")
        name = connection.provider.name
        assert f"This date looks wrong. Ask {name}." in text
        assert f"Something missing or wrong? Only {name} can change it." in text

    def test_is_named_in_a_sentence_that_has_no_ending_after_it(self, hers, connection, older):
        keep(older, {"resourceType": "Procedure", "id": "p1", "status": "completed"})
        assert f"{older.provider.name} (FHIR DSTU2) hides the details" in main(hers, "subject", "procedures")

    def test_has_one_row_and_one_mark_over_time_for_what_came_twice(self, hers, connection, older):
        values = [result(number, value=5 + number) for number in range(4)]
        keep(connection, *values)
        keep(older, *values)
        text = main(hers, "over_time", "results", Record.objects.get(connection=connection, logical_id="o3").pk)
        name = connection.provider.name
        assert re.findall(r">\s*(\d) mmol/L", text) == ["5", "6", "7", "8"]
        assert "Lower than on December 30, 2024" in text
        table = text.split("<table")[1].split("</table>")[0]
        assert table.count(name) == 1  # of all
        assert "(FHIR" not in table
        for way in ("FHIR R4", "FHIR DSTU2"):
            assert f"From {name} ({way})" in text

    def test_lists_a_report_that_came_twice_once(self, hers, connection, older):
        keep(connection, result(0), result(1), report("o0", "o1", code=PANEL))
        keep(older, {**result(0), "id": "x"}, {**result(1), "id": "y"}, report("x", "y", code=PANEL))
        assert main(hers, "subject", "results").count('class="row-link"') == 3

    def test_is_named_once_beside_what_came_by_both(self, hers, connection, older):
        for one in (connection, older):
            keep(one, result(0))
        row = main(hers, "subject", "results").split('class="row-link"')[1].split("</li>")[0]
        assert connection.provider.name in row
        assert "(FHIR" not in row

    def test_lists_a_document_that_came_twice_once_and_each_clinics_own(self, hers, connection, older, other):
        for one in (connection, older, other):
            keep(one, note("Harbor"))
        keep(older, {**note("Addendum"), "id": "d2"})
        text = main(hers, "subject", "documents")
        assert text.count('class="row-link"') == 3
        for one in (connection, older, other):
            assert one.provider.name in text

    def test_lists_a_report_with_a_file_that_came_twice_once_and_each_clinics_own(self, hers, connection, older, other):
        scan = {"title": "Scan", "contentType": "application/pdf", "url": "Binary/1"}
        for one in (connection, older, other):
            keep(one, report(code=PANEL, presentedForm=[scan]))
        assert main(hers, "subject", "results").count('class="row-link"') == 2

    def test_lists_two_reports_that_conclude_otherwise(self, hers, connection, older):
        keep(connection, report(code=PANEL, conclusion="All is well"))
        keep(older, report(code=PANEL, conclusion="Ask again"))
        assert main(hers, "subject", "results").count('class="row-link"') == 2

    def test_lists_two_reports_whose_results_differ(self, hers, connection, older):
        keep(connection, result(0, value=5.1), result(1), report("o0", "o1", code=PANEL))
        keep(older, result(0, value=6.1), result(1), report("o0", "o1", code=PANEL))
        text = main(hers, "subject", "results")
        assert text.count("Basic panel") == 2
        assert text.count('class="row-link"') == 5

    def test_lists_two_reports_whose_results_stand_on_another_page(self, hers, connection, older):
        peptides = [{**result(0, name=f"Peptide {number}"), "id": f"o{number}"} for number in range(60)]
        keep(connection, *peptides, report("o59", code=PANEL))
        keep(older, {**peptides[59], "valueQuantity": {"value": 9.9}}, report("o59", code=PANEL))
        assert main(hers, "subject", "results").count("Basic panel") == 2

    @pytest.mark.parametrize("differing", ["value", "nothing"])
    def test_lists_two_panels_as_one_only_where_their_members_are_alike(self, hers, connection, older, differing):
        for one, value in ((connection, 5.1), (older, 5.1 if differing == "nothing" else 6.1)):
            panel = {**result(0, name="Electrolytes"), "id": "p", "hasMember": [{"reference": "Observation/o0"}]}
            del panel["valueQuantity"]
            keep(one, result(0, value=value), panel)
        assert main(hers, "subject", "results").count("Electrolytes") == (1 if differing == "nothing" else 2)

    @pytest.mark.parametrize(
        "differing",
        [
            {"note": [{"text": "Taken too late"}]},
            {"conclusionCode": [{"text": "Low sodium"}]},
            {"presentedForm": [{"title": "Scan", "contentType": "application/pdf", "url": "https://fhir.example/b/1"}]},
        ],
    )
    def test_lists_two_reports_that_say_something_else_on_their_pages(self, hers, connection, older, differing):
        keep(connection, report(code=PANEL))
        keep(older, report(code=PANEL, **differing))
        assert main(hers, "subject", "results").count('class="row-link"') == 2

    def test_lists_a_report_once_whose_file_stands_at_two_addresses(self, hers, connection, older):
        form = {"title": "Scan", "contentType": "application/pdf", "size": 512}
        for number, one in enumerate((connection, older)):
            keep(one, report(code=PANEL, presentedForm=[{**form, "url": f"https://fhir.example/{number}/Binary/1"}]))
        assert main(hers, "subject", "results").count('class="row-link"') == 1

    def test_is_told_apart_where_a_copy_is_chosen(self, hers, connection, older):
        keep(connection, result(0))
        keep(older, result(1))
        hers.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        text = main(hers, "download_copy")
        for way in ("FHIR R4", "FHIR DSTU2"):
            assert f"{connection.provider.name} ({way}): record of" in text
