"""System access: when a token is requested, as whom, what of the answer counts, and what nobody can read of it."""

import io
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection as database

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import credentials, registering, rotating, signing, system_access
from apps.directory.models import ClientRegistration, Endpoint, SystemAccount
from apps.directory.registering import Terms
from apps.directory.system_access import NoSystemAccess
from apps.wire.errors import ClientRejected, Code, RequestRefused, UnexpectedAnswer
from apps.wire.secret import Secret
from tests.directory.conftest import AT
from tests.directory.system_deployment import ACCESS, ANSWER, GUID, SCOPES, SECRET, ask, endpoint, registration, server
from tests.fixtures import signatures
from tests.wire.servers import Recorded, http

__all__ = ["endpoint", "registration", "server"]  # fixtures

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")


@pytest.fixture
def with_key(registration: ClientRegistration) -> ClientRegistration:
    """The same registration, which signs."""
    key = signing.make("ES384", actor=ACTOR, at=AT)
    ClientRegistration.objects.update(authentication="private_key_jwt", signing_key=key, sealed_secret=None)
    registration.refresh_from_db()
    return registration


def assertion_of(request: Recorded) -> tuple[dict[str, Any], dict[str, Any]]:
    scheme, _, inside = request.headers.get("authorization", "").partition(" ")
    token = inside if scheme == "Bearer" else dict(request.form)["client_assertion"]
    key = ClientRegistration.objects.get().signing_key
    assert key is not None
    return signatures.verified(token, key.public_jwk)


class TestAToken:
    def test_is_asked_for_as_the_system_account(self, endpoint, server):
        token = ask(endpoint)
        assert token.access_token == Secret(ACCESS)
        assert (token.scope, token.expires_at) == (SCOPES, AT + timedelta(seconds=570))
        (request,) = server.requests
        assert request.headers["authorization"].startswith("Basic ")
        assert dict(request.form) == {"grant_type": "client_credentials", "scope": " ".join(SCOPES)}

    def test_is_signed_for_in_the_header_unless_staff_say_otherwise(self, endpoint, server, with_key):
        ask(endpoint)
        registering.set_terms(with_key, Terms(system_authentication="private_key_jwt"), actor=ACTOR, at=AT)
        ask(endpoint)
        registering.set_terms(with_key, Terms(system_authentication=""), actor=ACTOR, at=AT)
        ask(endpoint)
        assert ["authorization" in request.headers for request in server.requests] == [True, False, True]
        for request in server.requests:
            _, claims = assertion_of(request)
            assert (claims["iss"], claims["sub"], claims["aud"]) == (GUID, GUID, server.url("/token"))

    @pytest.mark.parametrize("way", ["bearer_jwt", "private_key_jwt"])
    def test_can_be_signed_for_though_people_s_tokens_are_had_with_a_secret(self, endpoint, server, registration, way):
        key = signing.make("RS384", actor=ACTOR, at=AT)
        chosen = Terms(system_authentication=way, signing_key=key)
        registering.set_terms(registration, chosen, actor=ACTOR, at=AT)
        ask(endpoint)
        assert assertion_of(server.requests[0])[0]["alg"] == "RS384"
        assert credentials.client(ClientRegistration.objects.get()).authentication == "client_secret_basic"

    def test_holds_what_was_granted_and_no_refresh_token(self, endpoint, server):
        answer = {**ANSWER, "scope": "system/Patient.read", "refresh_token": "canary-refresh", "patient": "1"}
        server.answer = lambda _request: [http(200, answer)]
        token = ask(endpoint)
        assert token.scope == ("system/Patient.read",)
        assert "canary" not in f"{token!r} {token} {vars(token)}"
        assert not hasattr(token, "refresh_token")

    @pytest.mark.parametrize(
        ("told", "seconds"),
        [({}, 300), ({"expires_in": 86_400}, 600), ({"expires_in": 60}, 60), ({"expires_in": 0}, 300)],
    )
    def test_is_never_believed_to_live_longer_than_ten_minutes(self, endpoint, server, told, seconds):
        answer = {**{name: value for name, value in ANSWER.items() if name != "expires_in"}, **told}
        server.answer = lambda _request: [http(200, answer)]
        assert ask(endpoint).expires_at == AT + timedelta(seconds=seconds)

    def test_is_for_what_was_asked_where_nobody_says_otherwise(self, endpoint, server):
        server.answer = lambda _request: [http(200, {**ANSWER, "scope": None})]
        assert ask(endpoint, ["system/Goal.read", "system/Goal.read"]).scope == ("system/Goal.read",)

    @pytest.mark.parametrize("scope", ["patient/Patient.read", "system/Patient.read openid", "offline_access", ""])
    def test_for_anything_else_is_not_taken(self, endpoint, server, scope):
        server.answer = lambda _request: [http(200, {**ANSWER, "scope": scope})]
        with pytest.raises(UnexpectedAnswer):
            ask(endpoint)

    def test_is_asked_for_anew_each_time(self, endpoint, server):
        ask(endpoint)
        ask(endpoint)
        assert len(server.requests) == 2

    @pytest.mark.parametrize("scopes", [(), ("patient/Patient.read",), (*SCOPES, "online_access")])
    def test_is_for_systems_alone(self, endpoint, server, scopes):
        with pytest.raises(RequestRefused):
            ask(endpoint, scopes)
        assert not server.requests

    def test_that_is_refused_ends_no_link_and_shuts_nobody_out(self, endpoint, server, registration):
        """It is the account's proof that was refused: patients come with another client id."""
        server.answer = lambda _request: [http(401, {"error": "invalid_client"})]
        with pytest.raises(ClientRejected) as refused:
            ask(endpoint)
        assert refused.value.code is Code.INVALID_CLIENT
        registration.refresh_from_db()
        assert registration.trouble == ""


