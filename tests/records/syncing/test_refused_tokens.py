"""A provider that refuses an access token: it is renewed once, the question asked once more, and then it is the
patient's turn (specification 5.2.4, 7.1)."""

import logging
from datetime import timedelta

import pytest

from apps.records.models import Record
from tests.records.linked import AT
from tests.records.provider import PATIENT, TOKEN
from tests.records.runs import sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

CHALLENGE = 'Bearer realm="echo-canary", error="invalid_token", error_description="The token access-canary has expired"'


class TestAnInvalidToken:
    @pytest.mark.conformance("C45")
    def test_is_renewed_once_then_the_patient_is_asked_and_only_the_reason_is_logged(self, linked, provider, caplog):
        sync(linked)
        kept = Record.objects.count()
        provider.server.requests.clear()
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})
        provider.answers[PATIENT] = http(401, WWW_Authenticate=CHALLENGE)
        with caplog.at_level(logging.INFO):
            sync(linked, at=AT + timedelta(minutes=10))
        linked.refresh_from_db()
        tokens = [request.headers["authorization"] for request in provider.sent(PATIENT)]
        assert len(tokens) == len(set(tokens)) == 2
        assert len(provider.sent(TOKEN)) == 1
        assert (linked.status, linked.reason) == ("needs_reauthorization", "grant_ended")
        assert Record.objects.count() == kept
        said = [record.getMessage() for record in caplog.records if "access token was refused" in record.getMessage()]
        assert said == [f"An access token was refused: connection {linked.pk}: invalid_token"] * 2
        assert "canary" not in caplog.text
