"""A provider's long texts keep their layout, and the page says what of them is not shown."""

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.records.pages import page, text_of
from tests.records.people import allergy
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

HIDDEN = "Part of this text is hidden from every reader."
PICTURES = "This text has pictures that are not shown here."
CROSSED_OUT = "Words that the author crossed out are left out."


def entry(client, connection, markup, **elements):
    keep(connection, {**result(0), "text": {"status": "additional", "div": markup}, **elements})
    return page(client, "entry", "results", Record.objects.get(logical_id="o0").pk)


class TestANarrative:
    @pytest.mark.parametrize(
        ("left_out", "remark"),
        [
            ("<p style='display:none'>Canary</p>", HIDDEN),
            ("<svg><path id='canary'/></svg>", PICTURES),
            ("<img src='#canary'/>", PICTURES),
            ("<del>Canary</del>", CROSSED_OUT),
        ],
    )
    def test_says_what_of_it_is_left_out(self, hers, connection, left_out, remark):
        said = entry(hers, connection, f"<div><p>The heart is large.</p>{left_out}</div>")
        assert [each for each in (HIDDEN, PICTURES, CROSSED_OUT) if each in said] == [remark]
        assert "The heart is large." in said
        assert "anary" not in said

    @pytest.mark.parametrize(("left_out", "remark"), [("<p hidden>Canary</p>", HIDDEN), ("<img src='#'/>", PICTURES)])
    def test_of_which_all_is_left_out_says_so_and_is_more_than_nothing(self, hers, connection, left_out, remark):
        bare = {"resourceType": "Procedure", "status": "completed", "code": {"text": "Drainage"}}
        keep(connection, {**bare, "id": "p1", "text": {"status": "additional", "div": f"<div>{left_out}</div>"}})
        said = page(hers, "entry", "procedures", Record.objects.get(logical_id="p1").pk)
        assert remark in said
        assert "We found no further details" not in said

    def test_has_that_of_each_part_of_a_document_under_its_name(self, hers, sam, connection):
        def part(title, words, **more):
            return {"title": title, "text": {"status": "additional", "div": f"<div><p>{words}</p></div>"}, **more}

        inner = part("Dose", "Once a day.")
        cut = {"title": "<b>", "text": {"div": "<div><!-- "}}
        sections = [part("Medicines", "Two.", section=[inner]), cut, {"title": "Empty"}, part("Plan", "Rest.")]
        letter = {"resourceType": "Composition", "id": "c1", "status": "final", "title": "Letter", "section": sections}
        keep(connection, {**letter, "text": {"status": "additional", "div": "<div>Dear colleague</div>"}})
        address = reverse("entry", args=["other", Record.objects.get(logical_id="c1").pk])
        said = text_of(hers.get(address)).split("In the words of")[1]
        told = [
            "Dear colleague",
            "<h2>Medicines</h2>",
            "Two.",
            "<h2>Dose</h2>",
            "Once a day.",
            "<h2>Plan</h2>",
            "Rest.",
        ]
        assert sorted(told, key=said.index) == told
        assert "<h2>Empty</h2>" not in said
        assert "<b>" not in said
        hers.force_login(sam)
        assert hers.get(address).status_code == 404

    def test_says_nothing_of_what_it_tells(self, hers, connection):
        said = entry(hers, connection, "<div><p>The heart is large.</p></div>")
        assert not any(each in said for each in (HIDDEN, PICTURES, CROSSED_OUT))

    def test_keeps_its_lists_and_tables(self, hers, connection):
        table = "<table><tr><td>Wall</td><td>12 mm</td></tr></table>"
        said = entry(hers, connection, f"<div><ul><li>Rest</li></ul>{table}</div>")
        assert "<li>Rest</li>" in said
        assert '<p class="line">Wall · 12 mm</p>' in said

    def test_that_is_long_is_told_to_its_end(self, hers, connection):
        assert "Last words" in entry(hers, connection, f"<div>{'<p>Many words</p>' * 2000}<p>Last words</p></div>")

    def test_that_is_endless_says_where_all_of_it_is(self, hers, connection):
        said = entry(hers, connection, f"<div>{'<p>Many words</p>' * 11_000}<p>Last words</p></div>")
        assert "The text is longer than we can show. To get all of it, download everything as received." in said
        assert "Last words" not in said

    def test_of_what_its_provider_hides_is_not_told(self, hers, connection):
        said = entry(hers, connection, "<div><p>Words</p></div>", meta={"security": [{"code": "masked"}]})
        assert "Words" not in said


