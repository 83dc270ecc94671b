"""What a visitor finds at a link: the passcode first, then the part that was shared, and nothing once it is over."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections as databases
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.audit.recording import Actor
from apps.portal import closing
from apps.records import deleting_copies
from apps.records.subjects import ALLERGIES, CONDITIONS, MEDICINES
from apps.sharing import ending, making, visiting
from apps.sharing.models import Opening, Share
from apps.sharing.visiting import Over, Refused
from apps.vault import shredding
from apps.vault.holders import Holder
from tests.records.exporting.keeping import keep
from tests.records.exporting.taking import text
from tests.records.linked import make_connection
from tests.sharing.giving import GOUT, NAME, address_of, enter, give, share_of, terms_of, wrong_for

pytestmark = pytest.mark.django_db

OVER = "This link no longer works"
ALLERGY = "Pteridine"


def one_form(answer):
    """The page, whatever its forms were marked with."""
    return re.sub(r'value="\w{64}"', "", text(answer))


class TestALink:
    def test_asks_for_the_passcode_before_it_says_anything_of_the_record(self, visitor, share):
        said = text(visitor.get(address_of(share)))
        assert "Enter the passcode that they gave you." in said
        assert "Quillfeather" not in said
        assert ALLERGY not in said

    def test_shows_what_was_shared_to_whoever_gives_it(self, visitor, share):
        said = text(enter(visitor, share))
        assert "Health record of Wrenna Quillfeather" in said
        assert ALLERGY in said
        assert "Shared by the person themselves" in said

    def test_shows_it_again_without_asking_in_the_same_browser_alone(self, visitor, share):
        enter(visitor, share)
        assert ALLERGY in text(visitor.get(address_of(share)))
        assert ALLERGY not in text(Client().get(address_of(share)))

    @pytest.mark.parametrize("spelled", ["{0} {1}", " {0}{1} ", "{0}-{1}", "{0}.{1}"])
    def test_takes_the_digits_however_they_are_set_apart(self, visitor, share, spelled):
        passcode = terms_of(share).passcode
        answer = give(visitor, share, spelled.format(passcode[:3], passcode[3:]))
        assert answer.status_code == 302

    def test_opens_nothing_for_another_passcode_and_says_how_many_tries_are_left(self, visitor, share):
        answer = give(visitor, share, wrong_for(share))
        assert answer.status_code == 422
        assert "That passcode is not right. 9 tries are left." in text(answer)
        assert ALLERGY not in text(visitor.get(address_of(share)))

    @pytest.mark.parametrize("missing", ["name", "passcode"])
    def test_wants_a_name_and_a_passcode_and_takes_no_try_for_a_form_that_lacks_one(self, visitor, share, missing):
        sent = {"name": NAME, "passcode": terms_of(share).passcode, missing: " "}
        assert visitor.post(address_of(share), sent).status_code == 422
        share.refresh_from_db()
        assert share.tries_left == making.TRIES

    def test_is_over_after_ten_wrong_ones_for_the_right_one_too(self, visitor, share):
        answers = [give(visitor, share, wrong_for(share, number)) for number in range(1, making.TRIES + 1)]
        assert [answer.status_code for answer in answers] == [422] * 9 + [404]
        assert OVER in text(answers[-1])
        assert OVER in text(give(visitor, share, terms_of(share).passcode))
        assert not Opening.objects.exists()

    def test_counts_wrong_ones_over_its_whole_life(self, visitor, share):
        give(visitor, share, wrong_for(share))
        enter(visitor, share)
        give(visitor, share, wrong_for(share, 2))
        share.refresh_from_db()
        assert share.tries_left == 8

    def test_takes_no_second_try_for_a_wrong_one_whose_page_is_loaded_anew(self, visitor, share):
        typed = [wrong_for(share), wrong_for(share, 2)]
        for passcode in (*typed, *typed, f" {typed[0][:3]}-{typed[0][3:]}"):
            answer = give(visitor, share, passcode)
            assert answer.status_code == 422
        assert "That passcode is not right. 8 tries are left." in text(answer)
        assert AuditEvent.objects.filter(event=EventType.SHARE_REFUSED).count() == 2

    def test_keeps_wrong_ones_sealed_and_counts_them_anew_where_they_do_not_open(self, visitor, share):
        wrong = wrong_for(share)
        give(visitor, share, wrong)
        share.refresh_from_db()
        assert wrong.encode() not in bytes(share.sealed_wrong)
        Share.objects.update(sealed_wrong=b"x" * 64)
        give(visitor, share, wrong)
        share.refresh_from_db()
        assert share.tries_left == 8

    def test_is_told_to_no_search_engine_and_stored_nowhere(self, visitor, share):
        for answer in (visitor.get(address_of(share)), enter(visitor, share), visitor.get("/shared/nobodys/")):
            assert "noindex" in answer["X-Robots-Tag"]
            assert "no-store" in answer["Cache-Control"]

    def test_says_the_same_of_one_that_never_was(self, visitor, share):
        ending.end(share.user, share.pk, at=timezone.now())
        ended, never = visitor.get(address_of(share)), visitor.get(reverse("shared", args=["x" * 43]))
        assert ended.status_code == never.status_code == 404
        assert OVER in text(ended)
        assert one_form(ended) == one_form(never)

    def test_may_end_with_anything_and_finds_nothing(self, visitor, share):
        for token in ("%00", "é" * 20, "a" * 5000, terms_of(share).token[:-1], terms_of(share).token + "a"):
            assert visitor.get(f"/shared/{token}/").status_code == 404

    def test_takes_no_form_of_another_site(self, share):
        answer = give(Client(enforce_csrf_checks=True), share, terms_of(share).passcode)
        assert answer.status_code == 403

    def test_is_closed_again_by_its_button(self, visitor, share):
        enter(visitor, share)
        visitor.post(reverse("leave_shared", args=[terms_of(share).token]))
        assert ALLERGY not in text(visitor.get(address_of(share)))

    def test_lets_nobody_in_by_the_cookie_of_another_share(self, visitor, share, alice, connection):
        other = share_of(alice, connection, purpose="Another")
        enter(visitor, other)
        cookie = visitor.cookies["opened_share"]
        cookie["path"] = address_of(share)
        assert "Enter the passcode" in text(visitor.get(address_of(share)))

    def test_lets_nobody_in_by_a_cookie_that_somebody_wrote(self, visitor, share):
        visitor.cookies["opened_share"] = str(share.pk)
        assert "Enter the passcode" in text(visitor.get(address_of(share)))


class TestWhatIsShown:
    def test_is_of_the_chosen_kinds_alone(self, visitor, alice, connection):
        keep(connection, GOUT)
        assert "Canary-gout" not in text(enter(visitor, share_of(alice, connection)))
        assert "Canary-gout" in text(enter(visitor, share_of(alice, connection, subjects=[CONDITIONS])))

    def test_has_what_came_since_and_not_what_was_deleted(self, visitor, alice, connection):
        share = share_of(alice, connection, subjects=[ALLERGIES, CONDITIONS, MEDICINES])
        assert "Canary-gout" not in text(enter(visitor, share))
        keep(connection, GOUT)
        assert "Canary-gout" in text(visitor.get(address_of(share)))
        deleting_copies.forget(connection, actor=Actor.user(alice.pk), at=timezone.now())
        said = text(visitor.get(address_of(share)))
        assert "Canary-gout" not in said
        assert ALLERGY not in said

    def test_is_nothing_once_the_connection_is_gone(self, visitor, share, connection):
        enter(visitor, share)
        connection.delete()
        answer = visitor.get(address_of(share))
        assert answer.status_code == 404
        assert OVER in text(answer)

    def test_is_nothing_then_to_whoever_comes_and_nobody_is_noted(self, visitor, share, connection):
        connection.delete()
        came = (visitor.get(address_of(share)), give(visitor, share, terms_of(share).passcode))
        assert [answer.status_code for answer in (*came, give(visitor, share, wrong_for(share)))] == [404] * 3
        assert OVER in text(came[0])
        share.refresh_from_db()
        assert (share.opened, share.openings.count(), share.tries_left) == (0, 0, making.TRIES)

    def test_is_nothing_once_its_owner_ended_it(self, visitor, share):
        enter(visitor, share)
        ending.end(share.user, share.pk, at=timezone.now())
        assert OVER in text(visitor.get(address_of(share)))

    def test_is_nothing_once_its_time_is_over(self, visitor, share):
        enter(visitor, share)
        Share.objects.update(expires_at=share.created_at + timedelta(seconds=1e-6))
        assert OVER in text(visitor.get(address_of(share)))

    def test_is_nothing_while_its_owner_is_shut_out(self, visitor, share, alice):
        enter(visitor, share)
        alice.is_active = False
        alice.save()
        assert OVER in text(visitor.get(address_of(share)))

    def test_is_nothing_once_the_key_of_its_owner_is_gone(self, visitor, share, alice):
        """Who comes while an account is being closed may have found its share a moment before."""
        enter(visitor, share)
        address = address_of(share)
        shredding.shred(Holder.user(alice.pk))
        assert OVER in text(visitor.get(address))

    def test_is_ours_to_mend_where_it_does_not_open(self, visitor, share):
        enter(visitor, share)
        address = address_of(share)
        Share.objects.update(sealed_terms=b"x" * 64)
        assert visitor.get(address).status_code == 503

    def test_is_asked_for_no_record_that_is_not_shared(self, visitor, alice, connection, share):
        enter(visitor, share)
        with CaptureQueriesContext(databases["default"]) as alone:
            visitor.get(address_of(share))
        make_connection(alice, connection.endpoint, fhir_patient_id="p-other")
        with CaptureQueriesContext(databases["default"]) as beside_another:
            visitor.get(address_of(share))
        assert len(beside_another) == len(alone)

    def test_is_in_the_days_of_its_owner(self, visitor, alice, share):
        alice.time_zone = "Pacific/Honolulu"
        alice.save()
        assert "HST" in text(enter(visitor, share))

    def test_leads_to_no_page_of_its_owner(self, visitor, share):
        said = text(enter(visitor, share))
        for own in (reverse("whole_record"), reverse("download_copy"), reverse("shares"), "/connections/"):
            assert f'href="{own}' not in said


class TestWhoCame:
    def test_is_kept_with_what_they_said_they_are_called(self, visitor, share):
        enter(visitor, share)
        share.refresh_from_db()
        assert share.opened == 1
        assert share.last_opened_at is not None
        assert Opening.objects.get().way == Opening.Way.PAGE

    def test_is_not_its_owner_who_looks_at_what_they_sent(self, hers, share):
        assert "This share is your own." in text(hers.get(address_of(share)))
        assert ALLERGY in text(enter(hers, share))
        share.refresh_from_db()
        assert (share.opened, share.last_opened_at, share.openings.count()) == (0, None, 0)
        said = text(hers.get(reverse("activity")))
        assert "Share opened" in said
        assert "Someone with the link" not in said

    def test_is_anybody_else_who_is_signed_in_here(self, share, sam):
        stranger = Client()
        stranger.force_login(sam)
        assert "This share is your own." not in text(stranger.get(address_of(share)))
        enter(stranger, share)
        share.refresh_from_db()
        assert (share.opened, share.openings.count()) == (1, 1)

    def test_is_counted_for_its_owner_where_they_mistype(self, hers, share):
        give(hers, share, wrong_for(share))
        share.refresh_from_db()
        assert share.tries_left == 9

    def test_is_sealed(self, visitor, share):
        enter(visitor, share)
        assert b"Fennimore" not in bytes(Opening.objects.get().sealed_name)

    def test_is_counted_once_however_often_they_look(self, visitor, share):
        enter(visitor, share)
        visitor.get(address_of(share))
        share.refresh_from_db()
        assert share.opened == 1

    def test_is_in_the_log_without_a_name(self, visitor, share):
        give(visitor, share, wrong_for(share))
        enter(visitor, share)
        events = AuditEvent.objects.filter(subject="share", user_id=share.user_id).order_by("pk")
        assert [event.event for event in events] == [
            EventType.SHARE_MADE,
            EventType.SHARE_REFUSED,
            EventType.SHARE_OPENED,
        ]
        assert {event.subject_id for event in events} == {str(share.pk)}
        assert all(event.facts == {} for event in events)

    def test_is_kept_a_hundred_times_and_counted_on(self, visitor, share, monkeypatch):
        monkeypatch.setattr(visiting, "_MOST_KEPT", 2)
        for number in range(4):
            enter(visitor, share, name=f"Visitor {number}")
        share.refresh_from_db()
        assert (share.opened, share.openings.count()) == (4, 2)

    @pytest.mark.parametrize(
        ("typed", "kept"),
        [("  A\tB\n", "A B"), ("\u202eevil\u0000", "evil"), ("x" * 200, "x" * 80), ("\ud800y", "y"), ("", "")],
    )
    def test_is_told_on_one_line(self, typed, kept):
        assert visiting.plain(typed) == kept


@pytest.mark.django_db(transaction=True)
class TestManyAtOnce:
    def test_have_no_more_tries_than_one(self, alice, connection):
        share = share_of(alice, connection)
        wrong, token = [wrong_for(share, number) for number in range(1, 25)], terms_of(share).token

        def guess(number):
            try:
                visiting.enter(token, wrong[number], name=NAME, way=Opening.Way.PAGE, at=timezone.now())
            except (Refused, Over) as refused:
                return type(refused)
            finally:
                databases.close_all()

        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(guess, range(24)))
        assert answers.count(Refused) == making.TRIES
        assert answers.count(Over) == 24 - making.TRIES


def found_and_then(monkeypatch, happens):
    """Have this happen once a visitor's share was found, and before anything is done with it."""
    found, happened = visiting.find, list[bool]()

    def find(token, *, at):
        share = found(token, at=at)
        if not happened:
            happened.append(True)
            happens()
        return share

    monkeypatch.setattr(visiting, "find", find)


