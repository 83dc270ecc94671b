"""Names and words with characters that nobody types are found by what a reader sees, and never break a page."""

import unicodedata

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from apps.records.presenters.normalizing import words_of
from tests.records.pages import ask
from tests.records.shelved import keep, result

HUGE = "w" * 200_000
MANY = "word " * 100_000

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60)


@pytest.mark.django_db
class TestAName:
    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("Fo\u0301sforo", "fósforo"),
            ("Fósforo", "fo\u0301sforo"),
            ("Fósforo", "fosforo"),
            ("FOSFORO", "fósforo"),
            ("Niño", "nino"),
            ("Σακχαρώδης", "σακχαρωδης"),
            ("So\u200bdium", "sodium"),
            ("\u200fSodium\u200e", "sodium"),
            ("So\xaddium", "sodium"),
            ("\uff33\uff4f\uff44\uff49\uff55\uff4d", "sodium"),
            ("Sodium", "so\u200bdium"),
            ("Sodium", "so\x00dium"),
            ("Sodium in\xa0blood", "sodium blood"),
            ("\u202emuidoS", "muidos"),
        ],
    )
    def test_is_found_by_what_a_reader_sees(self, hers, connection, name, words):
        keep(connection, result(0, name=name, code="x"), result(1, name="Zebra", code="y"))
        assert "1 entry found" in ask(hers, words)

    def test_of_a_hundred_thousand_words_is_one_row(self, hers, connection):
        keep(connection, result(0, name=MANY, code="x"), result(1, name=HUGE, code="y"))
        text = ask(hers, "word")
        assert "1 entry found" in text
        assert len(text) < 100_000
        assert "1 entry found" in ask(hers, "w" * 100)
        for by in ("", "date"):
            page = hers.get(reverse("subject", args=["results"]), {"by": by})
            assert page.status_code == 200
            assert len(page.content) < 200_000

    def test_is_no_markup(self, hers, connection):
        keep(connection, result(0, name="<b>Sodium</b><script>alert(1)</script>", code="x"))
        text = ask(hers, "<b>sodium")
        assert "1 entry found" in text
        assert "<script>alert" not in text
        assert "<b>" not in text.split("<h1>")[1]

    def test_is_no_markup_when_it_was_escaped_by_the_provider(self, hers, connection):
        keep(connection, result(0, name="St. John&#39;s &lt;b&gt;wort&lt;/b&gt;", code="x"))
        text = ask(hers, "john's <b>wort")
        assert "1 entry found" in text
        assert "St. John&#x27;s &lt;b&gt;wort" in text
        assert "<b>" not in text.split("<h1>")[1]

    def test_is_found_by_no_stranger(self, client, sam, connection):
        keep(connection, result(0, name="So\u200bdium", code="x"))
        client.force_login(sam)
        assert "Your record starts when you connect your first provider." in ask(client, "sodium")

    @pytest.mark.parametrize(
        "words",
        [
            "\x00",
            "\x1f",
            "\u200b",
            "q " * 50,
            "\x00" * 500,
            HUGE,
            MANY,
            "\ud800".encode(errors="surrogatepass").decode("utf-8", "replace"),
        ],
    )
    def test_is_found_by_nothing_that_is_no_word_of_it(self, hers, connection, words):
        keep(connection, result(0))
        assert "1 entry found" not in ask(hers, words)


class TestWords:
    @given(TEXTS)
    def test_are_the_same_in_every_spelling(self, text):
        words = words_of(text)
        for form in ("NFC", "NFD"):
            assert words_of(unicodedata.normalize(form, text)) == words

    @pytest.mark.parametrize(("one", "other"), [("कि", "क"), ("が", "か"), ("לָ", "ל")])
    def test_of_scripts_whose_marks_are_letters_keep_them(self, one, other):
        assert words_of(one) != words_of(other)

    @given(TEXTS)
    def test_hold_nothing_that_ends_a_line_or_a_phrase(self, text):
        assert not [word for word in words_of(text) if "\n" in word or "\x1f" in word or not word]

    @given(TEXTS)
    def test_of_words_are_the_same_words(self, text):
        words = words_of(text)
        assert words_of(" ".join(words)) == words
