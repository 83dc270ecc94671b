"""An HTML form is shown with what was filled in, and with what was not."""

import pytest
from django.urls import reverse

from apps.records.presenters.prose import blocks
from tests.effort import at_most
from tests.records.attachments.filing import hold, inline

BOX = "<input type=checkbox>"
TICKED = "<input type='checkbox' checked>"
A, B = "<input id=a type=checkbox checked>", "<input type=checkbox id='b'>"


def said(markup):
    return blocks.of_markup(f"<p>{markup}</p>").plain


class TestAChoice:
    @pytest.mark.parametrize(
        ("options", "chosen"),
        [
            ("<option>Never</option><option selected>Former</option><option>Now</option>", "Former"),
            ("<option>Never<option selected='selected' value=2>Former <b>smoker</b>", "Former smoker"),
            ("<option selected>Never</option><option selected>Former</option>", "Former"),
            ("<option selected label='Former'></option><option>Now", "Former"),
            ("<optgroup label='Mother'><option selected>Diabetes</option></optgroup><option>Never", "Mother: Diabetes"),
            ("<optgroup label='Mother'></optgroup><option selected>Never", "Never"),
            ("<option>Never</option><option>Former</option>", "[ ] Never [ ] Former"),
            ("<option selected></option><option>Former</option>", "____"),
            ("", "____"),
            ("Former", "Former"),
        ],
    )
    def test_tells_what_is_chosen_and_of_nothing_chosen_all_there_was(self, options, chosen):
        assert said(f"Smoking: <select>{options}</select>, told") == f"Smoking: {chosen}, told"

    def test_of_several_tells_each(self):
        options = "<option selected>Eggs</option><option>Milk</option><option selected>Nuts</option>"
        assert said(f"Allergies: <select multiple>{options}</select>") == "Allergies: Eggs; Nuts"

    def test_without_an_end_takes_nothing_behind_it_away(self):
        assert blocks.of_markup("<p>Smoking: <select><option selected>Never</p><p>Allergic").plain == (
            "Smoking: Never\nAllergic"
        )
        assert blocks.of_markup("Smoking: <select><option selected>Never").plain == "Smoking: Never"

    def test_that_is_only_proposed_is_not_told(self):
        assert said("<input value=Eggs list=d><datalist id=d><option>Milk</option></datalist>") == "Eggs"

    def test_hides_nothing_without_a_word(self):
        found = blocks.of_markup("<select><option hidden>Milk</option><option selected>Eggs</option></select>")
        assert (found.plain, found.has_hidden) == ("Eggs", True)


class TestABox:
    @pytest.mark.parametrize(
        ("markup", "told"),
        [
            (f"{TICKED}Fever {BOX}Cough", "[x] Fever [ ] Cough"),
            ("<input type=RADIO name=a checked=''/> Yes<input type=radio name=a value=n>No", "[x] Yes [ ] No"),
            (f"Now: <label>{TICKED}Fever</label><label>{BOX}Cough</label>", "Now: [x] Fever\n[ ] Cough"),
            (f"<label>Fever {TICKED}</label><label>Cough {BOX}</label>", "[x] Fever [ ] Cough"),
            (f"<label>Side: {BOX}left {TICKED}right</label>", "Side: [ ] left [x] right"),
            (f"{TICKED}<label>Fever</label>{BOX}<label>Cough</label>", "[x] Fever [ ] Cough"),
            (f"<label for=a>Fever</label>{A}<label for='b'>Cough</label>: {B}", "[x] Fever\n[ ] Cough:"),
            (f"Now:<label for=a>Fever</label>{A}", "Now: [x] Fever"),
            (f"Now: {A}<label for=a>Fever</label>{B}<label for=b>Cough</label>", "Now:\n[x] Fever\n[ ] Cough"),
            ("<b role=checkbox aria-checked=true>Fever</b><b aria-checked='false'>Cough</b>", "[x] Fever [ ] Cough"),
            ("<input type=checkbox role=switch aria-checked=true checked>Fever", "[x] Fever"),
        ],
    )  # fmt: skip
    def test_says_whether_it_is_ticked_and_what_is_its_own(self, markup, told):
        assert said(markup) == told

    def test_stands_in_its_cell_or_item(self):
        found = blocks.of_markup(f"<table><tr><td>{TICKED}</td><td>Fever</td></tr></table><ul><li>{BOX}Cough</ul>")
        assert [block.cells or block.text for block in found.blocks] == [("[x]", "Fever"), "[ ] Cough"]


