"""Whatever a provider or a browser sends leads to a typed outcome and a page, and leaves nothing behind that should not
be stored."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.connections.authorization_requests import binding, creating
from apps.connections.callback import completing
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.connections.outcomes import Outcome
from apps.connections.presenting import attempts
from apps.directory.models import Enablement
from tests.connections.provider_stand_in import tokens
from tests.fixtures.consent import agree
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=8,
)
TOKEN_ANSWERS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        (
            "access_token",
            "refresh_token",
            "expires_in",
            "scope",
            "token_type",
            "patient",
            "error",
            "id_token",
        ),
        SCALARS | JSON,
    ),
)
PATIENTS = st.fixed_dictionaries(
    {"resourceType": st.sampled_from(["Patient", "Bundle", "OperationOutcome"]) | JSON},
    optional={"id": SCALARS, "name": JSON, "birthDate": JSON, "entry": JSON, "link": JSON, "total": JSON},
)
BODIES = st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode())
STATUSES = st.sampled_from([200, 200, 200, 201, 204, 301, 400, 401, 403, 404, 418, 429, 500, 503])
QUERIES = st.dictionaries(
    st.sampled_from(["code", "state", "error", "error_uri", "iss", "scope"]) | st.text(max_size=5),
    st.lists(st.text(max_size=30), max_size=3),
    max_size=5,
)
# one database and one provider serve every example; each makes and removes its own rows
MANY = settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture
def journey(alice, place):
    """Begin, come back with a code, and clear up again."""
    agree(alice)
    browser = binding.new_browser()

    def make() -> completing.CallbackResult:
        at = datetime.now(UTC)
        departure = creating.create(
            user=alice, provider=place.provider, endpoint=place.endpoint, browser=browser, at=at, closes_others=True
        )
        state = binding.state_for(departure.request_id, browser)
        return completing.complete(
            redirect_id=place.registration.redirect_id,
            unverified_query={"code": ["c"], "state": [state.reveal()]},
            browser=browser,
            signed_in_user_id=alice.pk,
            at=at + timedelta(seconds=1),
        )

    return make


def assert_told(result: completing.CallbackResult) -> None:
    """An outcome, a page for it, and tokens and candidates only where a person was found."""
    request: Any = result.request
    page = attempts.page(request, is_second_arrival=False, at=datetime.now(UTC))
    assert page.title
    assert page.text
    is_found = result.outcome is Outcome.COMPLETED
    assert Connection.objects.exists() == is_found
    assert StoredTokenSet.objects.exists() == is_found
    Connection.objects.all().delete()
    AuthorizationRequest.objects.all().delete()


class TestAnyAnswer:
    @MANY
    @given(answer=TOKEN_ANSWERS | JSON, status=STATUSES)
    def test_of_a_token_endpoint_has_an_outcome(self, journey, stand_in, place, answer, status):
        stand_in.token = http(status, json.dumps(answer).encode())
        assert_told(journey())
        type(place.registration).objects.update(trouble="", trouble_at=None, trouble_seen_at=None)
        Enablement.objects.all().delete()

    @MANY
    @given(answer=PATIENTS | JSON, status=STATUSES)
    def test_of_get_patient_has_an_outcome(self, journey, stand_in, answer, status):
        stand_in.token = tokens()
        stand_in.patient = http(status, json.dumps(answer).encode())
        assert_told(journey())

    @settings(MANY, max_examples=60)
    @given(body=BODIES, content_type=st.sampled_from(["application/json", "text/html", "", "application/fhir+json"]))
    def test_that_is_no_json_has_an_outcome(self, journey, stand_in, body, content_type):
        stand_in.token = http(200, body, content_type=content_type)
        assert_told(journey())
        stand_in.token = tokens()
        stand_in.patient = http(200, body, content_type=content_type)
        assert_told(journey())

    @MANY
    @given(query=QUERIES)
    def test_of_a_browser_is_ignored_with_a_page(self, client, place, query):
        answer = client.get(place.callback, query)
        assert answer.status_code == 303
        assert answer["Location"] == "/connect/answer/forged/"
