"""Files of a share: only for whoever may see their entry there, only if they were ticked, and harmless."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.audit.recording import Actor
from apps.records import attachments, deleting_copies, shelving
from apps.records.models import Record
from apps.records.subjects import ALLERGIES, DOCUMENTS, RESULTS
from apps.sharing import ending, file_tickets, visiting
from apps.sharing.models import FileOpening
from tests.records.attachments.filing import hold, inline
from tests.records.exporting.keeping import keep
from tests.records.exporting.taking import text
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import R4_PATIENT
from tests.sharing import receiving
from tests.sharing.giving import address_of, enter, share_of, terms_of
from tests.sharing.test_fetching import fetch

pytestmark = pytest.mark.django_db

HOSTILE = b"<html><script>alert('x')</script><p>Your <b>canary</b> is <img src=x onerror=alert(1)>due.</p></html>"
LETTER = inline(b"Canary-words of the letter", title="Discharge letter")
NOT_SHARED = "This file is not shared"


@pytest.fixture
def letter(connection):
    return hold(connection, LETTER)


@pytest.fixture
def share(alice, connection, letter):
    return share_of(alice, connection, subjects=[DOCUMENTS], with_files=True)


@pytest.fixture
def entered(visitor, share):
    enter(visitor, share)
    return visitor


def address(share, record, number=0):
    return reverse("shared_entry_file", args=[terms_of(share).token, file_tickets.of(share, record.pk, number)])


def addresses(share, record):
    page = address(share, record)
    return [page, f"{page}save/", f"{page}pictures/1/"]


def linked_in(answer):
    return re.findall(r'href="(/[^"]*entry-files/[^"]*)"', text(answer))


def damage(record):
    Record.objects.filter(pk=record.pk).update(sealed_body=b"broken")


class TestThePageOfAShare:
    @pytest.mark.parametrize("is_shelved", [True, False])
    def test_leads_to_each_file_of_an_entry_that_it_shows(self, visitor, alice, connection, letter, is_shelved):
        report = {
            "resourceType": "DiagnosticReport",
            "id": "r1",
            "status": "final",
            "code": {"text": "Ultrasound"},
            "presentedForm": [inline(b"Canary-one", title="One"), inline(b"Canary-two")],
        }
        keep(connection, report)
        if is_shelved:
            shelving.rebuild_all(connection, at=AT)
        share = share_of(alice, connection, subjects=[DOCUMENTS, RESULTS], with_files=True)
        page = enter(visitor, share)
        for said in ("Discharge letter</a> <", "One</a> · Text <", "Ultrasound</a> · Text <"):
            assert f"Open the file: {said}" in text(page)
        opened = [text(visitor.get(each)) for each in linked_in(page)]
        assert [sum(words in each for each in opened) for words in ("Canary-words", "Canary-one", "Canary-two")] == [
            1
        ] * 3

    def test_leads_to_none_unless_its_owner_ticked_that(self, visitor, alice, connection, letter):
        share = share_of(alice, connection, subjects=[DOCUMENTS])
        page = enter(visitor, share)
        assert "Letter" in text(page)
        assert linked_in(page) == []
        for each in addresses(share, letter):
            answer = visitor.get(each)
            assert answer.status_code == 404
            assert b"Canary" not in answer.content

    def test_leads_to_none_of_an_entry_that_it_leaves_out(self, visitor, alice, connection, letter):
        share = share_of(alice, connection, with_files=True, subjects=[ALLERGIES])
        assert linked_in(enter(visitor, share)) == []
        assert visitor.get(address(share, letter)).status_code == 404

    def test_says_nothing_of_an_entry_in_an_address(self, visitor, share, entered):
        (found,) = linked_in(visitor.get(address_of(share)))
        assert "letter" not in found.lower().replace(terms_of(share).token.lower(), "")

    def test_is_unchanged_for_programs(self, visitor, share):
        (fetched,) = fetch(share, receiving.by(visitor))
        assert b"Canary" not in fetched.content


def document(connection, title="Letter", **elements):
    """Shown by a share since 2020, as it has a date, unless one of these elements keeps it away."""
    file = inline(b"Canary", title=title)
    return hold(connection, file, logical_id="d2", **{"date": "2024-05-06T10:00:00Z", **elements})


def grave(connection):
    return document(connection, type={"text": "Pathology report"})


def once_grave(connection):
    grave(connection)
    return document(connection, type={"text": "Report"})


def perhaps_once_grave(connection):
    """An earlier version does not open: nobody knows what it was called."""
    record = once_grave(connection)
    record.versions.update(sealed_body=b"broken")
    return record


def sensitive(connection):
    return document(connection, type={"text": "Psychiatry note"})


def sensitive_by_a_title(connection):
    return document(connection, title="Canary of schizophrenia", description="Words")


def old(connection):
    return document(connection, date="2001-05-06T10:00:00Z")


def withdrawn(connection):
    return document(connection, status="entered-in-error")


def gone(connection):
    record = document(connection)
    Record.objects.filter(pk=record.pk).update(removed_at=AT)
    return record


class TestAFileOfAnEntry:
    @pytest.mark.parametrize(
        "made", [grave, once_grave, perhaps_once_grave, sensitive, sensitive_by_a_title, old, withdrawn, gone]
    )
    def test_that_the_page_does_not_show_is_not_there(self, visitor, alice, connection, made):
        record = made(connection)
        since = AT.date().replace(year=2020)
        share = share_of(alice, connection, subjects=[DOCUMENTS], with_files=True, since=since)
        page = enter(visitor, share)
        assert b"Canary" not in page.content
        assert linked_in(page) == []
        for each in addresses(share, record):
            answer = visitor.get(each)
            assert answer.status_code == 404
            assert b"Canary" not in answer.content
        assert not FileOpening.objects.exists()

    @pytest.mark.parametrize("was", ["Letter", "Note"])
    def test_that_the_page_shows_is_there(self, visitor, alice, connection, was):
        document(connection, type={"text": was})
        record = document(connection)
        share = share_of(alice, connection, subjects=[DOCUMENTS], with_files=True, since=AT.date().replace(year=2020))
        assert linked_in(enter(visitor, share)) == [address(share, record)]
        assert b"Canary" in visitor.get(address(share, record)).content

    def test_that_may_be_grave_is_not_there_either_where_the_rest_was_ticked(self, visitor, alice, connection):
        record = grave(connection)
        share = share_of(alice, connection, subjects=[DOCUMENTS], with_files=True, tells_sensitive=True)
        page = enter(visitor, share)
        assert "Not shown here, as it may be sensitive news" in text(page)
        assert linked_in(page) == []
        assert visitor.get(address(share, record)).status_code == 404

    def test_that_may_be_grave_is_not_there_though_its_owner_is_not_asked(self, visitor, alice, connection):
        alice.asks_before_grave_news = False
        alice.save()
        record = once_grave(connection)
        share = share_of(alice, connection, subjects=[DOCUMENTS], with_files=True, tells_sensitive=True)
        assert linked_in(enter(visitor, share)) == []
        assert visitor.get(address(share, record)).status_code == 404

    def test_of_a_source_that_is_not_shared_is_not_there(self, visitor, alice, connection, letter, share):
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        keep(other, R4_PATIENT)
        record = hold(other, LETTER)
        enter(visitor, share)
        assert visitor.get(address(share, record)).status_code == 404

    def test_of_somebody_else_is_not_there(self, entered, share, sam):
        record = hold(make_connection(sam, share.user.connections.get().endpoint), LETTER)
        assert entered.get(address(share, record)).status_code == 404

    def test_that_was_corrected_is_as_it_is_now(self, entered, share, connection, letter):
        hold(connection, inline(b"Corrected words", title="Discharge letter"))
        said = text(entered.get(address(share, letter)))
        assert "Corrected words" in said
        assert "Canary" not in said

    @pytest.mark.parametrize("change", [{"status": "entered-in-error"}, {"type": {"text": "Psychiatry note"}}])
    def test_that_was_withdrawn_or_renamed_meanwhile_is_not_there(self, entered, share, connection, letter, change):
        assert entered.get(address(share, letter)).status_code == 200
        hold(connection, LETTER, **change)
        answer = entered.get(address(share, letter))
        assert answer.status_code == 404
        assert NOT_SHARED in text(answer)

    def test_that_was_deleted_meanwhile_is_not_there(self, entered, share, alice, connection, letter):
        where = addresses(share, letter)
        deleting_copies.forget(connection, actor=Actor.user(alice.pk), at=timezone.now())
        for each in where:
            assert entered.get(each).status_code == 404

    @pytest.mark.parametrize("number", [1, 99])
    def test_that_has_no_such_file_is_not_there(self, entered, share, letter, number):
        assert entered.get(address(share, letter, number)).status_code == 404


class TestAFileOfAnEntryThatDoesNotOpen:
    def test_is_a_calm_page_that_leads_back(self, entered, share, letter):
        page, *parts = addresses(share, letter)
        damage(letter)
        answer = entered.get(page)
        assert answer.status_code == 200
        assert "This is ours to fix." in text(answer)
        assert f'href="{address_of(share)}"' in text(answer)
        assert [entered.get(each)["Location"] for each in parts] == [page, page]
        assert not FileOpening.objects.exists()

    def test_is_the_same_if_that_is_damaged_only_now(self, entered, share, letter, monkeypatch):
        opened = attachments.open_file

        def damaged_first(record, *given, **named):
            damage(record)
            return opened(Record.objects.get(pk=record.pk), *given, **named)

        monkeypatch.setattr(attachments, "open_file", damaged_first)
        assert "This is ours to fix." in text(entered.get(address(share, letter)))

    def test_is_told_to_nobody_who_was_not_let_in(self, visitor, share, letter):
        damage(letter)
        assert visitor.get(address(share, letter))["Location"] == address_of(share)


class TestAStranger:
    def test_who_has_the_address_alone_is_asked_for_the_passcode(self, share, letter):
        for each in addresses(share, letter):
            answer = Client().get(each, follow=True)
            assert "Enter the passcode" in text(answer)
            assert b"Canary" not in answer.content
            assert "no-store" in answer["Cache-Control"]

    def test_who_is_signed_in_here_is_asked_as_well(self, client, sam, share, letter):
        client.force_login(sam)
        assert client.get(address(share, letter))["Location"] == address_of(share)

    def test_who_has_another_share_opens_nothing(self, visitor, alice, connection, share, letter):
        """Neither with their own link and a ticket of this one, nor with their cookie at this one."""
        other = share_of(alice, connection, subjects=[DOCUMENTS], with_files=True, purpose="Another")
        enter(visitor, other)
        ticket = file_tickets.of(share, letter.pk, 0)
        assert visitor.get(reverse("shared_entry_file", args=[terms_of(other).token, ticket])).status_code == 404
        visitor.cookies["opened_share"]["path"] = address_of(share)
        assert visitor.get(address(share, letter))["Location"] == address_of(share)

    @pytest.mark.parametrize("written", ["{share}", "{share}:", "{share}:{opening}"])
    def test_who_writes_a_cookie_opens_nothing(self, visitor, share, letter, written):
        visitor.cookies["opened_share"] = written.format(share=share.pk, opening=share.pk)
        assert visitor.get(address(share, letter))["Location"] == address_of(share)

    @pytest.mark.parametrize("ticket", ["1-0", "1-0:x", ":", "%00", "é" * 20, "a" * 5000])
    def test_who_makes_a_ticket_opens_nothing(self, entered, share, ticket):
        answer = entered.get(f"{address_of(share)}entry-files/{ticket}/")
        assert answer.status_code == 404
        assert NOT_SHARED in text(answer)

    def test_changes_no_ticket(self, entered, share, letter):
        pk, _, signature = file_tickets.of(share, letter.pk, 0).partition(":")
        where = f"{address_of(share)}entry-files/{pk}1:{signature}/"
        assert entered.get(where).status_code == 404


class TestAShareThatIsOver:
    def test_gives_no_file(self, entered, share, letter):
        where = addresses(share, letter)
        ending.end(share.user, share.pk, at=timezone.now())
        for each in where:
            answer = entered.get(each)
            assert answer.status_code == 404
            assert "This link no longer works" in text(answer)

    def test_gives_none_either_if_it_ended_while_the_provider_was_asked(self, entered, share, letter, monkeypatch):
        opened = visiting.find

        def ends(token, *, at):
            found = opened(token, at=at)
            ending.end(share.user, share.pk, at=at)
            return found

        monkeypatch.setattr(visiting, "find", ends)
        answer = entered.get(address(share, letter))
        assert answer.status_code == 404
        assert b"Canary" not in answer.content
        assert not FileOpening.objects.exists()
