"""What granted scopes permit at a FHIR root (specification 5.2.2; X53, X54). Independent of tokens and requests."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from apps.sandbox import scenarios
from apps.sandbox.fhir.offered import OFFERED
from apps.sandbox.fhir.refusing import Refusal
from apps.sandbox.smart import scopes
from apps.sandbox.smart.addresses import Place

_RIGHTS = {"read": "r", "search": "s"}
Rights = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Permissions:
    """The rights per resource type that patient/ and user/ scopes give, and for which patients.

    patient/ is for the patient of the context (nobody without one), and never for what belongs to a practice. user/ is
    for everybody whom the account sees. `wording` is the application's name for reading: "read" or "rs".
    """

    place: Place
    patient_rights: Rights
    user_rights: Rights
    context_patient_ids: tuple[str, ...]
    account_patient_ids: tuple[str, ...]
    wording: str = "read"

    def patients(self, resource_type: str, interaction: str) -> tuple[str, ...]:
        """The patients; the one of the context first."""
        right = _RIGHTS[interaction]
        in_context = self.context_patient_ids if right in self.patient_rights.get(resource_type, ()) else ()
        of_account = self.account_patient_ids if right in self.user_rights.get(resource_type, ()) else ()
        return tuple(dict.fromkeys((*in_context, *of_account)))

    def refusal(self, resource_type: str, interaction: str) -> Refusal | None:
        """403 with `insufficient_scope` (RFC 6750 section 3.1) if no scope gives the right; 403 without that if the
        switch withholds the type."""
        if scenarios.chosen("withheld_type") == resource_type:
            return Refusal(403, "forbidden", f"{resource_type} is not released")
        right, has_patient = _RIGHTS[interaction], OFFERED[self.place.version][resource_type].has_patient
        by_patient = has_patient and right in self.patient_rights.get(resource_type, ())
        if by_patient or right in self.user_rights.get(resource_type, ()):
            return None
        lacking = f"{'patient' if has_patient else 'user'}/{resource_type}.{self.wording}"
        challenge = f'Bearer realm="{self.place.host}", error="insufficient_scope", scope="{lacking}"'
        return Refusal(403, "forbidden", f"The token has no scope for {resource_type}", challenge=challenge)


@dataclass(frozen=True)
class SystemPermissions:
    """The rights per resource type that `system/` scopes give at one root, for all patients there."""

    place: Place
    rights: Rights
    patient_ids: tuple[str, ...]
    wording: str

    def patients(self, resource_type: str, interaction: str) -> tuple[str, ...]:
        """All patients, or nobody."""
        return self.patient_ids if _RIGHTS[interaction] in self.rights.get(resource_type, ()) else ()

    def refusal(self, resource_type: str, interaction: str) -> Refusal | None:
        """403 as above; for a type that is not marked for systems, no scope gives the right (X56)."""
        if scenarios.chosen("withheld_type") == resource_type:
            return Refusal(403, "forbidden", f"{resource_type} is not released")
        is_marked = OFFERED[self.place.version][resource_type].is_for_systems
        if is_marked and _RIGHTS[interaction] in self.rights.get(resource_type, ()):
            return None
        lacking = f"system/{resource_type}.{self.wording}"
        challenge = f'Bearer realm="{self.place.host}", error="insufficient_scope", scope="{lacking}"'
        return Refusal(403, "forbidden", f"The token has no scope for {resource_type}", challenge=challenge)


def system_permissions(place: Place, granted: Collection[str], *, patient_ids: tuple[str, ...]) -> SystemPermissions:
    """What `granted` permits a system at this root."""
    return SystemPermissions(place, scopes.readable(granted, "system"), patient_ids, wording=_wording(granted))


def _wording(granted: Collection[str]) -> str:
    named = [scope for scope in map(scopes.resource_scope, granted) if scope]
    return "rs" if any(not scope.text.endswith((".read", ".write")) for scope in named) else "read"


def permissions(
    place: Place, granted: Collection[str], *, patient_id: str, account_patient_ids: tuple[str, ...]
) -> Permissions:
    """What `granted` permits; `patient_id` is that of the context, or empty."""
    return Permissions(
        place=place,
        patient_rights=scopes.readable(granted, "patient"),
        user_rights=scopes.readable(granted, "user"),
        context_patient_ids=(patient_id,) if patient_id else (),
        account_patient_ids=account_patient_ids,
        wording=_wording(granted),
    )
