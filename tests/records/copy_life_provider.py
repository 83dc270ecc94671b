"""A provider that keeps the truth of one person's record: what it holds, what it releases, and every body that it ever
sent. It pages, counts and searches by time or category, goes wrong as it is told, and uses no product code.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime
from itertools import count
from typing import Any

from tests.records import copy_life_rows as rows
from tests.records.copy_life_rows import Key
from tests.records.people import DSTU2_PATIENT, PATIENT_ID, R4_PATIENT
from tests.wire.servers import Recorded, Server, http

FHIR = "/fhir"
OTHER_PATIENT = "p-9999"
STRANGER = "Strangercanary"
# How an answer goes wrong. The first ones are no answer to the question at all.
FAULTS = (
    *("unavailable", "hurry", "broken", "half", "hangs up", "outcome", "refused", "missing"),
    *("loops", "foreign", "expired", "empty", "counts more", "loses link"),
)
_PAGE = 2


@dataclass
class Fault:
    """How the answers for one type go wrong: so many more of them, from this page on."""

    kind: str
    left: int
    page: int = 1


@dataclass
class CopyLifeProvider:
    """`held` is what searches find, `referred` what can be read. `withheld` types are refused. `strange` are types
    whose searches bring a row of somebody else, and `along` those that bring rows of another type. Of the types in
    `deceived` it sent a part as if that were all: nobody can know."""

    server: Server
    version: str
    now: datetime
    tells_changes: bool = True
    counts: bool = True
    brings_provenance: bool = False
    held: dict[Key, dict[str, Any]] = field(default_factory=dict)
    referred: dict[Key, dict[str, Any]] = field(default_factory=dict)
    unread: dict[Key, int] = field(default_factory=dict)
    changed_at: dict[Key, datetime] = field(default_factory=dict)
    ever: dict[Key, set[bytes]] = field(default_factory=dict)
    withheld: set[str] = field(default_factory=set)
    strange: set[str] = field(default_factory=set)
    along: dict[str, str] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)
    deceived: set[str] = field(default_factory=set)
    rows_sent: int = 0

    def __post_init__(self) -> None:
        self._numbers = count(1)
        self._searches: dict[str, tuple[str, list[Key], int]] = {}
        self.server.answer = self._answer
        self.put({**(R4_PATIENT if self.version == "r4" else DSTU2_PATIENT), "id": PATIENT_ID})

    @property
    def base_url(self) -> str:
        return self.server.url(FHIR)

    def put(self, resource: dict[str, Any], *, is_stamped: bool = True) -> None:
        """Hold this from now on. If it is not `is_stamped`, its time of change stays, and searches by time go by it."""
        key = rows.key(resource)
        at = self.now if is_stamped or key not in self.changed_at else self.changed_at[key]
        written = rows.stamped(resource, at=at, version=next(self._numbers))
        self.changed_at[key] = at
        (self.referred if key[0] in rows.REFERRED else self.held)[key] = written
        self.ever.setdefault(key, set()).add(body_of(written))

    def released(self) -> dict[Key, bytes]:
        """What the patient should have, but for what is only referred to."""
        return {key: body_of(one) for key, one in self.held.items() if key[0] not in self.withheld}

    def fails(self, path: str) -> str:
        """How the next answer for this type goes wrong."""
        fault = self.faults.get(path)
        if fault is None or fault.left <= 0:
            return ""
        fault.left -= 1
        return fault.kind

    def _answer(self, request: Recorded) -> Iterator[bytes]:
        if "token" in request.path:
            yield self._token()
        elif request.path == f"{FHIR}/metadata":
            fault = self.fails("metadata")
            yield self._wrong(fault) if fault else http(body=self._statement())
        elif request.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            yield http(401, WWW_Authenticate='Bearer error="invalid_token"')
        else:
            yield self._data(request)

    def _token(self) -> bytes:
        if self.fails("token"):
            return http(503)
        token = f"access-{next(self._numbers)}"
        self.tokens.add(token)
        return http(body={"access_token": token, "token_type": "Bearer", "expires_in": 3600, "refresh_token": "again"})

    def _statement(self) -> dict[str, Any]:
        searches = [{"name": name} for name in ("patient", *(("_lastUpdated",) if self.tells_changes else ()))]
        reads = [{"code": "read"}]
        found: list[dict[str, Any]] = [{"type": "Patient", "interaction": reads}]
        brings = {"searchRevInclude": ["Provenance:target"]} if self.brings_provenance else {}
        offered: dict[str, Any] = {"interaction": [*reads, {"code": "search-type"}], "searchParam": searches, **brings}
        found += [{"type": name, **offered} for name in rows.types(self.version)]
        found += [{"type": name, "interaction": reads} for name in rows.REFERRED]
        kind = "Conformance" if self.version == "dstu2" else "CapabilityStatement"
        fhir = "1.0.2" if self.version == "dstu2" else "4.0.1"
        return {"resourceType": kind, "fhirVersion": fhir, "rest": [{"mode": "server", "resource": found}]}

    def _data(self, request: Recorded) -> bytes:
        resource_type, _slash, logical_id = request.path.removeprefix(f"{FHIR}/").partition("/")
        if resource_type in self.withheld:
            return http(403)
        if logical_id:
            return self._read((resource_type, logical_id))
        query = dict(request.query)
        if resource_type not in rows.types(self.version):
            return http(404)
        if "page" in query:
            return self._page(*query["page"].rsplit("-", 1))
        if query["patient"] != PATIENT_ID:
            return http(403)
        name = str(next(self._numbers))
        size = min(int(query.get("_count", _PAGE)), _PAGE)
        self._searches[name] = (resource_type, self._found(resource_type, query), size)
        return self._page(name, "1")

    def _read(self, key: Key) -> bytes:
        if fault := self.fails(key[0]):
            return self._wrong(fault)
        status = self.unread.get(key, 200)
        found = self.referred.get(key) or self.held.get(key)
        return http(status) if status != 200 else http(body=body_of(found)) if found else http(404)

    def _found(self, resource_type: str, query: dict[str, str]) -> list[Key]:
        """Several values for one parameter, divided by a comma, mean any of them."""
        since = query.get("_lastUpdated", "").removeprefix("ge") if self.tells_changes else ""
        found = []
        for key, resource in sorted(self.held.items()):
            is_of_category = "category" not in query or f'"{query["category"]}"' in json.dumps(resource.get("category"))
            is_of_code = "code" not in query or query["code"] in json.dumps(resource.get("code"))
            is_of_time = not since or self.changed_at[key] >= datetime.fromisoformat(since)
            if key[0] == resource_type and is_of_category and is_of_code and is_of_time:
                found.append(key)
        return found

    def _page(self, search: str, number: str) -> bytes:
        resource_type, found, size = self._searches[search]
        page = int(number)
        fault = self.faults.get(resource_type)
        wrong = self.fails(resource_type) if fault is not None and page >= fault.page else ""
        here = found[(page - 1) * size : page * size]
        link = f"{self.base_url}/{resource_type}?page={search}-{page + 1}" if page * size < len(found) else None
        total = len(found)
        if wrong == "loops":
            link = f"{self.base_url}/{resource_type}?page={search}-{page}"
        elif wrong == "foreign":
            link = f"http://localhost:1/{resource_type}"
        elif wrong == "empty":
            self.deceived.add(resource_type)
            here, link, total = [], None, 0
        elif wrong == "counts more":
            total += 1
        elif wrong == "loses link":
            if link is not None and not self.counts:
                self.deceived.add(resource_type)
            link = None
        elif wrong:
            return self._wrong(wrong, self._bundle(here, resource_type, link, total))
        return http(body=self._bundle(here, resource_type, link, total), Date=format_datetime(self.now, usegmt=True))

    def _bundle(self, here: list[Key], resource_type: str, link: str | None, total: int) -> bytes:
        came = [self.held[key] for key in here if key in self.held]
        self.rows_sent += len(came)
        other = self.along.get(resource_type)
        came += [one for key, one in sorted(self.held.items()) if key[0] == other and other not in self.withheld][:1]
        if resource_type in self.strange:
            name = {"name": STRANGER, "version": self.version, "patient_id": OTHER_PATIENT}
            came.append(rows.made(resource_type, 777, **name))
        if self.brings_provenance:
            came += [self._provenance(key) for key in here]
        entries = b", ".join(b'{"resource": ' + body_of(one) + b"}" for one in came)
        links = json.dumps([{"relation": "next", "url": link}] if link else []).encode()
        counted = b'"total": %d, ' % total if self.counts else b""
        head = b'{"resourceType": "Bundle", "type": "searchset", ' + counted
        return head + b'"link": ' + links + b', "entry": [' + entries + b"]}"

    def _provenance(self, key: Key) -> dict[str, Any]:
        agent = {"who": {"reference": "Practitioner/p1"}}
        found = {"resourceType": "Provenance", "id": f"of-{key[1]}", "agent": [agent]}
        found |= {"target": [{"reference": "/".join(key)}]}
        self.ever.setdefault(rows.key(found), set()).add(body_of(found))
        return found

    def _wrong(self, fault: str, page: bytes = b"{}") -> bytes:
        if fault == "hangs up":
            raise ConnectionResetError
        if fault == "expired":
            self.tokens.clear()
            return http(401, WWW_Authenticate='Bearer error="invalid_token"')
        outcome = {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "exception"}]}
        return {
            "hurry": http(429, Retry_After=90),
            "broken": http(body=page[: len(page) // 2]),
            "half": http(body=page)[: -len(page) // 2],
            "outcome": http(body=outcome),
            "refused": http(403),
            "missing": http(404),
        }.get(fault, http(503))


def body_of(resource: dict[str, Any]) -> bytes:
    """As it is sent."""
    return json.dumps(resource).encode()
