"""A sealed value in every sealed column, for one person and for the installation, and how to read all of them."""

import uuid
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.db import models
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.recording import Actor
from apps.connections import revoking
from apps.connections.authorization_requests import launching, request_columns
from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.grants import launch_context
from apps.connections.grants.launch_context import LaunchContext
from apps.connections.models import (
    AuthorizationRequest,
    Connection,
    PendingLaunch,
    PendingRevocation,
    StoredTokenSet,
)
from apps.connections.refreshing import token_columns
from apps.directory import credentials, signing
from apps.directory.models import ClientRegistration, Endpoint, SigningKey
from apps.records import bodies, places, shelving
from apps.records.attachments import storing
from apps.records.models import Attachment, QuarantinedRow, Record, RecordVersion, SyncStep
from apps.records.syncing.paging import cursors, staged_pages
from apps.records.syncing.paging.cursors import Cursor
from apps.records.syncing.received_rows import quarantining
from apps.vault import sealing
from apps.vault.holders import Holder
from apps.wire.fhir import Resource
from apps.wire.secret import Secret
from tests.portal import leavers
from tests.records.attachments.filing import hold, linked_to
from tests.records.linked import AT, give_tokens, make_connection
from tests.records.provider import Provider
from tests.sharing import giving

LETTER = linked_to("document/pdf-1")
STRANGE = Resource("Goal", "g-1", b'{"resourceType":"Goal","id":"g-1"}')


def fill(user: User, endpoint: Endpoint, provider: Provider) -> Connection:
    """The connection that most of it belongs to."""
    linked = leavers.link(user, endpoint, provider)
    linked.sealed_context = launch_context.seal(linked, LaunchContext(fhir_user="Patient/p-7301", encounter="e-1"))
    linked.save()
    waiting = make_connection(
        user, endpoint, status="awaiting_confirmation", fhir_patient_id="", confirmed_at=None, confirm_by_at=AT
    )
    waiting.sealed_candidates = candidates.seal(waiting, [Candidate("p-1", "Tam Quillfeather", "1999")])
    waiting.save()
    give_tokens(waiting)
    _fill_requests(linked)
    _fill_records(linked)
    share = giving.share_of(user, linked)
    giving.give(Client(), share, giving.wrong_for(share))
    giving.enter(Client(), share)
    _fill_installation(linked)
    return linked


def _fill_requests(linked: Connection) -> None:
    request_id = uuid.uuid4()
    AuthorizationRequest.objects.create(
        id=request_id,
        user=linked.user,
        endpoint=linked.endpoint,
        provider=linked.provider,
        registration=linked.registration,
        created_at=AT,
        expires_at=AT,
        state_hash=request_id.bytes * 2,
        browser_hash=request_id.bytes * 2,
        sealed_pkce_verifier=request_columns.seal(
            linked.user_id, request_id, "sealed_pkce_verifier", Secret("verifier")
        ),
        sealed_launch=request_columns.seal(linked.user_id, request_id, "sealed_launch", Secret("launch")),
    )


def _fill_records(linked: Connection) -> None:
    record = hold(linked, LETTER, subject={"reference": "Patient/p-7301"})
    storing.keep(record, LETTER, b"%PDF-1.4 a letter", at=AT)
    shelving.rebuild_all(linked, at=timezone.now())
    run = linked.sync_runs.earliest("created_at")
    step = run.steps.earliest("pk")
    with sealing.key_ring(Holder.user(linked.user_id)) as ring:
        quarantining.keep(run, [STRANGE], ring=ring, at=AT)
        step.sealed_cursor = cursors.sealed(Cursor(), step, ring)
        step.sealed_page = staged_pages.sealed([STRANGE], step, ring)
    step.save()


def _fill_installation(linked: Connection) -> None:
    ours, at = Holder.installation(), {"created_at": AT, "registration": linked.registration}
    launch = PendingLaunch(endpoint=linked.endpoint, browser_hash=b"b", launch_hash=b"l", expires_at=AT, **at)
    launch.sealed_launch = sealing.seal(b"launch", holder=ours, place=launching.place_of(launch.pk))
    launch.save()
    told = PendingRevocation(
        user_id=linked.user_id, provider=linked.provider, endpoint=linked.endpoint, try_at=AT, **at
    )
    told.sealed_token = sealing.seal(b"token", holder=ours, place=revoking.place_of(told))
    told.save()
    signing.make(actor=Actor.system("test"), at=AT)
    sealed = get_adapter().encrypt
    Authenticator.objects.create(user=linked.user, type="totp", data={"secret": sealed("JBSWY3DP")})
    codes = {"seed": sealed("5eed"), "used_mask": 5, "migrated_codes": [sealed("11112222"), sealed("33334444")]}
    Authenticator.objects.create(user=linked.user, type="recovery_codes", data=codes)


