"""A token endpoint fails: a named outcome and a page, nothing left behind, no secret anywhere, and a retry that works.

The site speaks to the real sandbox; the fault is one of its scenarios.
"""

import time

import pytest

from apps.connections.models import AuthorizationRequest
from tests.faults import hunting
from tests.faults.leavings import assert_nothing_is_left

pytestmark = pytest.mark.django_db

NOT_ANSWERING = ("provider_down", "Harbor Family Medicine is not answering right now")
UNREADABLE = ("unreadable", "We could not read the answer")
CANNOT = ("registration_broken", "We cannot connect to Harbor Family Medicine right now")

SCENARIOS = {
    "token-throttled": NOT_ANSWERING,
    "token-down": NOT_ANSWERING,
    "token-unavailable": NOT_ANSWERING,
    "token-redirects": CANNOT,
    "token-html": UNREADABLE,
    "token-cut": UNREADABLE,
    "token-empty": UNREADABLE,
    "token-lost": NOT_ANSWERING,
    "token-dropped": NOT_ANSWERING,
    "token-dropped-after": NOT_ANSWERING,
}


class TestATokenEndpoint:
    @pytest.mark.parametrize("scenario", SCENARIOS)
    @pytest.mark.conformance("C9", "C48", "C59")
    def test_that_fails_has_an_end_with_a_page(self, scenario, sandbox, place, traveller, heard, staff):
        sandbox.post("/control/scenarios", name=scenario)
        assert_it_ends(sandbox, place, traveller, heard, staff, SCENARIOS[scenario])

    @pytest.mark.conformance("C9", "C48")
    def test_that_is_slow_has_an_end_with_a_page(self, sandbox, place, traveller, heard, staff, impatient):
        sandbox.post("/control/faults", route="token", kind="slow", seconds=4)
        assert_it_ends(sandbox, place, traveller, heard, staff, NOT_ANSWERING)

    @pytest.mark.conformance("C9", "C48")
    def test_that_dribbles_is_left_within_ten_seconds(self, sandbox, place, traveller, heard, staff):
        """One byte a second: no single read takes long, all of them would take minutes."""
        sandbox.post("/control/scenarios", name="token-dribbles")
        began = time.monotonic()
        assert_it_ends(sandbox, place, traveller, heard, staff, NOT_ANSWERING)
        assert 9 < time.monotonic() - began < 40


def assert_it_ends(sandbox, place, traveller, heard, staff, expected) -> None:
    outcome, sentence = expected
    page = traveller.go_there(place)
    assert page.status == 200
    assert sentence in page.html
    assert AuthorizationRequest.objects.get().outcome == outcome
    assert len(place.exchanges(sandbox)) == 1
    assert_nothing_is_left()
    canaries = hunting.canaries(sandbox, place)
    assert hunting.names(canaries) >= {"client_secret", "code", "code_verifier", "state"}
    hunting.assert_nowhere(canaries, hunting.tracks(traveller, heard.texts, staff))
    sandbox.post("/control/scenarios", name="usual")
    traveller.found(place)
