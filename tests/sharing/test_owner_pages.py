"""The owner's pages: what was chosen is sealed, only they can see the link, and they read who opened it."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.connections.models import Connection
from apps.records.exporting import summaries
from apps.records.subjects import ALLERGIES, LISTED, MEDICINES
from apps.sharing import links, making
from apps.sharing.forms import NOT_UNLESS_TICKED
from apps.sharing.models import Share
from apps.vault.errors import Shredded
from tests.faults import listening
from tests.fixtures.cast import PASSWORD
from tests.records.exporting.taking import sign_in, text
from tests.records.linked import make_connection, make_endpoint
from tests.records.several_people import CHILDS, is_of
from tests.sharing.giving import NAME, address_of, enter, give, share_of, terms_of, wrong_for

pytestmark = pytest.mark.django_db

MAKE = "make_share"


def asked(*connections, **others):
    """What the form sends."""
    return {
        "sources": [str(one.pk) for one in connections],
        "subjects": [ALLERGIES.key, MEDICINES.key],
        "span": "all",
        "lasting": "7-days",
        "purpose": "",
        **others,
    }


class TestTheForm:
    def test_leaves_out_what_is_nobody_else_s_unless_it_is_ticked(self, hers, connection):
        form = hers.get(reverse(MAKE)).context["form"]
        ticked = {box.data["value"] for box in form["subjects"] if box.data["selected"]}
        assert ticked == {subject.key for subject in LISTED} - {subject.key for subject in NOT_UNLESS_TICKED}
        assert {"results", "medicines", "allergies", "conditions", "devices"} <= ticked
        assert not {"insurance", "team", "documents", "history", "other"} & ticked
        assert form["sensitive"].value() is None
        assert form["with_files"].value() is None

    def test_names_each_that_is_left_out_unless_it_is_ticked(self, hers, connection):
        hint = str(hers.get(reverse(MAKE)).context["form"]["subjects"].help_text)
        assert hint.partition(": ")[2] == ", ".join(str(one.name) for one in NOT_UNLESS_TICKED).lower() + "."

    def test_is_of_one_kind_where_a_list_led_there(self, hers, connection):
        form = hers.get(reverse(MAKE), {"only": "vaccines"}).context["form"]
        assert [box.data["value"] for box in form["subjects"] if box.data["selected"]] == ["vaccines"]

    def test_goes_back_five_years_and_where_a_list_led_there_as_far_as_that(self, hers, connection):
        assert hers.get(reverse(MAKE)).context["form"]["span"].value() == "5-years"
        assert hers.get(reverse(MAKE), {"only": "results"}).context["form"]["span"].value() == "all"

    def test_opens_a_share_of_what_was_ticked(self, hers, alice, connection):
        answer = hers.post(reverse(MAKE), asked(connection, purpose="Dr. Poole, Tuesday", span="1-year"))
        share = Share.objects.get()
        assert answer["Location"] == reverse("share", args=[share.pk])
        agreed = terms_of(share)
        assert agreed.subjects == {"allergies", "medicines"}
        assert agreed.connections == (connection.pk,)
        assert agreed.purpose == "Dr. Poole, Tuesday"
        assert agreed.tells_sensitive is False
        assert agreed.since is not None
        assert share.expires_at - share.created_at == timedelta(days=7)

    @pytest.mark.parametrize(
        ("chosen", "has_files"),
        [
            ({"subjects": ["documents"]}, False),
            ({"subjects": ["documents"], "with_files": "on"}, True),
            ({"subjects": ["results", "vitals"], "with_files": "on"}, True),
            ({"subjects": ["allergies"], "with_files": "on"}, False),
        ],
    )
    def test_has_files_if_they_were_ticked_and_so_was_what_has_some(self, hers, connection, chosen, has_files):
        hers.post(reverse(MAKE), asked(connection, **chosen))
        assert terms_of(Share.objects.get()).with_files is has_files

    def test_opens_another_share_if_only_files_are_ticked_as_well(self, hers, connection):
        for others in ({}, {"with_files": "on"}):
            hers.post(reverse(MAKE), asked(connection, subjects=["documents"], **others))
        assert Share.objects.count() == 2

    @pytest.mark.parametrize(("lasting", "days"), [("1-day", 1), ("7-days", 7), ("30-days", 30)])
    def test_opens_it_for_as_long_as_was_chosen(self, hers, connection, lasting, days):
        hers.post(reverse(MAKE), asked(connection, lasting=lasting))
        share = Share.objects.get()
        assert share.expires_at - share.created_at == timedelta(days=days)

    @pytest.mark.parametrize(
        "wrong",
        [{"subjects": []}, {"subjects": ["nothing"]}, {"lasting": "for-ever"}, {"span": ""}, {"purpose": "x" * 81}],
    )
    def test_that_makes_no_sense_opens_nothing(self, hers, connection, wrong):
        assert hers.post(reverse(MAKE), asked(connection, **wrong)).status_code == 422
        assert not Share.objects.exists()

    def test_takes_no_record_of_somebody_else(self, hers, connection, sam):
        theirs = make_connection(sam, connection.endpoint)
        answer = hers.post(reverse(MAKE), asked(theirs))
        assert answer.status_code == 422
        assert not Share.objects.exists()

    def test_takes_no_two_people_behind_one_link(self, hers, alice, connection):
        child = make_connection(alice, connection.endpoint, fhir_patient_id="p-child")
        is_of(child, CHILDS, "2015-06-01")
        answer = hers.post(reverse(MAKE), asked(connection, child))
        assert "These records belong to different people." in text(answer)
        assert not Share.objects.exists()

    def test_has_the_records_of_one_person_beside_each_other_and_says_why(self, hers, alice, connection):
        child = make_connection(alice, connection.endpoint, fhir_patient_id="p-child")
        is_of(child, CHILDS, "2015-06-01")
        again = make_connection(alice, make_endpoint("https://other.example/r4"))
        form = hers.get(reverse(MAKE)).context["form"]
        assert [box.data["value"] for box in form["sources"]] == [str(one.pk) for one in (connection, again, child)]
        assert "Choose the records of one person." in form["sources"].help_text
        child.delete()
        assert not hers.get(reverse(MAKE)).context["form"]["sources"].help_text

    def test_opens_one_share_for_whoever_presses_twice(self, hers, connection):
        answers = [hers.post(reverse(MAKE), asked(connection)) for _ in range(2)]
        assert answers[0]["Location"] == answers[1]["Location"] == reverse("share", args=[Share.objects.get().pk])
        for others in ({"purpose": "Another"}, {"lasting": "1-day"}, {"subjects": [ALLERGIES.key]}):
            hers.post(reverse(MAKE), asked(connection, **others))
        assert Share.objects.count() == 4

    def test_opens_another_of_the_same_later_and_once_the_first_is_over(self, alice, connection):
        at = timezone.now()
        first, again = share_of(alice, connection, at=at), share_of(alice, connection, at=at + timedelta(seconds=9))
        assert first == again
        assert share_of(alice, connection, at=at + timedelta(seconds=10)) != first

    def test_opens_no_more_than_somebody_keeps_in_mind(self, hers, alice, connection, monkeypatch):
        monkeypatch.setattr(making, "MOST_OPEN", 1)
        share_of(alice, connection)
        answer = hers.post(reverse(MAKE), asked(connection))
        assert answer.status_code == 422
        assert "You have too many open shares" in text(answer)

    def test_wants_the_password(self, client, alice, connection):
        client.force_login(alice)
        assert reverse("account_reauthenticate") in client.get(reverse(MAKE))["Location"]
        assert client.post(reverse(MAKE), asked(connection))["Location"] == reverse(MAKE)
        assert not Share.objects.exists()

    def test_of_an_empty_record_says_that_there_is_nothing(self, hers, alice):
        make_connection(alice)
        assert "There is nothing to share yet." in text(hers.get(reverse(MAKE)))


class TestAShare:
    def test_has_its_link_and_its_passcode(self, hers, share):
        said = text(hers.get(reverse("share", args=[share.pk])))
        agreed = terms_of(share)
        assert f"http://testserver/shared/{agreed.token}/" in said
        assert f"{agreed.passcode[:3]} {agreed.passcode[3:]}" in said

    def test_tells_its_link_and_its_passcode_only_after_the_password(self, client, alice, share):
        client.force_login(alice)
        page, agreed = reverse("share", args=[share.pk]), terms_of(share)
        answer = client.get(page)
        said = text(answer)
        for secret in (agreed.token, agreed.passcode[:3] + " ", links.of(agreed, expires_at=share.expires_at).picture):
            assert secret not in said
        assert "End now" in said
        asks = reverse("share_link", args=[share.pk])
        assert f'href="{asks}"' in said
        password = client.get(asks)["Location"]
        assert password.startswith(reverse("account_reauthenticate"))
        given = client.post(password, {"password": PASSWORD}, follow=True)
        assert given.redirect_chain[-1][0] == page
        assert agreed.token in text(given)

    def test_tells_who_came(self, hers, visitor, share):
        assert "Not opened yet" in text(hers.get(reverse("share", args=[share.pk])))
        enter(visitor, share)
        said = text(hers.get(reverse("share", args=[share.pk])))
        assert "Opened 1 time, last" in said
        assert NAME in said

    def test_tells_of_wrong_passcodes(self, hers, visitor, share):
        give(visitor, share, wrong_for(share))
        assert "After 9 more, the share ends." in text(hers.get(reverse("share", args=[share.pk])))

    def test_shows_what_they_see(self, hers, share):
        said = text(hers.get(reverse("preview_share", args=[share.pk])))
        assert "This is what they see" in said
        assert "Pteridine" in said
        share.refresh_from_db()
        assert share.opened == 0

    def test_shows_nothing_where_the_account_is_closed_while_its_preview_is_made(self, hers, share, monkeypatch):
        def gone(*_given, **_named):
            raise Shredded

        monkeypatch.setattr(summaries, "with_untold", gone)
        answer = hers.get(reverse("preview_share", args=[share.pk]))
        assert answer.status_code == 404
        assert "They can no longer see anything" in text(answer)

    def test_that_was_ended_lets_nobody_in_and_has_no_link(self, hers, visitor, share):
        answer = hers.post(reverse("end_share", args=[share.pk]), follow=True)
        said = text(answer)
        assert "This share has ended" in said
        assert "What they could see" in said
        assert terms_of(share).token not in said
        assert AuditEvent.objects.filter(event=EventType.SHARE_ENDED).count() == 1

    def test_ends_once(self, hers, share):
        for _ in range(2):
            hers.post(reverse("end_share", args=[share.pk]))
        assert AuditEvent.objects.filter(event=EventType.SHARE_ENDED).count() == 1

    def test_is_ended_by_no_link_and_no_other_site(self, hers, alice, share):
        assert hers.get(reverse("end_share", args=[share.pk])).status_code == 405
        stranger = Client(enforce_csrf_checks=True)
        stranger.force_login(alice)
        assert stranger.post(reverse("end_share", args=[share.pk])).status_code == 403
        share.refresh_from_db()
        assert share.ended_at is None

    def test_stands_in_the_list_with_its_note(self, hers, alice, connection, visitor):
        share = share_of(alice, connection, purpose="Dr. Poole, Tuesday")
        enter(visitor, share)
        said = text(hers.get(reverse("shares")))
        assert "Dr. Poole, Tuesday" in said
        assert "Allergies and reactions" in said
        assert "Open until" in said
        assert "Opened 1 time" in said

    def test_says_in_the_list_whose_record_it_is_where_there_are_several(self, hers, alice, connection):
        child = make_connection(alice, connection.endpoint, fhir_patient_id="p-child")
        share_of(alice, child)
        assert "Record of" not in text(hers.get(reverse("shares")))
        is_of(child, CHILDS, "2015-06-01")
        share_of(alice, connection)
        said = re.findall(r"Record of ([^<]+?) <", text(hers.get(reverse("shares"))))
        assert said == ["Wrenna Quillfeather", CHILDS]

    @pytest.mark.parametrize(
        ("subjects", "said"),
        [
            (LISTED, "All kinds of entries"),
            (LISTED[2:], "All kinds except: Results, Medicines"),
            ((ALLERGIES, MEDICINES), "Medicines, Allergies and reactions"),
        ],
    )
    def test_says_in_the_list_briefly_what_may_be_seen(self, hers, alice, connection, subjects, said):
        share_of(alice, connection, subjects=subjects)
        assert f'<span class="row-detail">{said}</span>' in text(hers.get(reverse("shares")))

    @pytest.mark.parametrize("name", ["share", "preview_share"])
    def test_is_nobody_else_s(self, client, sam, share, name):
        sign_in(client, sam)
        assert client.get(reverse(name, args=[share.pk])).status_code == 404
        assert terms_of(share).token not in text(client.get(reverse("shares")))

    def test_is_ended_by_nobody_else(self, client, sam, share):
        sign_in(client, sam)
        assert client.post(reverse("end_share", args=[share.pk])).status_code == 404
        share.refresh_from_db()
        assert share.ended_at is None

    def test_says_that_wrong_passcodes_ended_it(self, hers, visitor, share):
        for number in range(1, making.TRIES + 1):
            give(visitor, share, wrong_for(share, number))
        for page in (reverse("shares"), reverse("share", args=[share.pk])):
            said = text(hers.get(page))
            assert "Ended after too many wrong passcodes" in said
            assert "Ended on" not in said
            assert "Open until" not in said

    @pytest.mark.parametrize("name", ["share", "share_link", "preview_share", "shares", MAKE])
    def test_wants_somebody_signed_in(self, client, share, name):
        answer = client.get(reverse(name, args=[] if name in {"shares", MAKE} else [share.pk]))
        assert answer.status_code == 302
        assert reverse("account_login") in answer["Location"]

    def test_is_in_no_log_line_from_its_first_visitor_to_its_end(self, hers, share, visitor):
        agreed, wrong = terms_of(share), wrong_for(share)
        asked = {"recipient": NAME, "passcode": agreed.passcode, "embeddedLengthMax": 0}
        with listening.to_everything() as heard:
            give(visitor, share, wrong)
            enter(visitor, share)
            hers.get(reverse("share", args=[share.pk]))
            told = visitor.post(reverse("shared_manifest", args=[agreed.token]), asked, content_type="application/json")
            location = told.json()["files"][0]["location"]
            assert visitor.get(location).status_code == 200
            hers.post(reverse("end_share", args=[share.pk]))
            assert visitor.get(location).status_code == visitor.get(address_of(share)).status_code == 404
        assert "/shared/<str:token>/" in heard.printed.getvalue()
        ticket = location.rpartition("/")[2]
        for said in heard.texts:
            for secret in (agreed.token, ticket, NAME, "Pteridine"):
                assert secret not in said
            assert not re.search(rf"(?<![.\d])(?:{agreed.passcode}|{wrong})", said)  # parts of a second aside

    def test_says_nothing_when_it_is_printed(self, share):
        agreed = terms_of(share)
        for secret in (agreed.token, agreed.passcode, str(agreed.key)):
            assert secret not in f"{agreed!r} {agreed} {share!r} {share}"

    def test_is_sealed(self, share):
        kept = bytes(Share.objects.get().sealed_terms)
        assert terms_of(share).token.encode() not in kept
        assert b"allergies" not in kept


class TestTimes:
    def test_are_told_as_the_owner_s_clock_has_them(self, hers, alice, share):
        alice.time_zone = "Pacific/Honolulu"  # the same all year
        alice.save()
        assert "HST" in text(hers.get(reverse("share", args=[share.pk])))

    def test_that_are_over_say_so(self, hers, alice, connection):
        share = share_of(alice, connection, at=timezone.now() - timedelta(days=8))
        said = text(hers.get(reverse("share", args=[share.pk])))
        assert "This share has ended" in said
        assert terms_of(share).passcode not in said


class TestAShareOfWhatMayBeTwoPeoples:
    """Another record of the account matches one of its two, and differs from the other: nobody knows whose that is."""

    @pytest.fixture
    def share(self, alice, connection):
        is_of(connection, "Wrenna Ilse Quillfeather", "1984-03-09")
        other = make_connection(alice, make_endpoint("https://other.example/r4"))
        is_of(other, "Wrenna Quillfeather", "1984-03-09")
        share = share_of(alice, connection, other)
        is_of(make_connection(alice, make_endpoint("https://third.example/r4")), "Wrenna Quillfeather Jo", "1984-03-09")
        return share

    @pytest.mark.parametrize("name", ["share", "preview_share"])
    def test_says_that_it_shows_nothing_and_why(self, hers, visitor, share, name):
        assert enter(visitor, share).status_code == 404
        said = text(hers.get(reverse(name, args=[share.pk])))
        assert "We can no longer tell that these are the records of one person." in said
        assert "is here anymore" not in said

    @pytest.mark.parametrize("name", ["share", "preview_share"])
    def test_says_nothing_of_that_while_it_shows_something(self, hers, share, name):
        Connection.objects.latest("created_at").delete()
        assert "records of one person" not in text(hers.get(reverse(name, args=[share.pk])))
