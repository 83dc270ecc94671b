"""The values of a test are saved as a file that a spreadsheet can sort, and in which nothing runs as a formula."""

import csv
import io
from decimal import Decimal

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from apps.records.models import Record
from apps.records.viewing import over_time, spreadsheets
from tests.records.shelved import keep, result
from tests.records.viewing.test_results_of_grave_reports import SORROWFUL, naming

pytestmark = pytest.mark.django_db


def address(name="save_values", logical_id="o0", subject="results"):
    return reverse(name, args=[subject, Record.objects.get(logical_id=logical_id).pk])


def saved(response):
    assert response.status_code == 200
    return list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"), newline="")))


class TestValuesThatAreSaved:
    def test_are_those_of_the_table_with_their_unit_apart(self, hers, sam, connection):
        usual = {"referenceRange": [{"low": {"value": 3, "unit": "mmol/L"}, "high": {"value": 5, "unit": "mmol/L"}}]}
        keep(connection, {**result(0), **usual}, {**result(1, value=4.10), "status": "preliminary"})
        response = hers.get(address())
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        assert response["Content-Disposition"] == 'attachment; filename="values.csv"'
        assert "no-store" in response["Cache-Control"]
        names, first, second = saved(response)
        provider = connection.provider.name
        assert names == [
            "Date",
            "Value",
            "Unit",
            "Compared with the usual range",
            "Usual range",
            "Provider",
            "Note",
        ]
        assert first[:3] == ["2024-12-31", "5.1", "mmol/L"]
        assert "Above the usual range" in first[3]
        assert first[4:6] == ["3 to 5 mmol/L", provider]
        assert second[:3] == ["2024-12-30", "4.1", "mmol/L"]
        assert "Early result" in second[6]
        hers.force_login(sam)
        assert hers.get(address()).status_code == 404

    def test_have_the_unit_of_both_numbers_of_a_blood_pressure_apart_too(self, hers, connection):
        parts = [
            {
                "code": {"coding": [{"system": "http://loinc.org", "code": code}]},
                "valueQuantity": {"value": value, "unit": "mmHg"},
            }
            for code, value in (("8480-6", 128), ("8462-4", 82))
        ]
        pressure = {**result(0, name="Blood pressure", code="85354-9"), "component": parts}
        pressure["category"] = [{"coding": [{"code": "vital-signs"}]}]
        del pressure["valueQuantity"]
        keep(connection, pressure)
        assert saved(hers.get(address(subject="vitals")))[1][1:3] == ["128/82", "mmHg"]

    def test_have_a_unit_that_begins_with_a_number_apart_too(self, hers, connection):
        cells = {"value": 4.58, "unit": "10*6/uL"}
        keep(connection, {**result(0), "valueQuantity": cells})
        assert saved(hers.get(address()))[1][1:3] == ["4.58", "10⁶/µL"]

    def test_say_less_than_and_words_as_they_were_sent(self, hers, connection):
        less, words = result(0), {**result(1), "valueString": "Not found"}
        less["valueQuantity"] = {"value": 5.10, "unit": "mmol/L", "comparator": "<"}
        del words["valueQuantity"]
        keep(connection, less, words, {**result(2), "valueQuantity": {"value": 4}})
        assert [line[1:3] for line in saved(hers.get(address()))[1:]] == [
            ["< 5.1", "mmol/L"], ["Not found", ""], ["4", ""],
        ]  # fmt: skip

    def test_are_offered_beside_the_table(self, hers, sam, connection):
        keep(connection, result(0))
        assert f'href="{address()}"' in hers.get(address("over_time")).content.decode()
        hers.force_login(sam)
        assert hers.get(address("over_time")).status_code == 404

    def test_are_all_and_not_those_alone_that_a_page_has_room_for(self, hers, connection, monkeypatch):
        monkeypatch.setattr(over_time, "MOST_VALUES", 3)
        keep(connection, *map(result, range(4)))
        page = hers.get(address("over_time")).content.decode()
        assert "Here are the newest 3." in page
        assert "download everything as received" not in str(saved(hers.get(address())))
        assert len(saved(hers.get(address()))) == 1 + 4

    def test_say_in_the_last_line_that_there_are_more(self, hers, connection, monkeypatch):
        monkeypatch.setattr(over_time, "MOST_SAVED", 3)
        keep(connection, *map(result, range(4)))
        *lines, last = saved(hers.get(address()))
        assert len(lines) == 1 + 3
        assert last == ["Here are the newest 3. To get the others, download everything as received."]

    def test_leave_out_what_asks_first(self, hers, connection):
        keep(connection, SORROWFUL, {**SORROWFUL, "id": "o1", "valueString": "Other words"}, naming("Observation/o0"))
        assert hers.get(address())["Location"] == address("entry")
        text = str(saved(hers.get(address(logical_id="o1"))))
        assert "Other words" in text
        assert "Sorrowful" not in text

    def test_are_of_no_entry_that_is_no_result(self, hers, connection):
        keep(connection, naming(code="x"))
        assert hers.get(address(logical_id="r1")).status_code == 404


class TestACell:
    @pytest.mark.parametrize(
        "sent",
        [
            *("=1+1", "+++", "-cmd|calc", "@SUM(A1)", "\t=1", '=HYPERLINK("https://evil.example")'),
            *("\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20SUM(A1)"),
        ],
    )
    def test_is_no_formula(self, hers, connection, sent):
        words = {**result(0), "valueString": sent}
        del words["valueQuantity"]
        keep(connection, words)
        value = saved(hers.get(address()))[1][1]
        assert value == f"'{sent.strip()}"

    @pytest.mark.parametrize("mark", [";", "\t"])
    @pytest.mark.parametrize(
        "sent",
        ["Seen;=1+1", "Seen, too;=1+1", 'Seen;"=1+1', "Seen;-cmd|calc", "Seen;\uff1d1+1", "a;+1;@b", '"Seen";=1+1'],
    )
    def test_is_no_formula_where_lines_are_split_at_another_mark(self, hers, connection, sent, mark):
        words = {**result(0), "valueString": sent.replace(";", mark)}
        del words["valueQuantity"]
        keep(connection, words)
        written = hers.get(address()).content.decode("utf-8-sig")
        cells = [cell for line in csv.reader(io.StringIO(written, newline=""), delimiter=mark) for cell in line]
        assert any("Seen" in cell or cell.endswith("a") for cell in cells)
        assert not [cell for cell in cells if cell.startswith(spreadsheets._FORMULAS)]

    def test_of_several_notes_is_one_wherever_lines_are_split(self, hers, connection):
        keep(connection, {**result(0), "status": "preliminary", "note": [{"text": "Fasting"}]})
        response = hers.get(address())
        noted = saved(response)[1][6]
        assert "; Fasting" in noted
        assert f'"{noted}"' in response.content.decode()

    def test_that_is_a_number_stays_one(self, hers, connection):
        keep(connection, result(0, value=-1.5))
        assert saved(hers.get(address()))[1][1] == "-1.5"

    @given(st.text() | st.decimals(allow_nan=True).map(str))
    def test_never_begins_as_a_formula_does_unless_it_is_a_number(self, sent):
        written = spreadsheets._inert(sent)
        assert written in {sent, f"'{sent}"} or any(mark in sent for mark in ";\t\r\n")
        assert written.replace("'", "") == sent.replace("'", "")
        assert written[:1] not in {"=", "@", "\t", "\r"}
        if written[:1] in {"+", "-"}:
            assert Decimal(written).is_finite()
