"""Asking for a provider that cannot be connected, or that no list has."""

import threading
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from apps.directory.models import ClientRegistration, Provider, Wish
from apps.directory.searching import wishing
from tests.directory.conftest import AT
from tests.fixtures.consent import agree

pytestmark = pytest.mark.django_db

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


def browser(user, **options) -> Client:
    agree(user, at=AT)
    client = Client(**options)
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def closed(make_provider, make_endpoint) -> Provider:
    made: Provider = make_provider("Closed Clinic", city="Salem", state="OR")
    make_endpoint(made, registration={"status": "provisional"})
    return made


def names(user) -> list[str]:
    return [noted.found.provider.name if noted.found else noted.wish.name for noted in wishing.of_user(user, at=AT)]


class TestAWish:
    def test_is_kept_once(self, alice, closed):
        assert wishing.note(alice, closed, at=AT) == wishing.note(alice, closed, at=AT + timedelta(days=1))
        assert Wish.objects.get().created_at == AT

    def test_waits_from_when_it_was_asked_for_last(self, alice, closed):
        wishing.note(alice, closed, at=AT)
        wishing.note(alice, closed, at=AT + timedelta(hours=1))
        wish = Wish.objects.get()
        asked_at = AT + timedelta(hours=1)
        assert (wish.waits_since, wish.due_at) == (asked_at, asked_at + wishing.LOOK_AGAIN_AFTER)

    def test_wants_a_sign_in_until_there_was_one_whatever_page_they_ask_from_next(self, alice, closed):
        wishing.note(alice, closed, at=AT, needs_sign_in=True)
        assert wishing.note(alice, closed, at=AT + timedelta(hours=1)).needs_sign_in
        Wish.objects.update(waits_since=None, due_at=None)  # as once they were told
        assert not wishing.note(alice, closed, at=AT + timedelta(days=1)).needs_sign_in

    def test_by_name_is_kept_once_on_one_line(self, alice):
        wishing.note_by_name(alice, "  Corner \n Practice ", " Salem ", at=AT)
        wishing.note_by_name(alice, "Corner Practice", "Salem", at=AT)
        assert names(alice) == ["Corner Practice"]

    def test_by_name_is_kept_without_what_nobody_sees(self, alice):
        wish = wishing.note_by_name(alice, "Corner\x1b[31m \u202ePractice\u200b", "Sa\u2066lem", at=AT)
        assert (wish.name, wish.city) == ("Corner [31m Practice", "Salem")

    def test_by_name_needs_a_letter(self, alice):
        with pytest.raises(ValueError, match="names a provider"):
            wishing.note_by_name(alice, "…!", "", at=AT)

    def test_names_one_provider(self, alice, closed):
        for what in ({"provider": closed, "name": "both"}, {"provider": None, "name": ""}):
            with pytest.raises(IntegrityError), transaction.atomic():
                Wish.objects.create(user=alice, created_at=AT, **what)

    def test_is_one_of_few(self, alice, sam):
        for number in range(wishing.MOST_OPEN):
            wishing.note_by_name(alice, f"Practice {number}", "", at=AT)
        with pytest.raises(wishing.TooManyWishes):
            wishing.note_by_name(alice, "One More", "", at=AT)
        wishing.note_by_name(alice, "Practice 0", "", at=AT)  # there already
        wishing.note_by_name(sam, "One More", "", at=AT)

    def test_is_none_of_the_few_while_its_owner_does_not_see_it(self, alice, closed, make_provider):
        gone = make_provider("Gone Clinic")
        wishing.note(alice, gone, at=AT)
        Provider.objects.filter(pk=gone.pk).update(vanished_at=AT)
        for number in range(wishing.MOST_OPEN - 1):
            wishing.note_by_name(alice, f"Practice {number}", "", at=AT)
        wishing.note(alice, closed, at=AT)
        assert len(names(alice)) == wishing.MOST_OPEN

    def test_is_taken_back_by_its_owner_alone(self, alice, sam, closed):
        wish = wishing.note(alice, closed, at=AT)
        wishing.take_back(sam, wish.pk)
        assert names(alice) == ["Closed Clinic"]
        wishing.take_back(alice, wish.pk)
        assert names(alice) == []

    def test_says_when_it_can_be_connected(self, alice, closed):
        wishing.note(alice, closed, at=AT)
        assert [noted.is_connectable for noted in wishing.of_user(alice, at=AT)] == [False]
        ClientRegistration.objects.update(status="approved")
        assert [noted.is_connectable for noted in wishing.of_user(alice, at=AT)] == [True]

    def test_says_when_a_provider_of_that_name_is_listed(self, alice, make_provider):
        wishing.note_by_name(alice, "the corner practice", "", at=AT)
        assert [noted.is_listed for noted in wishing.of_user(alice, at=AT)] == [False]
        make_provider("Corner Practice")
        assert [noted.is_listed for noted in wishing.of_user(alice, at=AT)] == [True]

    def test_goes_with_its_user(self, alice, closed):
        wishing.note(alice, closed, at=AT)
        alice.delete()
        assert not Wish.objects.exists()

    def test_of_a_provider_that_vanished_is_not_shown(self, alice, closed):
        wishing.note(alice, closed, at=AT)
        Provider.objects.update(vanished_at=AT)
        assert names(alice) == []


