"""System access at the desk: who may try it, what is sent, and what staff read about it."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections.trials import error_codes, system_trials
from apps.connections.views import waiting_room
from apps.directory import credentials
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, SystemAccount
from apps.wire import errors
from apps.wire.errors import Code, WireError
from apps.wire.secret import Secret
from tests.portal.desk.conftest import BACKEND
from tests.wire.servers import Recorded, Server, http, serving

pytestmark = pytest.mark.django_db(transaction=True)

GUID = "3b0f1d52-9a4c-4f7e-8d11-6f0e2c7a9b35"
ACCESS = "eyJ.canary-access-6f1d.token"
SECRET = "canary-secret-9e2b"
ANSWER = {"access_token": ACCESS, "token_type": "Bearer", "expires_in": 570, "scope": "system/Patient.read"}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(http(200, ANSWER)) as there:
        yield there


@pytest.fixture
def endpoint(server: Server, make_endpoint: Callable[..., Endpoint]) -> Endpoint:
    made = make_endpoint("smart")
    AuthorizationServer.objects.update(authorize_url=server.url("/authorize"), token_url=server.url("/token"))
    return made


@pytest.fixture
def registration(endpoint: Endpoint) -> ClientRegistration:
    """An approved one with a secret and an approved system account."""
    now = timezone.now()
    row = ClientRegistration.objects.create(
        authorization_server=AuthorizationServer.objects.get(),
        label="ours",
        status="approved",
        authentication="client_secret_basic",
        versions_added=["r4"],
        smart_version="v1",
        system_account=SystemAccount.objects.create(
            account_id=GUID, status="approved", description="D", requested_at=now, approved_at=now
        ),
    )
    credentials.keep(row, Secret(SECRET), at=now)
    return row


@pytest.fixture
def ask(staff: Client, registration: ClientRegistration, endpoint: Endpoint) -> Callable[..., str]:
    """Presses the button, and gives what is read then."""

    def press(**fields: Any) -> str:
        sent = {"endpoint": str(endpoint.pk), **fields}
        answer = staff.post(f"/desk/registrations/{registration.pk}/try/system/", sent, follow=True)
        assert answer.status_code == 200
        return answer.content.decode()

    return press


def told(page: str) -> str:
    """The notice alone, as text."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition('role="status"')[2].partition("<form")[0]).split())


class TestThePage:
    def test_says_as_whom_and_asks_nobody_by_being_opened(
        self, staff: Client, registration: ClientRegistration, server: Server
    ) -> None:
        page = staff.get(f"/desk/registrations/{registration.pk}/try/system/").content.decode()
        assert GUID in page
        assert "client_secret_basic" in page
        assert SECRET not in page
        assert not server.requests

    def test_is_reached_from_the_trials_where_there_is_a_system_account(
        self, staff: Client, registration: ClientRegistration
    ) -> None:
        address = f"/desk/registrations/{registration.pk}/try/"
        assert f'href="{address}system/"' in staff.get(f"{address}out/").content.decode()
        ClientRegistration.objects.update(system_account=None)
        assert f'href="{address}system/"' not in staff.get(f"{address}out/").content.decode()

    @pytest.mark.parametrize(
        ("actions", "looked", "pressed"), [((), 403, 403), (("view",), 200, 403), (("change",), 200, 200)]
    )
    def test_is_for_staff_who_may(
        self,
        helper: Callable[..., Client],
        registration: ClientRegistration,
        endpoint: Endpoint,
        server: Server,
        actions: tuple[str, ...],
        looked: int,
        pressed: int,
    ) -> None:
        address, browser = f"/desk/registrations/{registration.pk}/try/system/", helper(*actions)
        assert browser.get(address).status_code == looked
        assert browser.post(address, {"endpoint": str(endpoint.pk)}).status_code == pressed
        assert len(server.requests) == (pressed == 200)

    def test_is_there_for_no_patient_and_no_stranger(
        self, registration: ClientRegistration, endpoint: Endpoint, server: Server, alice: Any
    ) -> None:
        address, patient = f"/desk/registrations/{registration.pk}/try/system/", Client()
        patient.force_login(alice, backend=BACKEND)
        for browser, status in ((Client(), 302), (patient, 404)):
            assert browser.get(address).status_code == status
            assert browser.post(address, {"endpoint": str(endpoint.pk)}).status_code == status
        assert not server.requests

    def test_has_an_address_for_each_registration(self, staff: Client, registration: ClientRegistration) -> None:
        assert staff.get(f"/desk/registrations/{GUID}/try/system/").status_code == 404

    def test_is_kept_by_no_browser(self, staff: Client, registration: ClientRegistration) -> None:
        answer = staff.get(f"/desk/registrations/{registration.pk}/try/system/")
        assert "no-store" in answer["Cache-Control"]


