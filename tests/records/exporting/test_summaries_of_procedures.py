"""A procedure that was done once is found among those that are done at every visit."""

import pytest
from django.utils import translation

from apps.records import shelving
from apps.records.exporting.ips import selecting
from tests.records.exporting.keeping import keep
from tests.records.exporting.summarized import PROCEDURES, Summarized
from tests.records.linked import AT, make_connection, make_endpoint

pytestmark = pytest.mark.django_db


def procedure(logical_id, text, when, **elements):
    dated = {"performedDateTime": when} if when else {}
    code = {"coding": [{"system": "http://snomed.info/sct", "code": str(len(text))}], "text": text}
    return {"resourceType": "Procedure", "id": logical_id, "status": "completed", "code": code, **dated, **elements}


def words(user):
    return Summarized(user).words(PROCEDURES).replace("\N{NO-BREAK SPACE}", " ")


class TestWhatIsDoneAgainAndAgain:
    def test_stands_in_one_line_with_each_of_its_dates(self, alice):
        keep(
            make_connection(alice),
            procedure("p1", "Depression screening", "2024-03-04"),
            procedure("p2", "Appendectomy", "2024-05-06"),
            procedure("p3", "Depression screening", "2025-07-08"),
            procedure("p4", "Depression screening", "2025"),
        )
        found = Summarized(alice)
        said = found.words(PROCEDURES).replace("\N{NO-BREAK SPACE}", " ")
        assert len(found.told(PROCEDURES)) == 4
        assert said.count("<td>Depression screening</td>") == 1
        assert "<td>Done: 3 times: July 8, 2025; 2025; March 4, 2024</td>" in said
        assert "<td>Done: May 6, 2024</td>" in said

    @pytest.mark.parametrize(
        "other",
        [
            {"outcome": {"text": "Positive"}},
            {"note": [{"text": "With her mother"}]},
            {"status": "in-progress"},
            {"performedDateTime": None},
            {"modifierExtension": [{"url": "urn:x", "valueBoolean": True}]},
        ],
    )
    def test_stands_by_itself_where_anything_else_differs(self, alice, other):
        keep(
            make_connection(alice),
            procedure("p1", "Depression screening", "2024-03-04"),
            procedure("p2", "Depression screening", "2025-03-04", **other),
        )
        assert words(alice).count("<td>Depression screening</td>") == 2

    def test_stands_by_itself_of_each_provider(self, alice):
        keep(make_connection(alice), procedure("p1", "Depression screening", "2024-03-04"))
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        keep(other, procedure("p1", "Depression screening", "2025-03-04"))
        assert words(alice).count("<td>Depression screening</td>") == 2

    def test_is_counted_in_spanish(self, alice):
        keep(make_connection(alice), *(procedure(f"p{n}", "Depression screening", f"20{n}-03-04") for n in (24, 25)))
        with translation.override("es"):
            assert "2 veces: 4 de marzo de 2025; 4 de marzo de 2024" in words(alice)

    @pytest.mark.parametrize("is_shelved", [False, True])
    def test_takes_no_place_of_what_was_done_once(self, alice, is_shelved):
        connection = make_connection(alice)
        checks = [
            procedure(f"c{n}", "Check", f"20{10 + n // 300}-{1 + n % 12:02}-{1 + n % 28:02}")
            for n in range(selecting.MOST * 2 + 20)
        ]
        keep(connection, procedure("p1", "Splenectomy", "1979-01-02"), *checks)
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        found = Summarized(alice)
        told = [each["code"]["text"] for each in found.told(PROCEDURES)]
        assert (told.count("Splenectomy"), len(told)) == (1, selecting.MOST)
        assert "Not listed, because they are older or repeated: 221." in found.words(PROCEDURES)