class TestAField:
    @pytest.mark.parametrize(
        ("markup", "told"),
        [
            ("Weight <input value='72'>kg", "Weight 72 kg"),
            ("Pulse <input type=number value=52 hidden/>, <input type=text value='&lt; 60'>.", "Pulse 52, < 60."),
            ("<label>Height</label><input value=180><label>Weight</label><input>", "Height 180\nWeight ____"),
            ("Note<textarea>calm\n  and <b>well</b></textarea>end", "Note\ncalm\nand well\nend"),
            ("Note<textarea>\n</textarea>", "Note\n____"),
            ("<input type=hidden value=token><input type=password value=secret><input type=image value=x>", "____"),
            ("<input type=submit value=Sign><input type=reset>", "Sign"),
            ("10<sup><input value=9></sup>", "10 9"),
        ],
    )  # fmt: skip
    def test_says_what_is_entered(self, markup, told):
        assert said(markup) == told

    def test_stands_apart_from_the_next_in_its_cell(self):
        cell = "<label>Dose<input value=5></label><label>Route<textarea></textarea></label>"
        (row,) = blocks.of_markup(f"<table><tr><td>{cell}</td></tr></table>").blocks
        assert row.cells == ("Dose 5; Route; ____",)

    def test_is_cut_where_it_is_longer_than_a_page(self):
        found = blocks.of_markup(f"<p><input value='{'x' * 400_000}'>")
        assert (len(found.plain), found.is_cut) == (blocks.MOST_CHARACTERS, True)


class TestALabel:
    def test_stands_apart_from_what_it_is_of(self):
        assert said("<label>Name</label>Alice<label>Born</label>: May") == "Name Alice Born: May"


class TestAForm:
    @pytest.mark.parametrize(
        "markup",
        [
            "<label>" * 200_000, f"{BOX}" * 100_000, "<input type=checkbox id=a><label for=a>x" * 80_000,
            "<select><option>x" * 100_000, "<select>" + "<option selected>x" * 200_000, "<textarea>" * 200_000,
            f"{BOX}{'<b> ' * 100_000}{'<label>x' * 50_000}",
            f"<select multiple><optgroup label='{'x' * 10_000}'>" + "<option selected>x" * 100_000,
        ],
        ids=lambda markup: markup[:16],
    )  # fmt: skip
    def test_made_to_hurt_is_read_in_one_pass(self, markup):
        with at_most(million_steps=1500):
            assert len(blocks.of_markup(markup).plain) <= blocks.MOST_CHARACTERS * 2

    def test_has_marks_where_it_needs_them(self):
        assert not blocks.of_markup("<input value=5>").has_marks
        assert blocks.of_markup("<input>").has_marks
        assert blocks.of_markup(BOX).has_marks


@pytest.mark.django_db
class TestThePage:
    @pytest.mark.parametrize(
        ("language", "words"),
        [
            ("en", "[x] marks what is chosen, [ ] what is not, and ____ what is left empty."),
            ("es", "[x] indica lo que está marcado, [ ] lo que no, ____ lo que quedó vacío."),
        ],
    )
    def test_says_what_the_marks_of_a_form_mean(self, hers, connection, language, words):
        record = hold(connection, inline(f"<html><p>{TICKED}Fever</p></html>".encode(), "text/html"))
        asked = {"headers": {"accept-language": language}}
        page = hers.get(reverse("file", args=[record.pk, 0]), **asked).content.decode()
        assert "[x] Fever" in page
        assert words in page
        saved = hers.get(reverse("save_file", args=[record.pk, 0]), **asked).content.decode()
        assert saved.startswith("[x] Fever")
        assert words in saved

    def test_says_nothing_of_marks_that_are_not_there(self, hers, connection):
        record = hold(connection, inline(b"<html><p>Fever</p></html>", "text/html"))
        assert "There is a form" not in hers.get(reverse("file", args=[record.pk, 0])).content.decode()
