"""Store the resources of one file under the patients to whom they belong.

A resource belongs to the Patient it names; one that names none belongs to the only Patient of its file, or else to an
invented one. Resources that by nature belong to no patient (Practitioner, Organization, Location …) belong to the
practice. Types that are not offered are left out and counted.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.sandbox.fhir import indexing, store
from apps.sandbox.fhir.offered import OFFERED
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.loading import references
from apps.sandbox.loading.categorizing import categorized
from apps.sandbox.loading.reading import Body
from apps.sandbox.models import Resource

NOBODY = "nobody-in-particular"  # the invented patient of resources that name none


@dataclass(frozen=True)
class Kept:
    """How many resources were stored, how many of which types were left out, and whose records grew."""

    resources: int
    left_out: Counter[str]
    patient_ids: frozenset[str]


@transaction.atomic
def keep(bodies: list[Body], version: str, *, at: datetime) -> Kept:
    """Store the rewritten resources of one file; an existing resource of the same patient is replaced."""
    offered = OFFERED[version]
    served = [body for body in bodies if body["resourceType"] in offered]
    owners = _owners(served, version)
    renames = _renames(served, owners, version)
    rows: list[Resource] = []
    for body, owner in zip(served, owners, strict=True):
        whole = body
        if renames:
            known = f"{body['resourceType']}/{body['id']}"
            whole = {**references.renamed(body, renames), "id": renames.get(known, known).rpartition("/")[2]}
        rows.append(categorized(store.row(Realm(version), owner, whole, at=at)))
    left_out = Counter(str(body["resourceType"]) for body in bodies if body["resourceType"] not in offered)
    return Kept(store.keep(rows), left_out, frozenset(filter(None, owners)))


def _owners(bodies: list[Body], version: str) -> list[str]:
    """For each resource the id of its patient, or "" for the practice."""
    patients = [str(body["id"]) for body in bodies if body["resourceType"] == "Patient"]
    single = patients[0] if len(patients) == 1 else None
    by_name = {f"{body['resourceType']}/{body['id']}": _named(body) for body in bodies}
    owners = []
    for body in bodies:
        if not OFFERED[version][body["resourceType"]].has_patient:
            owners.append("")
            continue
        owners.append(_named(body) or _of_target(body, by_name) or single or NOBODY)
    return owners


def _named(body: Body) -> str | None:
    """The id of the Patient that a resource is, or names; None if it names none that is possible."""
    if body["resourceType"] == "Patient":
        return str(body["id"])
    return _patient_id(indexing.patient_of(body) or "")


def _patient_id(reference: str) -> str | None:
    kind, _, rest = reference.partition("/")
    logical_id = rest.partition("/")[0]
    return logical_id if kind == "Patient" and references.is_legal(logical_id) else None


def _of_target(body: Body, by_name: Mapping[str, str | None]) -> str | None:
    """The patient of a Provenance's target."""
    targets = body.get("target")
    for target in targets if isinstance(targets, list) else []:
        reference = str(target.get("reference", "")) if isinstance(target, dict) else ""
        if reference in by_name:
            return by_name[reference]
        if reference.startswith("Patient/"):
            return _patient_id(reference)
    return None


def _renames(bodies: list[Body], owners: list[str], version: str) -> dict[str, str]:
    """New ids for resources whose id another patient's resource already has."""
    owner_of = {(str(body["resourceType"]), str(body["id"])): owner for body, owner in zip(bodies, owners, strict=True)}
    stored = Resource.objects.filter(
        tenant="", version=version, logical_id__in={logical_id for _, logical_id in owner_of}
    )
    renames = {}
    for kind, logical_id, owner in stored.values_list("resource_type", "logical_id", "patient_id"):
        ours = owner_of.get((kind, logical_id))
        if ours is not None and owner != ours:
            renames[f"{kind}/{logical_id}"] = f"{kind}/{references.made_id(f'{ours}/{kind}/{logical_id}')}"
    return renames