def columns() -> Iterator[tuple[type[models.Model], str]]:
    """Every column that is sealed under a data key, by its name alone, and not by who renews them."""
    for model in apps.get_models():
        for name in (field.name for field in model._meta.concrete_fields if field.name.startswith("sealed_")):
            if model._meta.label != "accounts.Session":  # under a key that the browser alone has
                yield model, name
    yield Authenticator, "data"


def values() -> dict[str, list[bytes]]:
    """What each of them holds, of everybody."""
    found: dict[str, list[bytes]] = {}
    for model, name in columns():
        held = model._default_manager.order_by("pk").values_list(name, flat=True)
        found[f"{model._meta.label}.{name}"] = [part for value in held for part in _parts(value)]
    return found


def _parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _parts(part)
    elif isinstance(value, str):
        yield b64decode(value)
    elif isinstance(value, bytes | memoryview):
        yield bytes(value)


def sealed_keys() -> dict[str, set[bytes]]:
    """By which keys the values of each column say they are sealed."""
    return {name: {value[1:5] for value in held} for name, held in values().items()}


def readings(user: User) -> dict[str, list[Any]]:
    """Everything, opened as the product opens it, of this person and of the installation."""
    mine = {"user_id": user.pk}
    links = Connection.objects.filter(**mine).order_by("pk")
    tokens = StoredTokenSet.objects.filter(connection__user=user).order_by("pk")
    requests = AuthorizationRequest.objects.filter(**mine).order_by("pk")
    with sealing.key_ring(Holder.user(user.pk)) as ring:
        return {
            "people": [(candidates.find(link), candidates.find_people(user.pk, [link])) for link in links],
            "contexts": [launch_context.find(link) for link in links],
            "access tokens": [token_columns.access_token(held.connection, held).reveal() for held in tokens],
            "refresh tokens": [_revealed(token_columns.refresh_token(held.connection, held)) for held in tokens],
            "verifiers": [_revealed(request_columns.pkce_verifier(request)) for request in requests],
            "launches": [_revealed(request_columns.launch(request)) for request in requests],
            "records": [bodies.of(record, ring) for record in Record.objects.filter(**mine).order_by("pk")],
            "versions": [bodies.find_of(row, ring) for row in RecordVersion.objects.filter(**mine).order_by("pk")],
            "strange": [_strange(row, ring) for row in QuarantinedRow.objects.filter(**mine)],
            "files": [storing.find(row.record, LETTER) for row in Attachment.objects.filter(**mine)],
            "copies": [one.content for link in links for one in storing.all_of(link.pk, user.pk, ring)],
            "cursors": [cursors.opened(step, ring) for step in SyncStep.objects.filter(**mine).order_by("pk")],
            "pages": [staged_pages.opened(step, ring) for step in SyncStep.objects.filter(**mine).order_by("pk")],
            "shelves": [shelving.patients(link) for link in links],
            "unreadable": [shelving.unreadable(link) for link in links],
            **_readings_of_the_installation(),
        }


def _strange(row: QuarantinedRow, ring: sealing.KeyRing) -> bytes:
    place = places.quarantine_place(run_id=row.run_id, resource_type=row.resource_type)
    return ring.open_body(bytes(row.sealed_body), place=place)


def _revealed(secret: Secret | None) -> str | None:
    return secret.reveal() if secret is not None else None


def _readings_of_the_installation() -> dict[str, list[Any]]:
    ours, opened = Holder.installation(), get_adapter().decrypt
    return {
        "secrets": [credentials._open(row, None) for row in ClientRegistration.objects.order_by("pk")],
        "signing keys": [
            sealing.open_sealed(bytes(row.sealed_private_jwk or b""), holder=ours, place=signing.place_of(row.kid))
            for row in SigningKey.objects.order_by("pk")
        ],
        "arrivals": [
            sealing.open_sealed(bytes(row.sealed_launch or b""), holder=ours, place=launching.place_of(row.pk))
            for row in PendingLaunch.objects.order_by("pk")
        ],
        "dead tokens": [_revealed(revoking._open(row)) for row in PendingRevocation.objects.order_by("pk")],
        "second steps": [
            [opened(part) for part in _texts(row.data)]
            for row in Authenticator.objects.exclude(type="webauthn").order_by("pk")
        ],
    }


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
    elif isinstance(value, str):
        yield value