class TestAnAccountThatIsClosedMeanwhile:
    def test_lets_nobody_in_who_gives_the_passcode(self, visitor, share, alice, monkeypatch):
        passcode, address = terms_of(share).passcode, address_of(share)
        found_and_then(monkeypatch, lambda: ending.forget(alice))
        answer = visitor.post(address, {"name": NAME, "passcode": passcode})
        assert answer.status_code == 404
        assert OVER in text(answer)

    def test_shows_nothing_more_to_whoever_is_in(self, visitor, share, monkeypatch):
        enter(visitor, share)
        address = address_of(share)
        found_and_then(monkeypatch, lambda: shredding.shred(Holder.user(share.user_id)))
        answer = visitor.get(address)
        assert answer.status_code == 404
        assert OVER in text(answer)

    @pytest.mark.django_db(transaction=True)
    def test_is_closed_whoever_comes_in_between(self, alice, connection):
        shares = [share_of(alice, connection, purpose=str(number)) for number in range(3)]
        links = [(terms_of(one).token, terms_of(one).passcode) for one in shares]

        def come(number):
            token, passcode = links[number % 3]
            try:
                visiting.enter(token, passcode, name=NAME, way=Opening.Way.PAGE, at=timezone.now())
            except Over:
                return False
            finally:
                databases.close_all()
            return True

        def leave():
            try:
                closing.close(alice, at=timezone.now())
            finally:
                databases.close_all()

        with ThreadPoolExecutor(9) as threads:
            coming = [threads.submit(come, number) for number in range(12)]
            closed = threads.submit(leave)
            coming += [threads.submit(come, number) for number in range(12)]
            closed.result()
            assert {one.result() for one in coming} <= {True, False}
        assert not Share.objects.exists()
        assert not Opening.objects.exists()