class TestAToken:
    def test_is_asked_for_and_only_its_scope_and_end_are_read(self, ask: Callable[..., str], server: Server) -> None:
        page = ask()
        notice = told(page)
        assert "Their server gives us system access" in notice
        assert "Granted system/Patient.read" in notice
        assert "It would have been good until" in notice
        assert len(server.requests) == 1
        sent = server.requests[0].headers["authorization"].partition(" ")[2]
        for canary in (ACCESS, SECRET, sent):
            assert canary not in page

    def test_is_written_down_with_who_asked(
        self, ask: Callable[..., str], endpoint: Endpoint, stella: Any, registration: ClientRegistration
    ) -> None:
        ask()
        event = AuditEvent.objects.get(event="registration.tried")
        assert (event.actor_kind, event.actor_id, event.subject_id) == ("staff", stella.pk, str(registration.pk))
        assert event.facts == {"action": "system access tried", "endpoint_id": str(endpoint.pk)}

    def test_that_is_refused_says_whose_turn_it_is_and_nothing_of_what_was_sent(
        self, ask: Callable[..., str], server: Server
    ) -> None:
        def echo(request: Recorded) -> list[bytes]:
            said = f"{request.headers['authorization']} {SECRET}"
            return [http(401, {"error": "invalid_client", "error_description": said, "error_uri": said})]

        server.answer = echo
        page = ask()
        assert "No system access" in told(page)
        assert "does not know the system account" in told(page)
        assert "Your turn." in told(page)
        sent = server.requests[0].headers["authorization"].partition(" ")[2]
        assert SECRET not in page
        assert sent not in page

    def test_is_not_asked_for_where_something_is_missing(self, ask: Callable[..., str], server: Server) -> None:
        SystemAccount.objects.update(status="requested")
        assert "Its system account is not approved. Your turn." in told(ask())
        assert not server.requests

    def test_is_not_asked_for_at_an_endpoint_of_others(
        self, ask: Callable[..., str], make_endpoint: Callable[..., Endpoint], server: Server
    ) -> None:
        foreign = make_endpoint("smart", name="Mill", host="mill.example.org")
        for given in (str(foreign.pk), GUID, "", "x"):
            page = ask(endpoint=given)
            assert "Choose one of these endpoints." in page
        assert not server.requests

    def test_is_not_asked_for_where_another_registration_serves_it_now(
        self, ask: Callable[..., str], registration: ClientRegistration, server: Server
    ) -> None:
        ClientRegistration.objects.update(status="retired")
        assert "does not serve that endpoint any more" in ask()
        assert not server.requests

    def test_waits_for_no_provider_where_many_wait_already(
        self, ask: Callable[..., str], endpoint: Endpoint, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(waiting_room, "ROOM", waiting_room.WaitingRoom(seats=0, seats_for_one=0))
        assert "Press the button again in a few seconds." in ask()
        assert not server.requests

    def test_survives_a_key_of_ours_that_is_gone(
        self, ask: Callable[..., str], registration: ClientRegistration, server: Server
    ) -> None:
        sealed = bytes(ClientRegistration.objects.get().sealed_secret or b"")
        ClientRegistration.objects.update(sealed_secret=sealed[:-1] + bytes([sealed[-1] ^ 1]))
        assert "could not be opened" in told(ask())
        assert not server.requests


KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, WireError)]


class TestWords:
    @pytest.mark.parametrize("code", [*Code, *(error_codes.code(kind()) for kind in KINDS), "a-word-nobody-knows"])
    def test_are_there_for_every_answer(self, code: str) -> None:
        failure = system_trials.failure_of(code)
        assert str(failure.sentence)
        assert str(failure.advice)
        assert failure.turn
