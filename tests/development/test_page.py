"""How the demo's robot reads a page: what a person without scripts would read, click and fill in."""

import pytest

from development.check.page import NotThere, Page

HTML = """<!doctype html><html><head><title>Unseen</title><meta http-equiv="refresh" content="3; url='/next?a=1'"></head>
<body><script>unseen()</script><h1>Find &amp; choose</h1>
<a href="/away">Go <strong>away</strong></a>
<form action="/here" method="post"><input type="hidden" name="token" value="t">
  <label for="q">Your <em>name</em></label><input id="q" name="name" value="before">
  <label><input type="checkbox" name="agree" value="yes"> I agree</label>
  <input type="radio" id="r1" name="way" value="new" checked><label for="r1">The newer way</label>
  <input type="radio" id="r2" name="way" value="old"><label for="r2">The older way</label>
  <label for="s">Language</label><select id="s" name="lang"><option value="en">English</option><option value="es">Español</option></select>
  <label for="t">Note</label><textarea id="t" name="note">as it was</textarea>
  <button name="step" value="go">Go on</button><button type="button">Nothing</button></form>
</body></html>"""  # noqa: E501


@pytest.fixture
def page():
    return Page("http://127.0.0.1/a/b", 200, HTML)


class TestAPage:
    def test_is_read_without_what_is_not_shown(self, page):
        page.must_show("Find & choose", "Go away")
        assert "nseen" not in page.text

    def test_is_told_apart_from_one_that_lacks_a_word(self, page):
        with pytest.raises(NotThere, match="no 'Confirmed'"):
            page.must_show("Confirmed")

    def test_leads_where_a_link_of_those_words_leads(self, page):
        assert page.link("Go away") == "http://127.0.0.1/away"
        with pytest.raises(NotThere):
            page.link("Elsewhere")

    def test_goes_where_it_says_it_goes(self, page):
        assert page.refreshes_to == "http://127.0.0.1/next?a=1"


class TestAForm:
    def test_sends_what_it_would_send_untouched(self, page):
        assert page.form("Go on").filled({}, "Go on") == [
            ("token", "t"),
            ("name", "before"),
            ("way", "new"),
            ("lang", "en"),
            ("note", "as it was"),
            ("step", "go"),
        ]

    def test_sends_what_was_filled_in_by_label(self, page):
        filled = {"Your name": "Rosa", "I agree": True, "The older way": True, "Language": "Español", "Note": "now"}
        assert page.form("Go on").filled(filled, "Go on") == [
            ("token", "t"),
            ("name", "Rosa"),
            ("agree", "yes"),
            ("way", "old"),
            ("lang", "es"),
            ("note", "now"),
            ("step", "go"),
        ]

    def test_lacks_a_field_nobody_named(self, page):
        with pytest.raises(NotThere, match="no field called 'Age'"):
            page.form("Go on").filled({"Age": "7"}, "Go on")

    def test_lacks_a_button_that_sends_nothing(self, page):
        with pytest.raises(NotThere):
            page.form("Nothing")
