"""What a record says, and what decrypts it, is in no log line at any level, and nowhere in the clear."""

import logging

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.records import syncing, tasks
from apps.records.models import Record, Shelf, SyncRun
from tests.faults import hunting
from tests.faults.hunting import Canary
from tests.records.linked import AT, give_tokens
from tests.records.people import CANARIES, PATIENT_ID, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

SECRETS = ("access-canary", "refresh-canary", "s3cret-canary")


def echo(request):
    """A server that answers with everything it was sent."""
    return http(500, body=f"{request.target} {request.headers} Quillfeather 1984-03-09")


class TestLogs:
    @pytest.mark.parametrize(
        "change",
        [
            {},
            {PATIENT: echo},
            {ALLERGIES: echo, METADATA: http(body="<html>Quillfeather")},
            {ALLERGIES: http(body='{"resourceType": "Bundle", "entry": [{"resource": {"id": "Pteridine"')},
            {ALLERGIES: http(body=bundle(allergy("Pteridine", patient_id="Quillfeather")))},
            {PATIENT: http(401, body="Quillfeather access-canary")},
        ],
    )
    def test_say_nothing_of_it(self, linked, provider, caplog, change):
        provider.answers |= change
        for name in (None, *logging.Logger.manager.loggerDict):
            caplog.set_level(logging.DEBUG, logger=name)
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        syncing.advance(run.pk, at=AT)
        lines = "\n".join(str(record.getMessage()) + str(record.exc_info) for record in caplog.records)
        for canary in (*CANARIES, *SECRETS, PATIENT_ID):
            assert canary not in lines


class TestWhatIsKept:
    def test_says_nothing_of_it_in_the_clear(self, hers, linked, caplog):
        """In no column of any table, not in the queue or the cache, and not in the session of whoever looked."""
        caplog.set_level(logging.DEBUG, logger="apps")
        give_tokens(linked, issued_at=timezone.now())
        syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        tasks.sync_next()
        for name in ("record", "record", "connection"):
            assert hers.get(reverse(name, args=[linked.pk])).status_code == 200
        assert Record.objects.filter(resource_type="AllergyIntolerance").exists()
        assert Shelf.objects.exists()
        said = {Canary(f"canary {number}", text) for number, text in enumerate((*CANARIES, *SECRETS))}
        places = [("a session", repr(dict(hers.session.items()))), ("our own lines", caplog.text)]
        hunting.assert_nowhere(said, [*hunting.columns(), *hunting.queue_and_cache(), *places])