def _row(model: Any, **columns: Any) -> Callable[[], object]:
    return lambda: model.objects.update(**columns)


MISSING = {
    "no account": _row(ClientRegistration, system_account=None),
    "an account that waits": _row(SystemAccount, status="requested"),
    "an account that was rejected": _row(SystemAccount, status="rejected"),
    "an account without its id": _row(SystemAccount, account_id=""),
    "no secret": _row(ClientRegistration, sealed_secret=None),
    "no key": _row(ClientRegistration, authentication="private_key_jwt"),
    "no key for what staff chose": _row(ClientRegistration, system_authentication="bearer_jwt"),
    "a registration that is not approved": _row(ClientRegistration, status="provisional"),
    "a registration that is over": _row(ClientRegistration, status="retired"),
    "no registration": lambda: ClientRegistration.objects.all().delete(),
    "a registration that is off": _row(ClientRegistration, is_switched_on=False),
    "a version that was not added": _row(ClientRegistration, versions_added=["dstu2"]),
    "an endpoint that is off": _row(Endpoint, is_switched_on=False),
    "an endpoint nobody has looked at": _row(Endpoint, is_stranger=True),
    "an endpoint that vanished": _row(Endpoint, vanished_at=AT),
    "an endpoint without addresses": _row(Endpoint, authorization_server=None),
    "an interface without system access": _row(Endpoint, interface="patient-access", dialect="patient-access"),
    "a dialect of another release": _row(Endpoint, dialect="of-tomorrow"),
}


