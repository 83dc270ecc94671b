"""A key of ours is missing: every page says calmly who must act, nothing is lost, and all returns with the key."""

import re

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.portal import closing
from apps.records import syncing
from apps.records.models import Record, SyncRun
from tests.fixtures.consent import agree
from tests.portal import leavers
from tests.records.linked import AT
from tests.vault.losing import without_key

__all__ = ["without_key"]

pytestmark = pytest.mark.django_db

FAULT = "Problem on our side"
CALM = "This is ours to fix. Nothing is lost, and there is nothing for you to do."


def text_of(browser, name, *arguments, status=200):
    response = browser.get(reverse(name, args=arguments))
    assert response.status_code == status
    text = response.content.decode()
    for canary in ("access-canary", "refresh-canary", "KeyMissing", "VAULT_KEYS"):
        assert canary not in text
    return re.sub(r'(csrf[^>]*value=)"\w+"', r"\1", " ".join(text.split()))


class TestPages:
    @pytest.mark.parametrize("name", ["home", "connections"])
    def test_say_that_it_is_ours_to_mend(self, hers, linked, without_key, name):
        well = text_of(hers, name)
        assert "Wrenna Quillfeather" in well
        with without_key():
            text = text_of(hers, name)
        assert FAULT in text
        assert "Wrenna" not in text
        assert "Sign in" not in text
        assert text_of(hers, name) == well

    def test_of_the_record_say_it_once_and_ask_for_nothing(self, hers, linked, without_key):
        well = text_of(hers, "record", linked.pk)
        with without_key():
            text = text_of(hers, "record", linked.pk)
        assert text.count("We cannot open what we keep for you right now. This is ours to fix. Nothing is lost") == 1
        assert CALM not in text
        assert "Sign in again" not in text
        assert text_of(hers, "record", linked.pk) == well

    def test_of_a_record_that_was_disconnected_say_it_too(self, hers, linked, without_key):
        linked.disconnect(at=AT)
        with without_key():
            assert CALM in text_of(hers, "record", linked.pk)

    def test_of_a_record_that_is_being_copied_do_not_wait_for_it(self, hers, linked, without_key):
        syncing.start(linked, cause=SyncRun.Cause.PATIENT, at=timezone.now())
        assert 'id="progress"' in text_of(hers, "record", linked.pk)
        with without_key():
            assert 'id="progress"' not in text_of(hers, "record", linked.pk)

    def test_of_the_connection_open(self, hers, linked, without_key):
        with without_key():
            assert FAULT in text_of(hers, "connection", linked.pk)

    def test_that_need_the_key_answer_calmly(self, hers, waiting, without_key, caplog):
        with without_key():
            assert CALM in text_of(hers, "confirm", waiting.pk, status=503)
        assert "A page could not be shown: No key is at hand for this holder: a wrapping key is not in VAULT_KEYS" in (
            caplog.text
        )
        assert "Wrenna" in text_of(hers, "confirm", waiting.pk)

    def test_are_not_kept_by_the_browser(self, hers, waiting, without_key):
        with without_key():
            response = hers.get(reverse("confirm", args=[waiting.pk]))
        assert "no-store" in response["Cache-Control"]

    def test_of_strangers_stay_as_they_are(self, client, sam, linked, without_key):
        client.force_login(sam)
        with without_key():
            assert client.get(reverse("record", args=[linked.pk])).status_code == 404

    def test_leave_everything_as_it_was(self, hers, linked, waiting, without_key):
        before = leavers.rows()
        with without_key():
            for name, *arguments in (("home",), ("connections",), ("record", linked.pk), ("connection", linked.pk)):
                text_of(hers, name, *arguments)
            text_of(hers, "confirm", waiting.pk, status=503)
            hers.post(reverse("confirm", args=[waiting.pk]), {"candidate": "0"})
        after = leavers.rows()
        changed = {table for table in after if after[table] != before[table]}
        assert changed <= {"accounts_session", "audit_auditevent"}
        assert not AuditEvent.objects.filter(event="connection.needs_reauthorization").exists()


class TestLeavingForAProvider:
    def test_is_not_begun_where_nothing_can_be_sealed(self, hers, alice, linked, without_key):
        agree(alice)
        with without_key():
            response = hers.post(reverse("reauthorize", args=[linked.pk]))
        assert response.status_code == 503
        assert not AuthorizationRequest.objects.exists()
        text = " ".join(response.content.decode().split())
        assert "This is ours to fix. Nothing is lost. Try again later." in text
        assert "it may not have gone through. Check first, and do it again if it did not." in text
        assert "nothing for you to do" not in text


class TestClosingTheAccount:
    def test_needs_no_key(self, alice, linked, without_key):
        with without_key():
            closing.close(alice, at=AT)
        assert not Record.objects.exists()
        assert not StoredTokenSet.objects.exists()
        assert not Connection.objects.exists()
        assert len(mail.outbox) == 1
        assert not SyncRun.objects.exists()
