"""A clinic's program follows the link and gets a patient summary of what was shared, and of nothing else."""

from datetime import timedelta

import pytest
from django.core.signing import Signer
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.records.subjects import ALLERGIES, CONDITIONS
from apps.sharing import ending, fetching, links, making
from apps.sharing.models import Opening, Share
from apps.sharing.visiting import Over
from apps.vault import shredding
from apps.vault.holders import Holder
from tests.records.exporting.keeping import keep
from tests.sharing import receiving
from tests.sharing.giving import GOUT, share_of, terms_of, wrong_for
from tests.sharing.receiving import Refused

pytestmark = pytest.mark.django_db


def link_of(share):
    return links.of(terms_of(share), expires_at=share.expires_at).health_link


@pytest.fixture
def program():
    """Through all that stands before a view, as a browser's program would come."""
    return receiving.by(Client(enforce_csrf_checks=True))


def post(share, program, body):
    """What is posted to the address in its link."""
    return program("POST", receiving.payload_of(link_of(share))["url"], {"Content-Type": "application/json"}, body)


def fetch(share, program, **asked):
    return receiving.receive(link_of(share), program, **{"passcode": terms_of(share).passcode, **asked})


def words(received):
    return received.content.decode()


def ticket_of(share, program):
    """What stands at the end of a file's own address."""
    told = receiving.manifest(link_of(share), program, passcode=terms_of(share).passcode, embedded_length_max=0)
    return told["files"][0]["location"].rpartition("/")[2]


def file_by(ticket, share, visitor):
    return visitor.get(reverse("shared_file", args=[terms_of(share).token, ticket]))


class TestALinkForPrograms:
    def test_leads_to_a_patient_summary_of_what_was_shared(self, program, alice, connection):
        keep(connection, GOUT)
        (received,) = fetch(share_of(alice, connection), program)
        assert received.content_type == "application/fhir+json"
        assert received.resource["type"] == "document"
        assert "Pteridine" in words(received)
        assert "Canary-gout" not in words(received)

    def test_tells_times_as_the_page_does_by_the_clock_of_its_owner(self, program, share, alice):
        alice.time_zone = "Pacific/Honolulu"
        alice.save()
        (received,) = fetch(share, program)
        assert "HST" in received.resource["entry"][0]["resource"]["text"]["div"]

    def test_has_what_came_since(self, program, alice, connection):
        share = share_of(alice, connection, subjects=[ALLERGIES, CONDITIONS])
        assert "Canary-gout" not in words(*fetch(share, program))
        keep(connection, GOUT)
        assert "Canary-gout" in words(*fetch(share, program))

    def test_notes_nobody_where_none_of_its_records_is_left(self, program, share, connection):
        connection.delete()
        with pytest.raises(Refused) as refused:
            fetch(share, program)
        assert refused.value.status == 404
        assert not Opening.objects.exists()

    def test_says_until_when_it_holds_and_that_it_wants_a_passcode(self, share):
        payload = receiving.payload_of(link_of(share))
        assert payload["exp"] == int(share.expires_at.timestamp())
        assert payload["flag"] == "LP"

    def test_is_the_same_as_the_link_for_people_with_more_behind_its_end(self, hers, share):
        agreed = terms_of(share)
        link = links.of(agreed, expires_at=share.expires_at)
        assert link.url.endswith(f"/shared/{agreed.token}/")
        assert link.picture.startswith("data:image/svg+xml;base64,")
        assert link.health_link in hers.get(reverse("share", args=[share.pk])).content.decode()

    def test_is_none_where_the_address_of_the_site_is_too_long(self, share, settings):
        settings.SITE_ORIGIN = "https://" + "a" * 60 + "." + "b" * 60 + ".example"
        link = links.of(terms_of(share), expires_at=share.expires_at)
        assert link.health_link == ""
        assert link.picture.startswith("data:image/svg+xml;base64,")


