"""A user with everything that an account can have, and all rows of the database as text, to find what is left of it."""

from allauth.mfa.models import Authenticator
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import connection as database
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Breach, BreachNotice, User
from apps.connections.authorization_responses import candidates
from apps.connections.models import AuthorizationRequest, Connection
from apps.directory.models import Endpoint
from apps.directory.searching import wishing
from apps.records import syncing
from apps.records.models import Attachment, PendingRead, QuarantinedRow, SyncRun
from apps.sharing.models import FileOpening
from apps.wire.fhir import Resource
from tests.fixtures.cast import PASSWORD
from tests.fixtures.consent import agree
from tests.records.linked import give_tokens, make_connection
from tests.records.people import R4_PATIENT
from tests.records.provider import PATIENT, Provider
from tests.sharing import giving
from tests.wire.servers import http

Rows = dict[str, list[str]]


def rows() -> Rows:
    """Every row of every table as text."""
    found: Rows = {}
    with database.cursor() as cursor:
        for table in database.introspection.table_names(cursor):
            cursor.execute(f'SELECT t::text FROM "{table}" AS t')
            found[table] = sorted(row[0] for row in cursor.fetchall())
    return found


def sign_in(user: User) -> Client:
    """A browser in which they signed in, and gave the password once more."""
    client = Client()
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return client


def link(user: User, endpoint: Endpoint, provider: Provider) -> Connection:
    """A connection with tokens, three records and one earlier version."""
    connection = make_connection(user, endpoint)
    give_tokens(connection, issued_at=timezone.now())
    for gender in ("female", "other"):
        provider.answers[PATIENT] = http(body={**R4_PATIENT, "gender": gender})
        run = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        syncing.advance(run.pk, at=timezone.now())
    return connection


def give_everything(user: User, staff: User, endpoint: Endpoint, provider: Provider) -> Client:
    """Whatever can hang on an account; returns a browser in which they are signed in. A second one is, too."""
    agree(user)
    linked = link(user, endpoint, provider)
    now = timezone.now()
    waiting = make_connection(
        user, endpoint, status="awaiting_confirmation", fhir_patient_id="", confirmed_at=None, confirm_by_at=now
    )
    people = candidates.read_candidates([Resource("Patient", "p-1", b'{"name": [{"text": "Tam Quillfeather"}]}')])
    waiting.sealed_candidates = candidates.seal(waiting, people)
    waiting.save()
    give_tokens(waiting, issued_at=now)
    AuthorizationRequest.objects.create(
        user=user, endpoint=endpoint, provider=linked.provider, registration=linked.registration, created_at=now,
        expires_at=now, state_hash=user.pk.bytes * 2, browser_hash=user.pk.bytes * 2, sealed_pkce_verifier=b"sealed",
    )  # fmt: skip
    record, run = linked.records.earliest("pk"), linked.sync_runs.earliest("created_at")
    mine = {"user": user, "connection": linked, "digest": user.pk.bytes * 2}
    Attachment.objects.create(record=record, sealed_content=b"sealed", fetched_at=now, **mine)
    QuarantinedRow.objects.create(run=run, resource_type="Goal", sealed_body=b"sealed", received_at=now, **mine)
    PendingRead.objects.create(run=run, resource_type="Practitioner", logical_id="d-1")
    LogEntry.objects.create(
        user=staff,
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(user.pk),
        object_repr=str(user),
        action_flag=2,
    )
    shared = giving.share_of(user, linked)
    giving.enter(Client(), shared)
    FileOpening.objects.create(opening=shared.openings.get(), file_hash=user.pk.bytes * 2, at=now)
    breach, _was_made = Breach.objects.get_or_create(defaults={"announced_at": now})
    BreachNotice.objects.create(breach=breach, user=user)
    wishing.note(user, linked.provider, at=now)
    wishing.note_by_name(user, "Corner Practice", "Salem", at=now)
    browser, _other = sign_in(user), sign_in(user)
    Client().post(reverse("account_login"), {"login": user.email.upper(), "password": "wrong"})
    Authenticator.objects.create(user=user, type="webauthn", data={"name": f"phone of {user.first_name}"})
    return browser
