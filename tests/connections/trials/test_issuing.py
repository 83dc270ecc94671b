"""The issuer of ID tokens that a trial met is shown to staff, and only they can allow it."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections.models import Trial
from apps.connections.trials import issuing
from apps.connections.trials.results import Notes, Step, stored
from apps.wire.errors import Code, IdentityFault, IdentityRefused, Unavailable
from tests.connections.conftest import BACKEND, Place
from tests.portal.desk.conftest import forget_password, sign_in

pytestmark = pytest.mark.django_db

ELSEWHERE = "https://idp.example.org/tenants/seven/"


@pytest.fixture
def beside(place: Place) -> str:
    """An issuer where the authorization server gives its tokens."""
    assert place.endpoint.authorization_server is not None
    return place.endpoint.authorization_server.token_url.rpartition("/")[0] + "/oidc/"


@pytest.fixture
def staff(stella: Any) -> Client:
    return sign_in(stella)


def met(place: Place, error: IdentityRefused) -> Trial:
    """A trial whose ID token was refused so."""
    at = timezone.now()
    notes = Notes(at=at)
    notes.failed(Step.IDENTITY, error.fault.value, names=issuing.unknown(error))
    return Trial.objects.create(
        staff_id="00000000-0000-4000-8000-000000000001",
        registration=place.registration,
        endpoint=place.endpoint,
        provider=place.provider,
        began_at=at,
        ended_at=at,
        results=stored(notes.results),
    )


def of_issuer(issuer: str) -> IdentityRefused:
    return IdentityRefused(fault=IdentityFault.ISSUER, unverified_issuer=issuer)


def issuers(place: Place) -> list[str]:
    server = place.endpoint.authorization_server
    assert server is not None
    server.refresh_from_db()
    return list(server.id_token_issuers)


class TestAnUnknownIssuer:
    def test_is_shown_and_allowed_by_staff(self, place: Place, beside: str, staff: Client, stella: Any) -> None:
        trial = met(place, of_issuer(beside))
        page = staff.get(f"/desk/trials/{trial.pk}/").content.decode()
        assert beside in page
        assert "another host" not in page
        answer = staff.post(f"/desk/trials/{trial.pk}/issuer/", follow=True)
        assert "The issuer is allowed" in answer.content.decode()
        assert issuers(place) == [beside]
        assert "It is right: allow it" not in answer.content.decode()
        event = AuditEvent.objects.get(event="directory.changed")
        assert (event.actor_id, event.facts["changed"]) == (stella.pk, "id_token_issuers")

    def test_is_not_allowed_long_after_the_password_was_given(self, place: Place, beside: str, staff: Client) -> None:
        trial = met(place, of_issuer(beside))
        forget_password(staff)
        address = f"/desk/trials/{trial.pk}/issuer/"
        assert staff.post(address)["Location"] == address
        assert staff.get(address)["Location"].startswith("/accounts/reauthenticate/")
        assert issuers(place) == []

    def test_is_not_allowed_by_a_trial_of_yesterday(self, place: Place, beside: str, staff: Client) -> None:
        trial = met(place, of_issuer(beside))
        Trial.objects.update(began_at=timezone.now() - timedelta(days=1))
        assert "It is right: allow it" not in staff.get(f"/desk/trials/{trial.pk}/").content.decode()
        staff.post(f"/desk/trials/{trial.pk}/issuer/")
        assert issuers(place) == []

    def test_is_warned_of_on_another_host(self, place: Place, staff: Client) -> None:
        trial = met(place, of_issuer(ELSEWHERE))
        assert "another host" in staff.get(f"/desk/trials/{trial.pk}/").content.decode()
        assert issuers(place) == []

    def test_is_not_allowed_where_we_would_not_ask_it(self, place: Place, staff: Client) -> None:
        trial = met(place, of_issuer("https://10.1.2.3/oidc/"))
        answer = staff.post(f"/desk/trials/{trial.pk}/issuer/", follow=True)
        assert "not one that we could ask" in answer.content.decode()
        assert issuers(place) == []

    def test_is_none_of_a_patients_business(self, place: Place, beside: str, sam: Any) -> None:
        trial = met(place, of_issuer(beside))
        stranger = Client()
        stranger.force_login(sam, backend=BACKEND)
        assert stranger.post(f"/desk/trials/{trial.pk}/issuer/").status_code == 404
        assert Client().post(f"/desk/trials/{trial.pk}/issuer/").status_code == 302
        assert issuers(place) == []

    @pytest.mark.parametrize("fault", [fault for fault in IdentityFault if fault is not IdentityFault.ISSUER])
    def test_is_not_what_another_fault_is_about(
        self, place: Place, beside: str, staff: Client, fault: IdentityFault
    ) -> None:
        trial = met(place, IdentityRefused(fault=fault, unverified_issuer=beside))
        assert "It is right: allow it" not in staff.get(f"/desk/trials/{trial.pk}/").content.decode()
        staff.post(f"/desk/trials/{trial.pk}/issuer/")
        assert issuers(place) == []

    def test_is_named_by_no_other_error(self) -> None:
        assert issuing.unknown(Unavailable(code=Code.TIMED_OUT)) == ()
        assert issuing.unknown(IdentityRefused(fault=IdentityFault.ISSUER)) == ()