class TestWhatIsMissing:
    @pytest.mark.parametrize("take_away", MISSING.values(), ids=MISSING.keys())
    def test_is_said_to_staff_and_nobody_is_asked(self, endpoint, server, take_away):
        take_away()
        with pytest.raises(NoSystemAccess) as missing:
            ask(endpoint)
        assert str(missing.value).endswith(".")
        assert (missing.value.__cause__, bool(missing.value.__suppress_context__ or not missing.value.__context__)) == (
            None,
            True,
        )
        assert not server.requests

    @pytest.mark.parametrize(
        "columns", [{"trouble": "invalid_client", "trouble_at": AT}, {"client_id": ""}, {"sealed_secret": None}]
    )
    def test_for_patients_is_no_matter_of_systems(self, endpoint, server, with_key, columns):
        ClientRegistration.objects.update(**columns)
        assert ask(endpoint).scope == SCOPES


class TestACheck:
    def test_gives_scope_and_end_and_drops_the_token(self, endpoint):
        granted = system_access.check(endpoint, scopes=SCOPES, actor=ACTOR, at=AT)
        assert granted == system_access.Granted(SCOPES, AT + timedelta(seconds=570))
        assert "canary" not in repr(vars(granted))

    def test_leaves_who_tried_it_and_how_it_ended_in_the_audit_log(self, endpoint, server, registration):
        system_access.check(endpoint, scopes=SCOPES, actor=ACTOR, at=AT)
        server.answer = lambda _request: [http(401, {"error": "invalid_client"})]
        with suppress(ClientRejected):
            system_access.check(endpoint, scopes=SCOPES, actor=ACTOR, at=AT)
        SystemAccount.objects.update(status="rejected")
        with suppress(NoSystemAccess):
            system_access.check(Endpoint.objects.get(), scopes=SCOPES, actor=ACTOR, at=AT)
        events = AuditEvent.objects.filter(event="registration.tried").order_by("pk")
        common = {"action": "system access tried", "endpoint_id": str(endpoint.pk)}
        assert [event.facts for event in events] == [
            common, {**common, "code": "invalid_client"}, {**common, "code": "not_asked"}
        ]  # fmt: skip
        assert {event.subject_id for event in events} == {str(registration.pk)}


def run(*arguments: str) -> tuple[list[str], str]:
    """What it printed, line by line, and what it failed with."""
    out = io.StringIO()
    try:
        call_command("system_token", *arguments, stdout=out, stderr=out)
    except CommandError as failure:
        return out.getvalue().splitlines(), str(failure)
    return out.getvalue().splitlines(), ""


class TestTheCommand:
    def test_prints_scope_and_expiry_and_never_the_token(self, endpoint, server):
        lines, failure = run("--endpoint", endpoint.fhir_base_url, "--check")
        assert failure == ""
        assert lines[:4] == [
            f"asks {server.url('/token')}",
            f"as {GUID}, by client_secret_basic",
            "for system/Patient.read",
            "granted system/Patient.read system/Observation.read",
        ]
        assert lines[4].startswith("until 20")
        assert lines[4].endswith(" UTC")
        assert "canary" not in " ".join(lines)

    def test_sends_nothing_unless_it_is_told_to(self, endpoint, server):
        lines, failure = run("--endpoint", endpoint.fhir_base_url)
        assert (len(lines), failure) == (3, "")
        assert not server.requests
        assert not AuditEvent.objects.filter(event="registration.tried").exists()

    def test_asks_for_what_it_is_told_to(self, endpoint, server):
        run("--endpoint", endpoint.fhir_base_url, "--check", "--scope", "system/Goal.rs", "--scope", "system/Goal.read")
        assert dict(server.requests[0].form)["scope"] == "system/Goal.rs system/Goal.read"

    def test_writes_scopes_as_the_registration_does(self, endpoint):
        ClientRegistration.objects.update(smart_version="v2")
        assert run("--endpoint", endpoint.fhir_base_url)[0][2] == "for system/Patient.rs"

    def test_fails_with_a_sentence_where_something_is_missing(self, endpoint):
        SystemAccount.objects.update(status="requested")
        lines, failure = run("--endpoint", endpoint.fhir_base_url, "--check")
        assert (lines, failure) == ([], "no system access: Its system account is not approved.")

    def test_fails_with_what_they_called_it_where_they_refuse(self, endpoint, server):
        server.answer = lambda _request: [http(401, {"error": "invalid_client", "error_description": SECRET})]
        _, failure = run("--endpoint", endpoint.fhir_base_url, "--check")
        assert failure.startswith("refused (invalid_client): ")
        assert "canary" not in failure

    @pytest.mark.parametrize("scope", ["patient/Patient.read", "system/patient.read", "openid", ""])
    def test_says_that_nobody_refused_what_it_did_not_ask(self, endpoint, server, scope):
        _, failure = run("--endpoint", endpoint.fhir_base_url, "--check", "--scope", scope)
        assert failure == "not asked: a scope of a system is written like system/Patient.read"
        assert not server.requests

    def test_knows_the_directory_alone(self, endpoint, server):
        _, failure = run("--endpoint", server.url("/elsewhere"), "--check")
        assert failure.startswith("The directory has no endpoint of this address or name:")
        assert not server.requests


