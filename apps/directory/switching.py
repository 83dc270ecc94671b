"""Switches: one for each client registration and one for each endpoint. Off stops linking, refreshing and syncing.

It works at once: nothing new begins there, a running sync stops before its next request, and a sign-in in progress ends
with a page that says so. Nothing is lost: tokens and copies stay, and runs continue where they stopped once it is on
again. Permissions that patients end are still revoked at the provider.
"""

from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor
from apps.directory import endpoint_events, registration_changes, trusting
from apps.directory.models import ClientRegistration, Endpoint


def switch_registration(registration: ClientRegistration, *, is_on: bool, actor: Actor, at: datetime) -> None:
    """Switch a registration, with everything that uses it. When it is switched on, hosts that staff have not reviewed
    stay off (`trusting`). Calling it again changes nothing."""
    with registration_changes.locked(registration) as row:
        if row.is_switched_on == is_on:
            return
        row.is_switched_on, row.switched_off_at = is_on, None if is_on else at
        row.save(update_fields=["is_switched_on", "switched_off_at"])
        registration_changes.note(row, "switched on" if is_on else "switched off", actor=actor, at=at)
        if is_on:
            trusting.estrange_unseen(row, actor=actor, at=at)


def switch_endpoint(endpoint: Endpoint, *, is_on: bool, actor: Actor, at: datetime) -> None:
    """Switch one endpoint, for all registrations. Calling it again changes nothing."""
    with transaction.atomic():
        row = Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)  # new links need not wait
        if row.is_switched_on != is_on:
            row.is_switched_on, row.switched_off_at = is_on, None if is_on else at
            if is_on:  # whoever switches it on has reviewed its host
                row.is_stranger, row.host_seen_at = False, at
            row.save(update_fields=["is_switched_on", "switched_off_at", "is_stranger", "host_seen_at"])
            endpoint_events.note_endpoint(row.pk, "switched on" if is_on else "switched off", actor=actor, at=at)
    endpoint.refresh_from_db()


def is_on(endpoint: Endpoint, registration: ClientRegistration) -> bool:
    """Whether both are on, as they are loaded."""
    return endpoint.is_switched_on and registration.is_switched_on
