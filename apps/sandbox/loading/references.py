"""Rewrite ids and references of the resources of one file, so that one server can hold them.

A missing, illegal or duplicate id is replaced. References to a resource of the file, by `urn:uuid:…`, full URL or
Type/id, are rewritten to its id; conditional references (`Practitioner?identifier=…`) stay unchanged. An absolute
reference to a Patient becomes relative: on this server the person is the Patient with that id.
"""

import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from apps.sandbox.loading.reading import Body, Entry

_ID = re.compile(r"[A-Za-z0-9.\-]{1,64}", re.ASCII)
_FOREIGN_PATIENT = re.compile(r"https?://[^?]*/(Patient/[A-Za-z0-9.\-]{1,64})(?:/_history/[^/]+)?", re.ASCII)
_NAMESPACE = uuid.UUID("0b3c5d59-5f0e-5f7c-8a44-7a0f6f6f9a11")


def rewritten(entries: Iterable[Entry], source: str) -> list[Body]:
    """The bodies with legal, distinct ids and matching references. `source` makes new ids reproducible."""
    bodies: list[Body] = []
    addresses: dict[str, str] = {}
    used: set[str] = set()
    for number, entry in enumerate(entries):
        kind, old = str(entry.body["resourceType"]), entry.body.get("id")
        new = _legal_id(entry, kind, f"{source}#{number}")
        if f"{kind}/{new}" in used:
            new = made_id(f"{source}#{number}")
        used.add(f"{kind}/{new}")
        for address in (entry.full_url, f"{kind}/{old}" if old else "", f"urn:uuid:{old}" if old else ""):
            if address:
                addresses.setdefault(address, f"{kind}/{new}")
        bodies.append({**entry.body, "id": new})
    return [renamed(body, addresses) for body in bodies]


def renamed(body: Body, addresses: Mapping[str, str]) -> Body:
    """The body with every reference in `addresses` replaced."""

    def name(reference: str) -> str:
        foreign = _FOREIGN_PATIENT.fullmatch(reference)
        return addresses.get(reference) or (addresses.get(foreign[1], foreign[1]) if foreign else reference)

    changed: Body = _with_references(body, name)
    return changed


def is_legal(logical_id: str) -> bool:
    """Whether FHIR allows the id."""
    return _ID.fullmatch(logical_id) is not None


def made_id(seed: str) -> str:
    """A new id; the same seed gives the same id."""
    return str(uuid.uuid5(_NAMESPACE, seed))


def _legal_id(entry: Entry, kind: str, place: str) -> str:
    """The id of the body, or else from its URL, or else a new one."""
    given = entry.body.get("id")
    if isinstance(given, str) and is_legal(given):
        return given
    tail = entry.full_url.removeprefix("urn:uuid:").rpartition("/")[2]
    if given is None and is_legal(tail):
        return tail
    return made_id(f"{kind}:{place}")


def _with_references(value: Any, name: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {
            key: name(member) if key == "reference" and isinstance(member, str) else _with_references(member, name)
            for key, member in value.items()
        }
    if isinstance(value, list):
        return [_with_references(member, name) for member in value]
    return value
