"""What a patient's record says, and what opens it, is in no log line and no task argument, at any level."""

import logging

import pytest

from apps.records import syncing
from apps.records.models import SyncRun
from tests.records.linked import AT
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
