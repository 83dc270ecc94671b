"""The pages of one connection's record."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.connections.models import StoredTokenSet
from apps.connections.presenting import moments
from apps.directory.models import Endpoint
from apps.records import syncing
from apps.records.models import Record, Shelf, SyncRun, SyncStep
from apps.records.viewing.opening import overview
from tests.records.linked import make_connection, make_endpoint
from tests.records.pages import page
from tests.records.people import CANARIES, DSTU2_PATIENT, PATIENT_ID, R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, PATIENT, TOKEN
from tests.records.runs import sync_now
from tests.records.shelved import keep, result
from tests.wire.servers import http

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("soon")]


class TestRecordPage:
    @pytest.mark.parametrize("patient", [R4_PATIENT, DSTU2_PATIENT], ids=["r4", "dstu2"])
    def test_shows_the_patient_as_received(self, hers, linked, provider, patient):
        provider.answers[PATIENT] = http(body=patient)
        sync_now(linked)
        text = page(hers, "record", linked.pk)
        for shown in (
            "Dr. Wrenna Ilse Quillfeather",
            "March 9, 1984",
            "555-0142",
            "wren@quill.invalid",
            "7 Heron Way",
            "Tarn, OR 97001",
            "Welsh",
            "Dr. Orla Vantongeren",
            "Female",
        ):
            assert shown in text

    def test_says_where_it_is_from_and_when_it_was_checked(self, hers, linked):
        sync_now(linked)
        text = page(hers, "record", linked.pk)
        assert re.search(r"From Harbor Family Practice · checked today at [\d:]+ [ap]\.m\. UTC", text)

    def test_says_what_came(self, hers, linked):
        sync_now(linked)
        text = page(hers, "record", linked.pk)
        assert "Allergies and reactions" in text
        assert "2 entries. Complete as of" in text

    def test_says_until_when_the_connection_lasts(self, hers, linked):
        sync_now(linked)
        text = page(hers, "record", linked.pk)
        assert "about once a day. Connected until" in text
        assert reverse("reauthorize", args=[linked.pk]) in text
        assert "You do not need to do anything." not in text

    def test_says_that_there_is_nothing_to_do_where_nothing_limits_it(self, hers, linked):
        StoredTokenSet.objects.update(refresh_deadline_at=None, refresh_due_at=None)
        sync_now(linked)
        assert "about once a day. You do not need to do anything." in page(hers, "record", linked.pk)

    def test_names_what_the_provider_did_not_give(self, hers, linked, provider):
        provider.answers[PATIENT] = http(body={"resourceType": "Patient", "id": PATIENT_ID})
        sync_now(linked)
        text = page(hers, "record", linked.pk)
        assert "Name not given" in text
        assert "Not given by Harbor Family Practice: date of birth, ways to reach the person, address" in text

    def test_shows_no_markup_a_provider_sent(self, hers, linked, provider):
        provider.answers[PATIENT] = http(
            body={"resourceType": "Patient", "id": PATIENT_ID, "name": [{"text": "<script>alert(1)</script>"}]}
        )
        sync_now(linked)
        assert "<script>alert" not in page(hers, "record", linked.pk)

    def test_has_nothing_of_the_patient_in_title_or_address(self, hers, linked):
        sync_now(linked)
        title = re.search("<title>(.*?)</title>", page(hers, "record", linked.pk))
        assert title
        assert "Harbor" not in title[1]
        for canary in CANARIES:
            assert canary not in title[1] + reverse("record", args=[linked.pk])

    def test_stays_in_no_cache(self, hers, linked):
        assert "no-store" in hers.get(reverse("record", args=[linked.pk]))["Cache-Control"]

    def test_reads_one_shelf(self, hers, linked, django_assert_max_num_queries):
        sync_now(linked)
        page(hers, "record", linked.pk)
        with django_assert_max_num_queries(16) as counted:
            page(hers, "record", linked.pk)
        shelves = [query for query in counted.captured_queries if "records_shelf" in query["sql"]]
        bodies = [query for query in counted.captured_queries if "sealed_body" in query["sql"]]
        assert (len(shelves), len(bodies)) == (1, 0)

    def test_says_so_where_the_shelf_does_not_open(self, hers, linked):
        sync_now(linked)
        Shelf.objects.update(sealed_index=b"\x03" + bytes(80))
        assert "We cannot open this right now" in page(hers, "record", linked.pk)

    def test_marks_a_practice_provider(self, hers, linked):
        linked.provider.is_sandbox = True
        linked.provider.save()
        assert "Practice provider, not real" in page(hers, "record", linked.pk)


class TestLedger:
    @pytest.mark.parametrize(
        ("answer", "sentence"),
        [
            (http(body=bundle()), "Harbor Family Practice sent no entries. This does not mean there are none."),
            (http(403), "Not shared. You or Harbor Family Practice did not allow this kind of entry."),
            (http(404), "Harbor Family Practice does not offer this to apps. Ask them directly."),
            (http(400), "Harbor Family Practice did not accept our request on"),
            (http(body="<html>"), "Harbor Family Practice sent an answer we could not read on"),
            (http(body=bundle(allergy("a1"), total=7)), "Harbor Family Practice counted 7 but sent 1."),
            (
                http(body=bundle(allergy("a1"), next_url="http://127.0.0.1:1/fhir/r4/AllergyIntolerance?page=2")),
                "1 entry came. There may be more at Harbor Family Practice",
            ),
            (http(body=bundle(allergy("x", patient_id="other"))), "1 entry was not yours"),
        ],
    )
    def test_says_why_something_is_missing(self, hers, linked, provider, answer, sentence):
        provider.answers[ALLERGIES] = answer
        sync_now(linked)
        assert sentence in page(hers, "record", linked.pk)

    def test_says_what_is_still_here_when_the_next_time_fails(self, hers, linked, provider):
        sync_now(linked)
        provider.answers[ALLERGIES] = http(400)
        sync_now(linked)
        text = page(hers, "record", linked.pk)
        assert "2 entries are here." in text
        assert "Updated, but not everything came" in text

    @pytest.mark.parametrize(("interface", "gap", "leads"), [
        ("smart", "not_shared", True), ("smart", "not_offered", False), ("patient-access", "not_shared", False),
    ])  # fmt: skip
    def test_leads_to_where_she_can_share_what_was_not(self, hers, linked, interface, gap, leads):
        run = sync_now(linked)
        run.steps.filter(resource_type="AllergyIntolerance").update(status="gap", gap=gap)
        Endpoint.objects.update(interface=interface)
        text = page(hers, "record", linked.pk)
        assert (reverse("change-sharing", args=[linked.pk]) in text) is leads
        assert ("You can still choose to share more" in text) is leads


class TestFirstSync:
    def test_is_shown_with_what_it_waits_for(self, hers, linked):
        syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        text = page(hers, "record", linked.pk)
        assert "Getting your record from Harbor Family Practice" in text
        assert re.search(r"0 of \d+ kinds done, 0 entries so far\.", text)
        assert "You can close this page." in text

    def test_looks_again_without_script_and_with_it(self, hers, linked):
        syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        text = page(hers, "record", linked.pk)
        assert '<noscript> <meta http-equiv="refresh" content="10"> </noscript>' in text
        assert f'hx-get="{reverse("record_progress", args=[linked.pk])}?state=waiting&amp;done=0"' in text

    def test_waits_to_start_until_a_kind_is_under_way(self, hers, linked):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        step = SyncStep.objects.create(run=run, user=linked.user, resource_type="Goal")
        assert "Waiting to start" in page(hers, "record", linked.pk)
        step.status = SyncStep.Status.GETTING
        step.save()
        text = page(hers, "record", linked.pk)
        assert "Waiting to start" not in text
        assert "Getting your record from Harbor Family Practice" in text

    def test_no_longer_looks_again_when_it_has_ended(self, hers, linked):
        sync_now(linked)
        assert "http-equiv" not in page(hers, "record", linked.pk)
        assert "hx-get" not in page(hers, "record", linked.pk)

    @pytest.mark.parametrize("status", ["disconnected", "ended"])
    def test_does_not_go_on_where_its_connection_ended_meanwhile(self, hers, linked, status):
        syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        linked.status = status
        linked.save()
        text = page(hers, "record", linked.pk)
        assert "Your record from Harbor Family Practice" in text
        assert "We keep going" not in text
        assert "hx-get" not in text

    def test_says_that_it_waits_for_a_provider_that_does_not_answer(self, hers, linked, provider):
        provider.answers[PATIENT] = http(429, Retry_After="7200")
        sync_now(linked)
        text = page(hers, "record", linked.pk)
        assert "Paused; continues by itself" in text
        assert "Harbor Family Practice is not answering right now, or asked us to slow down. What came is safe." in text
        goes_on_at = SyncRun.objects.get().lease_until
        assert goes_on_at is not None
        goes_on = " ".join(moments.until(goes_on_at, at=timezone.now()).split())
        assert f"We go on where we stopped, about {goes_on}." in re.sub("<[^>]+>", "", text)

    def test_says_of_no_kind_that_it_is_being_fetched_while_it_waits(self, hers, linked, provider):
        provider.answers[PATIENT] = http(503)
        sync_now(linked)
        assert SyncRun.objects.get().steps.filter(status="getting").exists()
        assert "Getting" not in page(hers, "record", linked.pk)
        assert "Getting" not in page(hers, "record_progress", linked.pk)


class TestFirstCopyThatLacksSomething:
    """It was a check, though no complete one."""

    @pytest.mark.parametrize("name", ["home", "connections", "connection"])
    def test_is_nowhere_said_not_to_be_one(self, hers, linked, provider, name):
        provider.answers[ALLERGIES] = http(400)
        sync_now(linked)
        linked.refresh_from_db()
        assert linked.last_checked_at is None
        text = page(hers, name, *([linked.pk] if name == "connection" else [])).lower()
        assert "not checked yet" not in text
        assert "not fully checked yet" in text


class TestCheckByTheClock:
    """Nobody asked for it, so nobody is told to wait: what the page says is what was found last."""

    @pytest.fixture
    def checking(self, linked):
        """A first copy came; a day later a check by the clock is open."""
        sync_now(linked)
        run = syncing.start(linked, cause=SyncRun.Cause.SCHEDULE, at=timezone.now())
        run.steps.create(user_id=run.user_id, resource_type="Patient", status="getting", started_at=timezone.now())
        return run

    def test_shows_no_progress(self, hers, linked, checking):
        text = page(hers, "record", linked.pk)
        for said in ("Waiting to start", "Checking Harbor", "Getting", "kinds done", "http-equiv", "hx-get"):
            assert said not in text
        assert "checked today at" in text
        assert "2 entries. Complete as of" in text
        assert "Check for updates" in text

    def test_that_is_paused_says_nothing_either(self, hers, linked, provider):
        sync_now(linked)
        provider.answers[PATIENT] = http(503)
        sync_now(linked, SyncRun.Cause.SCHEDULE)
        assert SyncRun.objects.get(finished_at__isnull=True).pauses == 1
        assert "Paused" not in page(hers, "record", linked.pk)

    def test_that_failed_is_told(self, hers, linked, provider):
        sync_now(linked)
        provider.answers[ALLERGIES] = provider.answers[PATIENT] = http(400)
        sync_now(linked, SyncRun.Cause.SCHEDULE)
        assert "We could not check Harbor Family Practice" in page(hers, "record", linked.pk)

    def test_is_shown_where_nothing_came_before_it(self, hers, linked):
        syncing.start(linked, cause=SyncRun.Cause.SCHEDULE, at=timezone.now())
        assert "Waiting to start" in page(hers, "record", linked.pk)

    def test_becomes_the_patients_own_when_they_ask_for_one(self, hers, linked, checking):
        SyncRun.objects.filter(finished_at__isnull=False).update(finished_at=timezone.now() - timedelta(hours=9))
        hers.post(reverse("check_again", args=[linked.pk]))
        checking.refresh_from_db()
        assert checking.cause == SyncRun.Cause.PATIENT
        assert "Checking Harbor Family Practice…" in page(hers, "record", linked.pk)

    def test_that_the_patient_asked_for_is_no_first_copy_though_it_is_yet_to_begin(self, hers, sam, linked):
        sync_now(linked)
        syncing.start(linked, cause=SyncRun.Cause.PATIENT, at=timezone.now())
        text = page(hers, "record", linked.pk)
        assert "Your record from Harbor Family Practice" in text
        assert "Checking Harbor Family Practice…" in text
        assert "Waiting to start" not in text
        hers.force_login(sam)
        assert hers.get(reverse("record", args=[linked.pk])).status_code == 404

    def test_that_the_patient_asked_for_counts_as_its_lists_do_until_it_has_ended(self, hers, linked):
        vital = {**result(2), "category": [{"coding": [{"code": "vital-signs"}]}]}
        keep(linked, result(1), vital)
        now = timezone.now()
        before = now - timedelta(days=1)
        SyncRun.objects.create(
            user=linked.user, connection=linked, cause="confirmed", outcome="complete", created_at=before,
            finished_at=before,
        )  # fmt: skip
        syncing.start(linked, cause=SyncRun.Cause.PATIENT, at=now)
        counted = {line.subject: line.entries for line in overview.of(linked, at=now).lines}
        assert (counted["Results"], counted["Vitals"]) == (1, 1)
        text = page(hers, "record", linked.pk)
        assert re.search(r"0 of \d+ kinds checked\.", text)
        assert "so far" not in text

    def test_that_the_patient_asks_for_again_comes_before_others(self, linked, checking):
        syncing.start(linked, cause=SyncRun.Cause.PATIENT, at=timezone.now())
        assert SyncRun.objects.get(finished_at__isnull=True).cause in SyncRun.ASKED_FOR


class TestProgress:
    def ask(self, client, connection, **shown):
        response = client.get(reverse("record_progress", args=[connection.pk]), shown)
        assert response.status_code == 200
        return response

    def test_loads_the_page_anew_where_the_state_changed(self, hers, linked):
        syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        assert "HX-Refresh" not in self.ask(hers, linked, state="waiting", done=0)
        sync_now(linked)
        assert self.ask(hers, linked, state="waiting", done=0)["HX-Refresh"] == "true"

    def test_speaks_when_a_kind_is_done_and_not_at_every_row(self, hers, linked):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        run.steps.create(user_id=run.user_id, resource_type="Patient", status="complete", finished_at=timezone.now())
        aloud = 'id="progress-said" hx-swap-oob="innerHTML"'
        assert aloud in self.ask(hers, linked, state="first", done=0).content.decode()
        assert aloud not in self.ask(hers, linked, state="first", done=1).content.decode()


class TestFailure:
    def test_says_whose_turn_it_is(self, hers, linked, provider):
        provider.answers[ALLERGIES] = provider.answers[PATIENT] = http(400)
        sync_now(linked)
        text = page(hers, "record", linked.pk)
        assert "We could not check Harbor Family Practice" in text
        assert "Check for updates" in text

    def test_of_the_permission_asks_for_a_new_sign_in(self, hers, linked, provider):
        sync_now(linked)
        provider.answers[PATIENT] = http(401)
        provider.answers[TOKEN] = http(400, body={"error": "invalid_grant"})
        sync_now(linked)
        text = page(hers, "record", linked.pk)
        assert "Not up to date." in text
        assert reverse("reauthorize", args=[linked.pk]) in text
        assert "Check for updates" not in text

    def test_of_long_ago_is_named_out_of_date(self, hers, linked):
        sync_now(linked)
        linked.last_checked_at = timezone.now() - timedelta(days=8)
        linked.save()
        assert "Not up to date." in page(hers, "record", linked.pk)


class TestLookingAtIt:
    def test_is_written_down_once_a_day_and_session(self, hers, linked):
        page(hers, "record", linked.pk)
        page(hers, "record", linked.pk)
        event = AuditEvent.objects.get(event=EventType.RECORD_VIEWED)
        assert (event.actor_id, event.user_id, event.subject_id) == (linked.user_id, linked.user_id, str(linked.pk))


class TestEveryPage:
    @pytest.mark.parametrize("name", ["record", "record_progress"])
    def test_is_not_found_by_a_stranger(self, client, sam, linked, name):
        sync_now(linked)
        client.force_login(sam)
        response = client.get(reverse(name, args=[linked.pk]))
        assert response.status_code == 404
        assert "Quillfeather" not in response.content.decode()

    def test_takes_nothing_from_a_stranger(self, client, sam, linked):
        sync_now(linked)
        client.force_login(sam)
        assert client.post(reverse("check_again", args=[linked.pk])).status_code == 404
        assert (Record.objects.count(), SyncRun.objects.count()) == (3, 1)

    @pytest.mark.parametrize("name", ["record", "record_progress"])
    def test_asks_whoever_is_signed_out_to_sign_in(self, client, linked, name):
        address = reverse(name, args=[linked.pk])
        response = client.get(address)
        assert response.status_code == 302
        assert response["Location"] == f"{reverse('account_login')}?next={address}"

    def test_of_an_unconfirmed_connection_leads_to_the_question(self, hers, alice):
        waiting = make_connection(
            alice,
            make_endpoint("https://other.example/r4"),
            status="awaiting_confirmation",
            confirmed_at=None,
            fhir_patient_id="",
            confirm_by_at=timezone.now() + timedelta(minutes=30),
        )
        response = hers.get(reverse("record", args=[waiting.pk]))
        assert response["Location"] == reverse("confirm", args=[waiting.pk])