def everything_stored() -> str:
    with database.cursor() as cursor:
        rows = []
        for table in database.introspection.table_names(cursor):
            cursor.execute(f'SELECT t::text FROM "{table}" AS t')
            rows += [row[0] for row in cursor.fetchall()]
    return "\n".join(rows)


class TestCanaries:
    @pytest.mark.parametrize("status", [200, 401, 500])
    @pytest.mark.parametrize("is_signed", [False, True])
    def test_of_a_token_are_stored_logged_and_said_nowhere(
        self, endpoint, server, request, caplog, capsys, status, is_signed
    ):
        if is_signed:
            request.getfixturevalue("with_key")

        def echo(received: Recorded) -> list[bytes]:
            whole = f"{received.headers.get('authorization')} {received.body.decode()} {ACCESS}"
            refusal = {"error": "invalid_client", "error_description": whole}
            return [http(status, ANSWER if status == 200 else refusal)]

        server.answer = echo
        with caplog.at_level(logging.DEBUG):
            lines, failure = run("--endpoint", endpoint.fhir_base_url, "--check")
        printed = capsys.readouterr()
        assert bool(failure) == (status != 200)
        sent = server.requests[0].headers["authorization"].partition(" ")[2]
        told = [*lines, failure, caplog.text, printed.out, printed.err, everything_stored()]
        for canary in (ACCESS, SECRET, sent, sent.partition(".")[2] or sent):
            assert canary not in "\n".join(told)
            assert canary.encode().hex() not in "\n".join(told)


class TestRegisterClient:
    def test_says_how_the_system_account_proves_itself(self, endpoint, registration, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        here = ("register_client", "--authorization-server", endpoint.authorization_server.authorize_url)
        call_command(*here, "--system-authentication", "bearer_jwt", stdout=io.StringIO())
        registration.refresh_from_db()
        assert registration.system_authentication == "bearer_jwt"
        assert registration.signing_key is not None
        assert registration.authentication == "client_secret_basic"
        call_command(*here, stdout=io.StringIO())
        registration.refresh_from_db()
        assert registration.system_authentication == "bearer_jwt"
        call_command(*here, "--system-authentication", "usual", stdout=io.StringIO())
        registration.refresh_from_db()
        assert registration.system_authentication == ""


class TestRotation:
    def test_waits_for_staff_where_only_the_system_signs_too(self, registration):
        old = signing.make("ES384", actor=ACTOR, at=AT - timedelta(days=200))
        chosen = Terms(system_authentication="bearer_jwt", signing_key=old, key_set_is_fetched=False)
        registering.set_terms(registration, chosen, actor=ACTOR, at=AT)
        assert rotating.waiting_for_staff() == []
        signing.make("ES384", actor=ACTOR, at=AT)
        assert rotating.waiting_for_staff() == [registration]
        registering.set_terms(registration, Terms(system_authentication=""), actor=ACTOR, at=AT)
        assert rotating.waiting_for_staff() == []
