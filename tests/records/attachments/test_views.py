"""The pages of a file: only for its owner, and harmless whatever the file contains (facts section 6, row 24)."""

import re
from contextlib import ExitStack

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.views import waiting_room
from apps.records.models import Record
from tests.records.attachments.filing import FILE, PDF, PNG, PNG_BEGINNING, hold, inline, linked_to
from tests.records.linked import give_tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

HOSTILE = b"<html><script>alert('x')</script><p>Your <b>test</b> is <img src=x onerror=alert(1)>due.</p></html>"
CLOSED_KIND = [
    ("application/pdf", PDF, "application/pdf", "letter.pdf"),
    ("image/png", PNG, "image/png", "letter.png"),
    ("application/x-sh", b"\x00\x01#!/bin/sh", "application/octet-stream", "letter.bin"),
]


@pytest.fixture
def live(linked):
    """Tokens that last beyond the test's own clock."""

    give_tokens(linked, issued_at=timezone.now())
    return linked


def page(record, number=0):
    return reverse("file", args=[record.pk, number])


def saving(record, number=0):
    return reverse("save_file", args=[record.pk, number])


class TestThePageOfAFile:
    @pytest.mark.parametrize("name", ["file", "save_file"])
    def test_is_nobody_elses(self, client, sam, linked, name):
        address = reverse(name, args=[hold(linked, inline(b"canary")).pk, 0])
        assert client.get(address).status_code == 302
        client.force_login(sam)
        answer = client.get(address)
        assert answer.status_code == 404
        assert b"canary" not in answer.content

    @pytest.mark.parametrize("name", ["file", "save_file"])
    def test_is_not_there_for_a_file_that_is_not(self, hers, linked, name):
        assert hers.get(reverse(name, args=[hold(linked, inline(b"x")).pk, 5])).status_code == 404
        assert hers.get(reverse(name, args=[999_999, 0])).status_code == 404

    def test_leads_to_the_other_subjects_as_its_entry_does(self, hers, linked):
        text = hers.get(page(hold(linked, inline(b"canary")))).content.decode()
        assert reverse("subject", args=["medicines"]) in text
        assert f'href="{reverse("subject", args=["documents"])}" aria-current="page"' in text

    @pytest.mark.conformance("C62")
    def test_shows_html_as_text(self, hers, linked):
        answer = hers.get(page(hold(linked, inline(HOSTILE, "text/html", title="Reminder"))))
        html = answer.content.decode()
        assert "Your test is due." in html
        assert "Reminder" in html
        assert "alert" not in html
        assert "onerror" not in html
        assert answer["Cache-Control"] == "no-store, private"

    @pytest.mark.parametrize(
        ("stated", "stated_of_record", "said"),
        [
            ("es", None, 'lang="es"'),
            (None, "es", 'lang="es"'),
            ("en", "es", ""),
            ('es"><i', None, ""),
            (None, None, ""),
        ],
    )
    def test_says_in_which_language_its_text_is(self, hers, linked, stated, stated_of_record, said):
        """For readers who have the page read aloud (WCAG 3.1.2)."""
        record = hold(linked, inline(b"Carta", language=stated), language=stated_of_record)
        html = hers.get(page(record)).content.decode()
        assert f'<div class="quoted" dir="auto"{" " * bool(said)}{said}>' in html

    @pytest.mark.parametrize(("sent", "is_said"), [(b"<p>Take <del>two</del> four</p>", True), (b"<p>four</p>", False)])
    def test_says_that_crossed_out_words_are_left_out(self, hers, linked, sent, is_said):
        html = hers.get(page(hold(linked, inline(sent, "text/html")))).content.decode()
        assert ("Words that the author crossed out are left out." in html) is is_said
        assert "two" not in html

    @pytest.mark.conformance("C62")
    def test_shows_text_that_looks_like_markup_as_text(self, hers, linked):
        html = hers.get(page(hold(linked, inline(b"Say: <script>alert(1)</script>")))).content.decode()
        assert "Say: &lt;script&gt;alert(1)&lt;/script&gt;" in html

    def test_shows_a_picture_that_every_browser_draws(self, hers, linked):
        record = hold(linked, inline(PNG, "image/png", title='A "rash"'))
        html = re.sub(r"\s+", " ", hers.get(page(record)).content.decode())
        assert f'<img class="picture" src="{saving(record)}" alt="A &quot;rash&quot;">' in html
        assert "We cannot show" not in html

    @pytest.mark.parametrize("content", [b"II*\x00 rest", PNG_BEGINNING + b"rest", PNG[:40]])
    def test_says_of_a_picture_that_no_browser_draws_what_it_is(self, hers, linked, content):
        record = hold(linked, inline(content, "image/png", title="Scan"))
        html = hers.get(page(record)).content.decode()
        assert "<img" not in html
        assert "Browsers cannot show this picture." in html
        assert f'href="{saving(record)}"' in html

    def test_shows_no_drawing_that_is_markup(self, hers, linked):
        sent = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
        html = hers.get(page(hold(linked, inline(sent, "image/png", title="Scan")))).content.decode()
        assert "<img" not in html
        assert "There is no text" in html

    def test_shows_no_picture_that_came_short(self, hers, live, provider):
        provider.answers[FILE] = http(body=PNG, content_type="image/png")
        html = hers.get(page(hold(live, linked_to("document/pdf-1", title="Scan", size=999)))).content.decode()
        assert "This file may be incomplete" in html
        assert "<img" not in html
        assert "We cannot show this kind of file" not in html
        assert "Browsers cannot show" not in html

    def test_says_in_the_saved_text_that_less_came(self, hers, live, provider):
        provider.answers[FILE] = http(body=b"<p>Half a let", content_type="text/html")
        said = hers.get(saving(hold(live, linked_to("document/pdf-1", "text/html", size=999)))).content.decode()
        assert said == "Half a let\n\nThis file may be incomplete: less came than the provider said.\n"

    def test_shows_figures_one_below_the_other(self, hers, linked):
        html = hers.get(page(hold(linked, inline(b"Sodium    140\nPotassium 4.1\nIron      90")))).content.decode()
        assert '<p class="as-sent">Sodium    140\nPotassium 4.1\nIron      90</p>' in html

    def test_shows_items_as_a_list(self, hers, linked):
        html = hers.get(page(hold(linked, inline(b"<p>Do</p><ul><li>Rest</li><li>Drink</li></ul>")))).content.decode()
        assert "<li>Rest</li><li>Drink</li>" in html

    def test_says_what_cannot_be_shown_here(self, hers, live, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        html = hers.get(page(hold(live, linked_to("document/pdf-1", title="Letter")))).content.decode()
        assert "PDF document" in html
        assert "We cannot show this kind of file here." in html
        assert "application/pdf" not in html

    @pytest.mark.parametrize(
        ("answer", "sentence"),
        [
            (http(403), "Harbor Family Practice did not allow it."),
            (http(404), "Harbor Family Practice did not send it."),
            (http(302, Location="https://elsewhere.example/"), "keeps it on another site, where we do not send"),
            (http(503), "is not answering right now"),
        ],
    )
    def test_says_why_it_is_not_available(self, hers, live, provider, answer, sentence):
        provider.answers[FILE] = answer
        record = hold(live, linked_to("document/pdf-1"))
        html = hers.get(page(record)).content.decode()
        assert "File not available" in html
        assert sentence in html
        back = hers.get(saving(record))
        assert (back.status_code, back["Location"]) == (302, page(record))

    @pytest.mark.parametrize("attachment", [inline(b"Words"), linked_to("document/pdf-1", size=30_000_000)])
    def test_leads_back_to_its_entry_also_where_it_is_not_there(self, hers, linked, attachment):
        record = hold(linked, attachment)
        assert reverse("entry", args=["documents", record.pk]) in hers.get(page(record)).content.decode()

    def test_says_how_large_it_is_where_that_is_too_much(self, hers, linked):
        html = hers.get(page(hold(linked, linked_to("document/pdf-1", size=30_000_000)))).content.decode()
        assert "File too large to keep here" in html
        assert "28.6" in html

    def test_says_so_where_less_came_than_there_should_be(self, hers, live, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        html = hers.get(page(hold(live, linked_to("document/pdf-1", size=4096)))).content.decode()
        assert "This file may be incomplete" in html

    def test_does_not_say_the_same_size_twice_where_a_little_less_came(self, hers, live, provider):
        provider.answers[FILE] = http(body=b"word " * 410, content_type="text/plain")
        record = hold(live, linked_to("document/pdf-1", "text/plain", size=2060))
        said = " ".join(hers.get(page(record)).content.decode().split())
        assert "This file may be incomplete: a little less came than Harbor Family Practice says there is." in said

    def test_says_so_where_its_record_does_not_open(self, hers, live):
        record = hold(live, inline(b"canary"))
        Record.objects.filter(pk=record.pk).update(sealed_body=b"broken")
        assert "We could not open this file" in hers.get(page(record)).content.decode()
        assert hers.get(saving(record)).status_code == 302

    def test_waits_for_a_seat_where_its_provider_is_asked_and_nowhere_else(self, hers, live, provider):
        """It holds a thread for longer than an exchange may."""
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        elsewhere, here = hold(live, linked_to("document/pdf-1")), hold(live, inline(b"canary"), logical_id="d2")

        def seen():
            return [hers.get(address(record)).status_code for record in (elsewhere, here) for address in (page, saving)]

        with ExitStack() as taken:
            for _seat in range(waiting_room.SEATS_FOR_ONE):
                taken.enter_context(waiting_room.ROOM.seat(live.endpoint_id))
            answer, saved = hers.get(page(elsewhere)), hers.get(saving(elsewhere))
            assert (answer.status_code, answer["Refresh"], saved.url) == (503, "3", page(elsewhere))
            assert seen() == [503, 302, 200, 200]
            assert provider.sent(FILE) == []
        assert hers.get(page(elsewhere)).status_code == 200
        with ExitStack() as taken:
            for _seat in range(waiting_room.SEATS_FOR_ONE):
                taken.enter_context(waiting_room.ROOM.seat(live.endpoint_id))
            assert seen() == [200, 200, 200, 200]


class TestAFileToSave:
    @pytest.mark.conformance("C62")
    @pytest.mark.parametrize(("declared", "content", "media_type", "name"), CLOSED_KIND)
    def test_is_inert(self, hers, linked, declared, content, media_type, name):
        answer = hers.get(saving(hold(linked, inline(content, declared, title="letter"))))
        assert answer.content == content
        assert answer["Content-Type"] == media_type
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
        assert_inert(answer)

    @pytest.mark.conformance("C62")
    @pytest.mark.parametrize("declared", ["text/html", "application/xml", "image/svg+xml", "text/plain"])
    def test_is_the_text_alone_of_markup(self, hers, linked, declared):
        answer = hers.get(saving(hold(linked, inline(HOSTILE, declared))))
        assert answer.content == b"Your test is due.\n\nThe document has pictures. They are not in this text.\n"
        assert answer["Content-Type"] == "text/plain; charset=utf-8"
        assert_inert(answer)

    def test_is_text_as_it_came_in_characters_that_every_program_reads(self, hers, linked):
        answer = hers.get(saving(hold(linked, inline("Zürich\n\n  two".encode("latin-1")))))
        assert answer.content == "Zürich\n\n  two".encode()

    @pytest.mark.parametrize(
        ("title", "name"),
        [
            ("../../etc/passwd", "etc passwd.txt"),
            ("invoice.exe", "invoice exe.txt"),
            ('a"; filename="b.html', "a filename b html.txt"),
            ("a\r\nSet-Cookie: x", "a Set-Cookie x.txt"),
            ("\u202egpj.exe", "gpj exe.txt"),
            ("", "document.txt"),
            ("x" * 500, "x" * 60 + ".txt"),
        ],
    )
    def test_has_a_name_that_does_no_harm(self, hers, linked, title, name):
        answer = hers.get(saving(hold(linked, inline(b"words", title=title))))
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'


def assert_inert(answer):
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["Cache-Control"] == "no-store, private"
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer["Content-Disposition"].startswith("attachment")
