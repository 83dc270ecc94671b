"""An account for every Patient that was loaded: a user name derived from the person's name, and a printed password.

The same person in DSTU2 and R4 (same name, same year of birth) gets one account for both. A Patient to whom resources
refer, but who is in no file, is invented here.
"""

import re
import unicodedata
from datetime import datetime

import msgspec

from apps.sandbox import enrolment
from apps.sandbox.fhir import store
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.loading.reading import Body
from apps.sandbox.models import Account, Resource
from apps.sandbox.people.populating import Populated


def enrol(version: str, patient_id: str, *, at: datetime) -> Populated:
    """Create or extend the account for one loaded record."""
    body = _patient(version, patient_id, at)
    name = _name(body) or f"Patient {patient_id}"
    username = _free_username(_username(name, body, patient_id), version, patient_id)
    password = f"{username}-pass"
    known = Account.objects.filter(username=username).first()
    patients = {**(known.patients if known else {}), version: [patient_id]}
    enrolment.enrol(username, password, name, patients, about="Loaded from a file")
    held = Resource.objects.filter(tenant="", version=version, patient_id=patient_id).count()
    return Populated(username, password, name, {version: held})


def _patient(version: str, patient_id: str, at: datetime) -> Body:
    found = store.read(Realm(version), "Patient", patient_id)
    if found is not None:
        known: Body = msgspec.json.decode(found[1])
        return known
    family = "Unnamed"
    body: Body = {
        "resourceType": "Patient",
        "id": patient_id,
        "name": [{"family": [family] if version == "dstu2" else family, "given": ["Invented"]}],
        "gender": "unknown",
    }
    store.keep([store.row(Realm(version), patient_id, body, at=at)])
    return body


def _name(body: Body) -> str:
    """The first name as people say it, from either version's parts, or from the text."""
    names = body.get("name")
    first = names[0] if isinstance(names, list) and names else {}
    if not isinstance(first, dict):
        return ""
    parts = [*_texts(first.get("given"))[:1], *_texts(first.get("family"))]
    return (" ".join(parts) or " ".join(_texts(first.get("text"))))[:200]


def _texts(value: object) -> list[str]:
    members = value if isinstance(value, list) else [value]
    return [member for member in members if isinstance(member, str) and member]


def _username(name: str, body: Body, patient_id: str) -> str:
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:60] or f"patient-{patient_id[:40].lower()}"
    year = str(body.get("birthDate") or "")[:4]
    return f"{slug}-{year}" if year.isdigit() else slug


def _free_username(wanted: str, version: str, patient_id: str) -> str:
    """The name itself, unless an account with that name has another person's record in this version."""
    number, username = 1, wanted
    while True:
        known = Account.objects.filter(username=username).first()
        if known is None or known.patient_ids(version) in ((), (patient_id,)):
            return username
        number += 1
        username = f"{wanted}-{number}"