class TestWishPages:
    def test_are_for_people_signed_in(self, client, closed):
        for address in ("/providers/wishes/", "/providers/not-in-the-list/"):
            assert client.post(address, {"provider": closed.pk})["Location"].startswith("/accounts/login/")
        assert not Wish.objects.exists()

    def test_need_our_own_form(self, alice, closed):
        strict = browser(alice, enforce_csrf_checks=True)
        assert strict.post("/providers/wishes/", {"provider": closed.pk}).status_code == 403

    def test_ask_for_consent_first(self, sam, closed):
        client = Client()
        client.force_login(sam, backend=BACKEND)
        for address in ("/providers/wishes/", "/providers/not-in-the-list/"):
            assert client.post(address, {"name": "x", "provider": closed.pk})["Location"].startswith("/notice/agree/")
        assert not Wish.objects.exists()

    def test_offer_it_where_a_provider_cannot_be_connected(self, alice, closed):
        for address in ("/providers/?q=closed", f"/providers/{closed.pk}/"):
            page = browser(alice).get(address).content.decode()
            assert f'name="provider" value="{closed.pk}"' in page
        assert browser(alice).get("/providers/wishes/").status_code == 405

    def test_show_it_to_its_owner_alone(self, alice, sam, closed):
        patient = browser(alice)
        assert patient.post("/providers/wishes/", {"provider": closed.pk})["Location"] == "/providers/#wishes"
        page = patient.get("/providers/").content.decode()
        assert "Providers you asked for" in page
        assert "Cannot be connected yet" in page
        assert "You asked for it." in patient.get("/providers/?q=closed").content.decode()
        stranger = browser(sam)
        assert "Providers you asked for" not in stranger.get("/providers/").content.decode()
        assert "You asked for it." not in stranger.get("/providers/?q=closed").content.decode()

    def test_lead_on_where_it_can_be_connected_now(self, alice, closed):
        wishing.note(alice, closed, at=AT)
        ClientRegistration.objects.update(status="approved")
        page = browser(alice).get("/providers/").content.decode()
        assert "You can try it now" in page
        assert f'href="/providers/{closed.pk}/"' in page
        Wish.objects.update(waits_since=None, due_at=None)  # as once they were told
        page = browser(alice).get("/providers/").content.decode()
        assert "Can be connected now" in page
        assert f'href="/providers/{closed.pk}/"' in page

    def test_say_of_whom_we_tell(self, alice, sam, closed):
        Wish.objects.create(user=alice, provider=closed, created_at=AT)  # as before there was such mail
        patient = browser(alice)
        page = patient.get("/providers/").content.decode()
        assert "We will e-mail you once" not in page
        assert "Tell me when it works" in page
        browser(sam).post("/providers/wishes/", {"provider": closed.pk})
        assert "We will e-mail you once" not in patient.get("/providers/").content.decode()
        patient.post("/providers/wishes/", {"provider": closed.pk})
        page = patient.get("/providers/").content.decode()
        assert "We will e-mail you once" in page
        assert "Tell me when it works" not in page

    def test_take_it_back(self, alice, sam, closed):
        wish = wishing.note(alice, closed, at=AT)
        address = f"/providers/wishes/{wish.pk}/take-back/"
        browser(sam).post(address)
        assert Wish.objects.count() == 1
        browser(alice).post(address)
        assert not Wish.objects.exists()

    def test_do_not_know_a_provider_that_vanished(self, alice, closed):
        Provider.objects.update(vanished_at=AT)
        for provider in (closed.pk, "", "x", "00000000-0000-0000-0000-000000000000"):
            assert browser(alice).post("/providers/wishes/", {"provider": provider}).status_code == 404

    def test_bring_what_was_searched_for_into_the_form(self, alice):
        patient = browser(alice)
        assert (
            'href="/providers/not-in-the-list/?name=Corner%20%26%20Co"'
            in patient.get("/providers/", {"q": "Corner & Co"}).content.decode()
        )
        page = patient.get("/providers/not-in-the-list/", {"name": "Corner & Co"}).content.decode()
        assert 'value="Corner &amp; Co"' in page

    def test_note_one_by_name(self, alice):
        patient = browser(alice)
        answer = patient.post("/providers/not-in-the-list/", {"name": "Corner Practice", "city": "Salem"})
        assert answer["Location"] == "/providers/#wishes"
        page = patient.get("/providers/").content.decode()
        assert "Corner Practice" in page
        assert "Not on the list yet" in page

    @pytest.mark.parametrize("name", ["", "   ", "!!", "x" * 201])
    def test_refuse_what_is_no_name(self, alice, name):
        answer = browser(alice).post("/providers/not-in-the-list/", {"name": name})
        assert "There is a problem" in answer.content.decode()
        assert not Wish.objects.exists()

    def test_say_when_there_are_too_many(self, alice, closed):
        for number in range(wishing.MOST_OPEN):
            wishing.note_by_name(alice, f"Practice {number}", "", at=AT)
        page = browser(alice).post("/providers/wishes/", {"provider": closed.pk}, follow=True).content.decode()
        assert "You have already asked for 24 providers." in page


