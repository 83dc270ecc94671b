"""What a visitor gets of a file of a share, what a provider is asked for it, and what its owner reads of that."""

import re
from base64 import b64encode
from contextlib import ExitStack

import pytest
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.connections.views import waiting_room
from apps.records.attachments import fetching
from apps.records.models import Attachment
from apps.records.subjects import DOCUMENTS
from apps.sharing import ending, file_tickets, rate_limit, visiting
from apps.sharing.models import FileOpening, Opening
from tests.faults import listening
from tests.records import provider as providers
from tests.records.attachments.filing import FILE, PDF, PNG, hold, inline, linked_to
from tests.records.attachments.test_views import HOSTILE, assert_inert
from tests.records.exporting.keeping import keep
from tests.records.exporting.taking import text
from tests.records.linked import give_tokens, make_connection, make_endpoint
from tests.records.people import R4_PATIENT
from tests.sharing.giving import NAME, address_of, enter, share_of, terms_of
from tests.sharing.test_shared_files import LETTER, address
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

PICTURED = b"""<ClinicalDocument xmlns="urn:hl7-org:v3"><component><structuredBody><component><section>
<title>Look</title><text>Canary<renderMultiMedia referencedObject="p1"/></text>
<entry><observationMedia ID="p1"><value representation="B64" mediaType="image/png">%s</value></observationMedia></entry>
</section></component></structuredBody></component></ClinicalDocument>"""
ELSEWHERE = linked_to("document/pdf-1", title="Scan")


@pytest.fixture
def provider():
    with providers.running() as running:
        yield running


@pytest.fixture
def connection(alice, provider):
    endpoint = make_endpoint(provider.base_url, token_url=provider.server.url("/oauth/token"))
    connection = make_connection(alice, endpoint)
    keep(connection, R4_PATIENT)
    give_tokens(connection, issued_at=timezone.now())
    return connection


@pytest.fixture
def share(alice, connection):
    return share_of(alice, connection, subjects=[DOCUMENTS], with_files=True)


@pytest.fixture
def entered(visitor, share):
    enter(visitor, share)
    return visitor


def events():
    return AuditEvent.objects.filter(event=EventType.SHARE_FILE_OPENED)


class TestAFile:
    def test_is_shown_as_text_and_saved_as_text_whatever_it_is(self, entered, share, connection):
        where = address(share, hold(connection, inline(HOSTILE, "text/html", title="Reminder")))
        html = entered.get(where).content.decode()
        assert "Your test is due." in html
        assert "<script>" not in html
        assert "onerror" not in html
        saved = entered.get(f"{where}save/")
        assert saved.content.startswith(b"Your test is due.")
        assert saved["Content-Type"] == "text/plain; charset=utf-8"
        assert_inert(saved)

    def test_is_saved_as_it_is_if_it_has_no_text(self, entered, share, connection):
        where = address(share, hold(connection, inline(PDF, "application/pdf", title="Letter")))
        html = entered.get(where).content.decode()
        assert "PDF document" in html
        assert f'href="{where}save/"' in html
        saved = entered.get(f"{where}save/")
        assert (saved.content, saved["Content-Type"]) == (PDF, "application/pdf")
        assert saved["Content-Disposition"] == 'attachment; filename="Letter.pdf"'
        assert_inert(saved)

    def test_is_drawn_if_it_is_a_picture(self, entered, share, connection):
        where = address(share, hold(connection, inline(PNG, "image/png", title="Scan")))
        assert f'src="{where}save/"' in entered.get(where).content.decode()

    def test_has_its_pictures_at_addresses_of_its_own(self, entered, share, connection):
        where = address(share, hold(connection, inline(PICTURED % b64encode(PNG), "text/xml")))
        assert f'src="{where}pictures/1/"' in entered.get(where).content.decode()
        picture = entered.get(f"{where}pictures/1/")
        assert (picture.content, picture["Content-Type"]) == (PNG, "image/png")
        assert_inert(picture)
        assert entered.get(f"{where}pictures/2/").status_code == 404

    def test_is_told_to_no_search_engine_and_stored_nowhere(self, entered, share, connection):
        where = address(share, hold(connection, LETTER))
        for each in (where, f"{where}save/", f"{where}pictures/9/"):
            answer = entered.get(each)
            assert answer["Cache-Control"] == "no-store, private"
            assert "noindex" in answer["X-Robots-Tag"]
            assert answer["Referrer-Policy"] == "same-origin"

    def test_leads_to_no_page_of_its_owner(self, entered, share, connection):
        record = hold(connection, LETTER)
        html = entered.get(address(share, record)).content.decode()
        for own in (reverse("file", args=[record.pk, 0]), reverse("whole_record"), "/connections/"):
            assert own not in html
        assert f'href="{address_of(share)}"' in html

    def test_is_only_read(self, entered, share, connection):
        assert entered.post(address(share, hold(connection, LETTER))).status_code == 405