class TestAProgram:
    def test_is_written_down_with_the_name_it_gave(self, program, hers, share):
        fetch(share, program, recipient="Harbor Clinic")
        assert Opening.objects.get().way == Opening.Way.PROGRAM
        said = hers.get(reverse("share", args=[share.pk])).content.decode()
        assert "Harbor Clinic" in said
        assert "Fetched by a program" in said

    def test_with_a_wrong_passcode_reads_how_many_tries_are_left(self, program, share):
        with pytest.raises(Refused) as refused:
            fetch(share, program, passcode=wrong_for(share))
        assert (refused.value.status, refused.value.remaining) == (401, 9)

    def test_without_a_passcode_takes_no_try(self, program, share):
        with pytest.raises(Refused) as refused:
            fetch(share, program, passcode=None)
        assert (refused.value.status, refused.value.remaining) == (401, 10)

    def test_that_guesses_has_the_tries_of_the_page_and_no_more(self, program, share):
        left = []
        for _ in range(making.TRIES):
            with pytest.raises(Refused) as refused:
                fetch(share, program, passcode=wrong_for(share))
            left.append(refused.value.remaining)
        assert left == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
        with pytest.raises(Refused) as refused:
            fetch(share, program)
        assert refused.value.status == 404

    @pytest.mark.parametrize("longest", [0, 100])
    def test_that_takes_no_long_answer_is_told_where_the_file_is(self, program, share, longest):
        (received,) = fetch(share, program, embedded_length_max=longest)
        assert received.way == "location"
        assert "Pteridine" in words(received)

    def test_asks_from_a_page_of_any_origin_whose_browser_asks_first(self, program, share):
        url, origin = receiving.payload_of(link_of(share))["url"], {"Origin": "https://viewer.example"}
        answer = program("OPTIONS", url, origin, b"")
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (204, "*")
        refused = program("GET", url, origin, b"")
        assert (refused.status, refused.headers.get("access-control-allow-origin")) == (405, "*")

    def test_is_left_no_mark_and_nothing_to_store(self, program, share):
        answer = post(share, program, b'{"recipient":"Harbor","passcode":"%s"}' % terms_of(share).passcode.encode())
        assert answer.status == 200
        assert "set-cookie" not in answer.headers
        assert answer.headers["cache-control"] == "no-store"

    def test_is_told_in_one_word_what_is_wrong_with_what_it_sent(self, program, share):
        answer = post(share, program, b"canary")
        assert (answer.status, answer.body) == (400, b'{"error":"not-json"}')

    @pytest.mark.parametrize("sent", [b"", b"[]", b"{", b'{"passcode": "1"}', b'{"recipient": 1}', b"x" * 20_000])
    def test_that_asks_oddly_is_refused_and_takes_no_try(self, program, share, sent):
        assert post(share, program, sent).status in {400, 413}
        share.refresh_from_db()
        assert share.tries_left == making.TRIES

    def test_that_goes_away_in_the_middle_is_no_failure_of_ours(self, visitor, share):
        class Broken:
            def read(self, *_size):
                raise ConnectionResetError

            readline = read

        address = reverse("shared_manifest", args=[terms_of(share).token])
        sent = {"content_type": "application/json", "wsgi.input": Broken()}
        assert visitor.post(address, b"{}", **sent).status_code == 400


class TestAShareThatDoesNotOpen:
    def test_says_so_to_a_page_of_any_origin_and_to_the_operator(self, visitor, share, caplog):
        agreed = terms_of(share)
        asked = {"recipient": "Harbor Clinic", "passcode": agreed.passcode}
        Share.objects.update(sealed_terms=b"x" * 64)
        address = reverse("shared_manifest", args=[agreed.token])
        answer = visitor.post(address, asked, content_type="application/json")
        assert (answer.status_code, answer["Access-Control-Allow-Origin"], answer.content) == (503, "*", b"")
        assert "A health link could not be answered" in caplog.text


class TestAShareThatIsOver:
    def test_is_not_found(self, program, share):
        ending.end(share.user, share.pk, at=timezone.now())
        with pytest.raises(Refused) as refused:
            fetch(share, program)
        assert refused.value.status == 404

    def test_gives_no_file_by_its_address_either(self, visitor, program, share):
        told = receiving.manifest(link_of(share), program, passcode=terms_of(share).passcode, embedded_length_max=0)
        location = told["files"][0]["location"]
        assert visitor.get(location).status_code == 200
        ending.end(share.user, share.pk, at=timezone.now())
        assert visitor.get(location).status_code == 404

    def test_has_no_file_without_a_ticket_or_by_that_of_another(self, visitor, program, share, alice, connection):
        its, theirs = ticket_of(share, program), ticket_of(share_of(alice, connection, purpose="Another"), program)
        assert file_by(its, share, visitor).status_code == 200
        for ticket in ("x", str(share.pk), theirs, f"{its}x", Signer(salt="other").sign(its.rpartition(":")[0])):
            assert file_by(ticket, share, visitor).status_code == 404

    def test_has_no_file_by_a_ticket_of_more_than_an_hour_ago(self, program, share):
        ticket, token, now = ticket_of(share, program), terms_of(share).token, timezone.now()
        assert fetching.file(token, ticket, at=now + timedelta(minutes=59))
        with pytest.raises(Over):
            fetching.file(token, ticket, at=now + timedelta(minutes=61))

    def test_is_not_found_once_the_key_of_its_owner_is_gone(self, visitor, program, share, alice):
        its, address = ticket_of(share, program), reverse("shared_manifest", args=[terms_of(share).token])
        file = address.removesuffix("m") + f"files/{its}"
        asked = {"recipient": "Harbor Clinic", "passcode": terms_of(share).passcode}
        shredding.shred(Holder.user(alice.pk))
        assert visitor.post(address, asked, content_type="application/json").status_code == 404
        assert visitor.get(file).status_code == 404

    def test_is_found_until_its_time_is_over(self, program, share):
        fetch(share, program)
        Share.objects.update(expires_at=share.created_at + timedelta(seconds=1e-6))
        with pytest.raises(Refused):
            fetch(share, program)