class TestANote:
    def noted(self, client, connection, resource, subject="results"):
        keep(connection, resource)
        record = Record.objects.get(connection=connection, logical_id=resource["id"])
        return page(client, "entry", subject, record.pk).split("In the words of")[1].split("Something missing")[0]

    @pytest.mark.parametrize(
        ("signed", "told"),
        [
            ({"authorString": "Ada <b>"}, "Written down by: Ada &lt;b&gt;"),
            ({"time": "2024-05-03"}, "Written down: May 3, 2024"),
            ({"authorString": "Ada Rose", "time": "2024-05"}, "Written down by: Ada Rose · May 2024"),
            ({"authorReference": {"display": "Bo Finch"}, "authorString": "Ada"}, "Written down by: Bo Finch"),
            ({"authorReference": {"reference": "Practitioner/p1"}}, "Written down by: Ada Rose"),
            ({"authorReference": {"reference": "#p2"}}, "Written down by: Cy Vane"),
        ],
    )
    def test_says_who_wrote_it_and_when(self, hers, sam, connection, signed, told):
        keep(connection, {"resourceType": "Practitioner", "id": "p1", "name": [{"text": "Ada Rose"}]})
        contained = [{"resourceType": "Practitioner", "id": "p2", "name": {"text": "Cy Vane"}}]
        note = {"text": "Drink more.", **signed}
        said = self.noted(hers, connection, {**result(0), "contained": contained, "note": [note]})
        assert f'Drink more.</p></div> <p class="soft">{told}</p>' in said
        hers.force_login(sam)
        address = reverse("entry", args=["results", Record.objects.get(logical_id="o0").pk])
        assert hers.get(address).status_code == 404

    def test_says_it_of_the_one_note_that_dstu2_has(self, hers, connection):
        note = {"text": "Hives.", "authorReference": {"display": "Ada Rose"}, "time": "2016-05-03"}
        said = self.noted(hers, connection, allergy("a1", note=note), "allergies")
        assert 'Hives.</p></div> <p class="soft">Written down by: Ada Rose · May 3, 2016</p>' in said

    def test_of_several_says_it_of_each_and_once_of_what_was_written_alike(self, hers, connection):
        notes = [
            {"text": "Seen.", "authorString": "Ada"},
            {"text": "Called."},
            {"text": "Seen.", "authorString": "Bo"},
            {"text": "Seen.", "authorString": "Ada"},
        ]
        said = self.noted(hers, connection, {**result(0), "note": notes})
        assert said.count("Seen.") == 1
        assert said.index("Written down by: Ada") < said.index("Written down by: Bo") < said.index("Called.")
        assert said.count("Written down") == 2

    @pytest.mark.parametrize("odd", [{"time": [1], "authorString": {"a": 1}}, {"authorReference": "Ada"}, {}])
    def test_says_nobody_and_no_time_where_none_is_known(self, hers, connection, odd):
        said = self.noted(hers, connection, {**result(0), "note": [{"text": "Seen.", **odd}, "Odd", None]})
        assert "Seen." in said
        assert "Written down" not in said

    def test_is_signed_by_nobody_where_it_is_a_plain_text(self, hers, connection):
        assert "Written down" not in self.noted(hers, connection, {**result(0), "comments": "Hemolyzed."})