class TestAFileThatIsNotHereYet:
    def test_is_fetched_once_and_kept_for_its_owner(self, entered, share, connection, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        where = address(share, hold(connection, ELSEWHERE))
        assert entered.get(where).status_code == 200
        assert entered.get(f"{where}save/").content == PDF
        assert len(provider.sent(FILE)) == 1
        assert Attachment.objects.get().user_id == share.user_id

    def test_is_fetched_without_a_word_of_the_visitor(self, entered, share, connection, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        entered.get(address(share, hold(connection, ELSEWHERE)), headers={"User-Agent": "Canary", "Referer": "Canary"})
        (sent,) = provider.sent(FILE)
        assert "Canary" not in str(sent)
        assert terms_of(share).token not in str(sent)

    def test_is_asked_for_by_nobody_who_may_not_see_it(self, visitor, share, alice, connection, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        record = hold(connection, ELSEWHERE)
        visitor.get(address(share, record))
        without = share_of(alice, connection, subjects=[DOCUMENTS])
        enter(visitor, without)
        visitor.get(address(without, record))
        enter(visitor, share)
        where = address(share, record)
        ending.end(alice, share.pk, at=timezone.now())
        visitor.get(where)
        assert provider.sent(FILE) == []

    def test_gives_nothing_if_the_share_ended_while_its_provider_was_asked(
        self, entered, share, connection, provider, monkeypatch
    ):
        fetched = fetching.fetch

        def ends(*given, **named):
            ending.end(share.user, share.pk, at=timezone.now())
            return fetched(*given, **named)

        monkeypatch.setattr(fetching, "fetch", ends)
        provider.answers[FILE] = http(body=b"Canary", content_type="text/plain")
        answer = entered.get(address(share, hold(connection, linked_to("document/pdf-1", "text/plain"))))
        assert len(provider.sent(FILE)) == 1
        assert (answer.status_code, b"Canary" in answer.content) == (404, False)
        assert not FileOpening.objects.exists()

    def test_gives_nothing_if_its_entry_was_withdrawn_while_its_provider_was_asked(
        self, entered, share, connection, provider, monkeypatch
    ):
        fetched = fetching.fetch
        content = linked_to("document/pdf-1", "text/plain")

        def withdraws(*given, **named):
            hold(connection, content, status="entered-in-error")
            return fetched(*given, **named)

        monkeypatch.setattr(fetching, "fetch", withdraws)
        provider.answers[FILE] = http(body=b"Canary", content_type="text/plain")
        answer = entered.get(address(share, hold(connection, content)))
        assert len(provider.sent(FILE)) == 1
        assert (answer.status_code, b"Canary" in answer.content) == (404, False)
        assert not FileOpening.objects.exists()

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (http(403), "could not get it from Harbor Family Practice. Ask them for it"),
            (http(404), "could not get it from Harbor Family Practice. Ask them for it"),
            (http(503), "is not answering right now. Try again in a few minutes."),
        ],
    )
    def test_says_what_a_visitor_can_do_if_it_does_not_come(self, entered, share, connection, provider, answer, said):
        provider.answers[FILE] = answer
        where = address(share, hold(connection, ELSEWHERE))
        html = text(entered.get(where))
        assert "File not available" in html
        assert said in html
        assert entered.get(f"{where}save/")["Location"] == where
        assert not events().exists()

    def test_says_that_it_is_too_large(self, entered, share, connection):
        record = hold(connection, linked_to("document/pdf-1", size=30_000_000))
        assert "It is too large to show here." in text(entered.get(address(share, record)))

    def test_says_nothing_of_a_sign_in_that_its_owner_has_to_repeat(self, entered, share, connection):
        connection.status = "needs_reauthorization"
        connection.save()
        html = text(entered.get(address(share, hold(connection, ELSEWHERE))))
        assert "could not get it from Harbor Family Practice" in html
        assert "sign in at" not in html

    def test_is_fetched_again_if_what_we_kept_does_not_open(self, entered, share, connection, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        where = address(share, hold(connection, ELSEWHERE))
        entered.get(where)
        Attachment.objects.update(sealed_content=b"broken")
        assert entered.get(f"{where}save/").content == PDF
        provider.answers[FILE] = http(404)
        assert entered.get(f"{where}save/").content == PDF

    def test_waits_for_a_seat(self, entered, share, connection, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        where = address(share, hold(connection, ELSEWHERE))
        with ExitStack() as taken:
            for _seat in range(waiting_room.SEATS_FOR_ONE):
                taken.enter_context(waiting_room.ROOM.seat(connection.endpoint_id))
            assert entered.get(where).status_code == 503
            assert entered.get(f"{where}save/")["Location"] == where
        assert provider.sent(FILE) == []

    def test_waits_for_another_of_its_share_so_that_patients_have_seats(
        self, visitor, entered, share, alice, connection, provider
    ):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        record = hold(connection, ELSEWHERE)
        with rate_limit.one_at_a_time(share.pk):
            assert entered.get(address(share, record)).status_code == 503
            assert provider.sent(FILE) == []
            other = share_of(alice, connection, subjects=[DOCUMENTS], with_files=True, purpose="Another")
            enter(visitor, other)
            assert visitor.get(address(other, record)).status_code == 200
        enter(visitor, share)  # the test's browser has one cookie of this name
        assert visitor.get(address(share, hold(connection, ELSEWHERE, logical_id="d3"))).status_code == 200

    def test_uses_nothing_up_while_it_waits(self, entered, share, connection, monkeypatch):
        monkeypatch.setattr(rate_limit, "MOST", 3)  # entering counted two
        where = address(share, hold(connection, ELSEWHERE))
        with ExitStack() as taken:
            for _seat in range(waiting_room.SEATS_FOR_ONE):
                taken.enter_context(waiting_room.ROOM.seat(connection.endpoint_id))
            assert [entered.get(where).status_code for _ in range(3)] == [503, 503, 503]
        assert entered.get(address_of(share)).status_code == 200


class TestHowOften:
    def test_a_share_is_opened_does_not_limit_its_files_nor_the_other_way(
        self, entered, share, connection, monkeypatch
    ):
        where = address(share, hold(connection, LETTER))
        monkeypatch.setattr(rate_limit, "MOST", 2)  # entering counted two
        assert entered.get(where).status_code == 200
        assert entered.get(address_of(share)).status_code == 429
        monkeypatch.setattr(rate_limit, "MOST_FILES", 2)
        assert [entered.get(each).status_code for each in (f"{where}save/", where, f"{where}pictures/1/")] == [
            *(200, 429, 429)
        ]
        monkeypatch.setattr(rate_limit, "MOST", 60)
        assert entered.get(address_of(share)).status_code == 200

    def test_its_provider_is_asked_is_limited_as_pages_are(self, entered, share, connection, provider, monkeypatch):
        provider.answers[FILE] = http(404)
        where = address(share, hold(connection, ELSEWHERE))
        monkeypatch.setattr(rate_limit, "MOST", 4)
        assert [entered.get(where).status_code for _ in range(4)] == [200, 200, 429, 429]
        assert entered.get(address(share, hold(connection, LETTER, logical_id="d2"))).status_code == 200

    def test_nobody_without_the_passcode_uses_anything_up(self, visitor, share, connection, monkeypatch):
        monkeypatch.setattr(rate_limit, "MOST_FILES", 1)
        where = address(share, hold(connection, LETTER))
        for _ in range(3):
            visitor.get(where)
        enter(visitor, share)
        assert visitor.get(where).status_code == 200


class TestItsOwner:
    def test_reads_who_opened_how_many_files_and_when(self, hers, entered, share, connection):
        for logical_id in ("d1", "d2"):
            where = address(share, hold(connection, LETTER, logical_id=logical_id))
            for each in (where, where, f"{where}save/"):
                entered.get(each)
        said = text(hers.get(reverse("share", args=[share.pk])))
        receipt = said.partition("Who opened it")[2]
        assert NAME in receipt
        assert "Opened 2 files, the last one on" in receipt
        assert events().count() == 2
        assert FileOpening.objects.count() == 2

    def test_reads_it_of_each_visitor(self, hers, entered, share, connection):
        where = address(share, hold(connection, LETTER))
        entered.get(where)
        enter(Client(), share, name="Somebody else")
        said = text(hers.get(reverse("share", args=[share.pk]))).partition("Somebody else")
        assert "Opened 1 file, on" in said[2]
        assert "Opened 1 file, on" not in said[1]

    def test_reads_in_activity_that_somebody_with_the_link_did(self, hers, entered, share, connection):
        entered.get(address(share, hold(connection, LETTER)))
        said = text(hers.get(reverse("activity")))
        assert "File of a share opened" in said
        event = events().get()
        assert (event.user_id, event.subject_id, event.facts) == (share.user_id, str(share.pk), {})

    def test_is_no_visitor(self, hers, share, connection):
        enter(hers, share)
        assert hers.get(address(share, hold(connection, LETTER))).status_code == 200
        assert not FileOpening.objects.exists()
        assert not events().exists()

    def test_reads_in_activity_of_a_visit_that_is_forgotten(self, entered, share, connection):
        """Very many opened the share since."""
        where = address(share, hold(connection, LETTER))
        Opening.objects.all().delete()
        assert entered.get(where).status_code == 200
        assert events().count() == 1

    def test_sees_the_same_files_at_their_own_addresses(self, hers, share, connection):
        record = hold(connection, LETTER)
        said = text(hers.get(reverse("preview_share", args=[share.pk])))
        assert f'href="{reverse("file", args=[record.pk, 0])}"' in said
        assert "They can also open the files." in said
        assert "With the files of documents and results." in text(hers.get(reverse("share", args=[share.pk])))

    def test_reads_nothing_of_files_of_a_share_without(self, hers, alice, connection):
        share = share_of(alice, connection, subjects=[DOCUMENTS])
        record = hold(connection, LETTER)
        said = text(hers.get(reverse("preview_share", args=[share.pk])))
        assert reverse("file", args=[record.pk, 0]) not in said
        assert "open the files" not in said
        assert "With the files" not in text(hers.get(reverse("share", args=[share.pk])))

    def test_closes_the_account_while_a_file_is_opened(self, entered, share, connection, alice, monkeypatch):
        where = address(share, hold(connection, LETTER))
        noted = visiting.note_file

        def closed_first(*given, **named):
            ending.forget(alice)
            noted(*given, **named)

        monkeypatch.setattr(visiting, "note_file", closed_first)
        answer = entered.get(where)
        assert (answer.status_code, b"Canary" in answer.content) == (404, False)


class TestAnOpenedFile:
    def test_is_in_no_log_line(self, entered, share, connection, provider):
        provider.answers[FILE] = http(403)
        letter, scan = hold(connection, LETTER), hold(connection, ELSEWHERE, logical_id="d2")
        tickets = [file_tickets.of(share, record.pk, 0) for record in (letter, scan)]
        with listening.to_everything() as heard:
            for record in (letter, scan):
                where = address(share, record)
                for each in (where, f"{where}save/", f"{where}pictures/1/"):
                    entered.get(each)
        assert "/shared/<str:token>/entry-files/<str:ticket>/" in heard.printed.getvalue()
        for said in heard.texts:
            for secret in (terms_of(share).token, *tickets, NAME, "Canary", "Discharge", "Scan"):
                assert secret not in said

    def test_is_noted_by_a_hash_of_an_address_that_nobody_can_guess(self, entered, share, connection):
        record = hold(connection, LETTER)
        entered.get(address(share, record))
        kept = FileOpening.objects.get()
        assert str(record.pk).encode() not in bytes(kept.file_hash)
        assert re.fullmatch(r"opening of a file \d+", str(kept))

    def test_is_noted_once_for_each_visit(self, share, entered, connection):
        entered.get(address(share, hold(connection, LETTER)))
        kept = FileOpening.objects.get()
        with pytest.raises(IntegrityError):
            FileOpening.objects.create(opening=kept.opening, file_hash=kept.file_hash, at=kept.at)
