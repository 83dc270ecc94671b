"""Begin a trial: check what the provider publishes, which needs no sign-in."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.connections.models import Trial
from apps.connections.trials import results, terms
from apps.connections.trials.results import Note, Notes, Step
from apps.directory import pinning, served_endpoints
from apps.directory.models import ClientRegistration, Endpoint, EndpointCheck, Provider
from apps.directory.monitoring import checking
from apps.wire.dialects import Interface

Finding = EndpointCheck.Finding

# Which findings of a check belong to which step; all others belong to the addresses step.
OF_DISCOVERY = frozenset({
    Finding.NO_SMART_CONFIGURATION,
    Finding.ADDRESSES_MOVED,
    Finding.NOT_ENABLED,
    Finding.NOT_DISCOVERED,
})  # fmt: skip
OF_METADATA = frozenset({
    Finding.INTERFACE_NOT_SPOKEN,
    Finding.NO_ANSWER,
    Finding.REDIRECTED,
    Finding.TOO_LARGE,
    Finding.NO_METADATA,
    Finding.UNKNOWN_VERSION,
    Finding.OTHER_VERSION,
    Finding.NOTHING_OFFERED,
})  # fmt: skip
OF_ADDRESSES = frozenset(Finding) - OF_DISCOVERY - OF_METADATA


PRESSED_TWICE_WITHIN = timedelta(seconds=10)


class NotServed(Exception):
    """The registration does not serve this endpoint, or the endpoint has no listed provider."""


def begin(registration: ClientRegistration, endpoint: Endpoint, *, staff_id: UUID, at: datetime) -> Trial:
    """Make a trial with the results of the steps that need no sign-in. Raises NotServed.

    Takes a minute at most. Speaks to the network: call it outside transactions.
    """
    provider = provider_of(endpoint)
    if provider is None or not served_endpoints.serves(registration, endpoint):
        raise NotServed
    begun_with = terms.of(registration)
    check = checking.check(endpoint, at=at, actor=Actor.staff(staff_id))
    endpoint.refresh_from_db()
    notes = Notes(at=at)
    _note_discovery(endpoint, check, notes)
    _note_metadata(check, notes)
    _note_addresses(registration, endpoint, check, notes)
    with transaction.atomic():
        ClientRegistration.objects.select_for_update(no_key=True).get(pk=registration.pk)  # a double submit waits here
        twin = just_begun(registration, endpoint, staff_id=staff_id, at=at)
        if twin is not None:
            return twin
        trial = Trial.objects.create(
            staff_id=staff_id,
            registration=registration,
            endpoint=endpoint,
            provider=provider,
            began_at=at,
            terms=begun_with,
            results=results.stored(notes.results),
        )
        note(trial, "trial begun", at=at)
    return trial


def just_begun(registration: ClientRegistration, endpoint: Endpoint, *, staff_id: UUID, at: datetime) -> Trial | None:
    """The trial that this member of staff began there a moment ago and did not take further, so that a double submit
    finds the first one's."""
    rows = Trial.objects.filter(registration=registration, endpoint=endpoint, staff_id=staff_id)
    fresh = rows.filter(began_at__gt=at - PRESSED_TWICE_WITHIN, left_at__isnull=True, ended_at__isnull=True)
    return fresh.filter(terms=terms.of(registration)).order_by("-began_at").first()


def provider_of(endpoint: Endpoint) -> Provider | None:
    """The provider under whose name it is tried: the first one, if several share the endpoint."""
    return endpoint.providers.filter(vanished_at__isnull=True).order_by("name", "pk").first()


def note(trial: Trial, action: str, *, at: datetime, code: str = "") -> None:
    """Record an audit event about the trial, by whoever began it, with its registration as the subject."""
    facts: dict[str, str | int | bool] = {Fact.ACTION: action, Fact.ENDPOINT_ID: str(trial.endpoint_id)}
    if code:
        facts[Fact.CODE] = code
    recording.record(
        EventType.REGISTRATION_TRIED,
        actor=Actor.staff(trial.staff_id),
        at=at,
        subject="client registration",
        subject_id=str(trial.registration_id),
        facts=facts,
    )


def _note_discovery(endpoint: Endpoint, check: EndpointCheck, notes: Notes) -> None:
    """Interface B publishes where patients sign in; the addresses of A were entered by staff or a list."""
    faults = _among(check.faults, OF_DISCOVERY)
    if faults:
        notes.failed(Step.DISCOVERY, faults[0], names=faults)
    elif endpoint.interface != Interface.SMART:
        notes.passed(Step.DISCOVERY, Note.CONFIGURED)
    elif endpoint.discovered_at == check.checked_at:
        notes.passed(Step.DISCOVERY)
    else:
        notes.skipped(Step.DISCOVERY, Note.NOT_ASKED)


def _note_metadata(check: EndpointCheck, notes: Notes) -> None:
    """If the host had a problem, nothing more was requested from it."""
    faults, warnings = _among(check.faults, OF_METADATA), _among(check.warnings, OF_METADATA)
    if faults:
        notes.failed(Step.METADATA, faults[0], names=faults)
    elif _among(check.faults, OF_ADDRESSES - {Finding.NO_SIGN_IN}):
        notes.skipped(Step.METADATA, Note.NOT_ASKED)
    elif warnings:
        notes.noticed(Step.METADATA, warnings[0], names=warnings)
    else:
        notes.passed(Step.METADATA, count=len(check.types))


def _note_addresses(registration: ClientRegistration, endpoint: Endpoint, check: EndpointCheck, notes: Notes) -> None:
    server = endpoint.authorization_server
    faults, warnings = _among(check.faults, OF_ADDRESSES), _among(check.warnings, OF_ADDRESSES)
    if server is not None and not pinning.knows(registration, server):
        notes.failed(Step.ADDRESSES, Note.ELSEWHERE)
    elif faults:
        notes.failed(Step.ADDRESSES, faults[0], names=faults)
    elif warnings:
        notes.noticed(Step.ADDRESSES, warnings[0], names=warnings)
    elif check.certificates:
        notes.passed(Step.ADDRESSES)
    else:
        notes.passed(Step.ADDRESSES, Note.NO_CERTIFICATE)


def _among(found: Collection[str], those: Collection[str]) -> list[str]:
    return [name for name in found if name in those]