class TestWishesByName:
    def test_are_read_by_staff_once_two_people_wrote_the_same(self, staff, alice, sam):
        wishing.note_by_name(alice, "Corner Practice", "Salem", at=AT)
        wishing.note_by_name(alice, "CORNER practice!", "salem", at=AT)  # one person, twice
        wishing.note_by_name(sam, "Dr Foo about my test 555-1234", "", at=AT)
        for address in ("/desk/", "/admin/directory/wantedprovider/"):
            page = staff.get(address).content.decode()
            assert "2 more names, wished for once" in page
            assert "corner practice" not in page.casefold()
            assert "555-1234" not in page
        wishing.note_by_name(sam, "the corner practice", "SALEM", at=AT)
        assert [(one.count, one.city.casefold()) for one in wishing.unlisted(most=9)] == [(2, "salem")]
        for address in ("/desk/", "/admin/directory/wantedprovider/"):
            page = staff.get(address).content.decode()
            assert "corner practice" in page.casefold()
            assert "1 more name, wished for once" in page
            assert "555-1234" not in page

    def test_tell_their_owner_who_reads_them(self, alice):
        page = browser(alice).get("/providers/not-in-the-list/").content.decode()
        assert "Our staff read a name once two people have asked for it" in page


class TestWishesInTheAdmin:
    def test_are_counted_and_never_say_whose(self, staff, alice, sam, closed):
        for user in (alice, sam):
            wishing.note(user, closed, at=AT)
            wishing.note_by_name(user, "Corner Practice", "Salem", at=AT)
        page = staff.get("/admin/directory/wantedprovider/").content.decode()
        assert '<td class="field-wanted_by">2</td>' in page
        assert "Corner Practice" in page
        row = staff.get(f"/admin/directory/wantedprovider/{closed.pk}/change/").content.decode()
        assert "Closed Clinic" in row
        for user in (alice, sam):
            for shown in (page, row):
                assert user.email not in shown
                assert str(user.pk) not in shown

    def test_are_for_staff(self, alice, closed):
        assert browser(alice).get("/admin/directory/wantedprovider/").status_code in {302, 403, 404}


class TestWhatIsWishedForByName:
    def test_is_counted_by_what_searching_takes_for_the_same(self, alice, sam, django_assert_num_queries):
        wishing.note_by_name(alice, "Saint Anne's Clinic", "Salem", at=AT)
        wishing.note_by_name(sam, "SAINT ANNES CLINIC", "salem", at=AT + timedelta(days=1))
        wishing.note_by_name(sam, "Saint Anne's Clinic", "Duluth", at=AT)
        wishing.note_by_name(sam, "Doctor Oak", "", at=AT)
        with django_assert_num_queries(2):
            found = wishing.unlisted(most=2)
        assert [(one.name, one.city, one.count) for one in found] == [("Saint Anne's Clinic", "Salem", 2)]
        assert wishing.wished_once() == 2


@pytest.mark.django_db(transaction=True)
class TestTwoTabs:
    def test_can_ask_again_and_take_it_back(self, alice, closed, monkeypatch):
        wish, kept = wishing.note(alice, closed, at=AT), wishing._kept

        def take_back():
            wishing.take_back(alice, wish.pk)
            connection.close()

        other = threading.Thread(target=take_back)

        def keep(*arguments, **keywords):
            found = kept(*arguments, **keywords)
            other.start()
            other.join(timeout=0.5)
            return found

        monkeypatch.setattr(wishing, "_kept", keep)
        wishing.note(alice, closed, at=AT)
        other.join(timeout=10)
        assert not Wish.objects.exists()
