"""A member of staff who tries a registration, and a provider that answers."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet, Trial
from tests.connections.conftest import BACKEND, Departed, Place
from tests.connections.provider_stand_in import CODE, StandIn
from tests.wire.servers import http


class Trier:
    """A member of staff in one browser, trying out one place."""

    def __init__(self, user: Any, place: Place) -> None:
        self.user, self.place, self.client = user, place, Client()
        self.client.force_login(user, backend=BACKEND)

    def begin(self) -> Trial:
        answer = self.client.post(
            f"/desk/registrations/{self.place.registration.pk}/try/out/", {"endpoint": str(self.place.endpoint.pk)}
        )
        assert answer.status_code == 303, answer.status_code
        return Trial.objects.latest("began_at")

    def leave(self, trial: Trial) -> Departed:
        answer = self.client.post(f"/desk/trials/{trial.pk}/sign-in/")
        assert answer.status_code == 303, (answer.status_code, answer.get("Location"))
        page = self.client.get(answer["Location"])
        link = re.search(r'<a class="button" href="(http[^"]+)"', page.content.decode())
        assert link is not None
        return Departed(answer["Location"], unescape(link[1]))

    def come_back(self, **query: str) -> Any:
        return self.client.get(self.place.callback, query)

    def link(self, **query: str) -> tuple[Trial, str]:
        """The whole way; the trial and its page."""
        trial = self.begin()
        departed = self.leave(trial)
        answer = self.come_back(state=departed.state, **(query or {"code": CODE}))
        assert answer.status_code == 303
        return self.read(trial, answer)

    def read(self, trial: Trial, answer: Any) -> tuple[Trial, str]:
        """Where the answer leads in the end is the trial's page."""
        page = self.client.get(answer["Location"], follow=True)
        assert page.request["PATH_INFO"] == f"/desk/trials/{trial.pk}/"
        trial.refresh_from_db()
        return trial, page.content.decode()


@pytest.fixture
def metadata(stand_in: StandIn) -> None:
    """The provider says what it is, as the specification promises (P6)."""
    statement = {
        "resourceType": "CapabilityStatement",
        "fhirVersion": "4.0.1",
        "rest": [{"mode": "server", "resource": [{"type": "Patient"}, {"type": "AllergyIntolerance"}]}],
    }
    usual = stand_in.server.answer

    def answer(request: Any) -> Any:
        if request.path.endswith("/metadata"):
            yield http(body=statement)
        elif request.path.endswith("/AllergyIntolerance"):
            yield http(body={"resourceType": "Bundle", "type": "searchset", "total": 0, "entry": []})
        else:
            yield from usual(request)

    stand_in.server.answer = answer


@pytest.fixture
def trier(stella: Any, place: Place, metadata: None) -> Trier:
    return Trier(stella, place)


def assert_nothing_is_kept() -> None:
    assert not Connection.objects.exists()
    assert not StoredTokenSet.objects.exists()
    assert not AuthorizationRequest.objects.filter(sealed_pkce_verifier__isnull=False).exists()


def codes(trial: Trial) -> dict[str, str]:
    return {step: result["code"] for step, result in trial.results.items()}
