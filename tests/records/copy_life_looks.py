"""What a copy tells: its pages, its downloads and its ledger, each beside the rows that it holds."""

import re
from datetime import datetime
from unittest import mock

import msgspec
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.connections.models import Connection
from apps.records import ledger
from apps.records.exporting import choosing, copies
from apps.records.exporting.copies import Form, Part
from apps.records.models import Record, SyncRun
from apps.records.subjects import LISTED
from tests.records import copy_life_shelves as shelves
from tests.records.copy_life_provider import STRANGER
from tests.records.copy_life_rows import Key
from tests.records.exporting.taking import unpacked
from tests.records.pages import page

_NAME = re.compile(r"Canary\d{4}")


class _Entry(msgspec.Struct):
    resource: msgspec.Raw


class _Bundle(msgspec.Struct):
    entry: list[_Entry]


class _Named(msgspec.Struct):
    kind: str = msgspec.field(name="resourceType")
    logical_id: str = msgspec.field(name="id", default="")


def told_in_lists(user: User, *, at: datetime) -> set[str]:
    """The names on the overview and in every list. The page of the first entry of each opens as well, but may say what
    the entry said before."""
    with mock.patch("django.utils.timezone.now", return_value=at):
        client = Client()
        client.force_login(user)
        texts = [page(client, "whole_record"), page(client, "everything_by_date"), page(client, "what_is_new")]
        entries = []
        for subject in LISTED:
            text = page(client, "subject", subject.key)
            texts.append(text)
            if entry := re.search(reverse("entry", args=[subject.key, 777]).replace("777", r"(\d+)"), text):
                entries.append(page(client, "entry", subject.key, int(entry[1])))
    assert STRANGER not in "".join((*texts, *entries))
    return {name for text in texts for name in _NAME.findall(text)}


def check_downloads(connection: Connection, *, at: datetime) -> None:
    """Both forms hold exactly the rows there are, byte for byte."""
    choice = next(one for one in choosing.choices(connection.user, at=at) if one.connection.pk == connection.pk)
    part = Part(choice.source, choice.gaps)
    held = shelves.held(connection)
    bundle = unpacked(copies.copy([part], Form.BUNDLE, at=at))[f"{part.source.folder}/bundle.json"]
    bodies = [bytes(entry.resource) for entry in msgspec.json.decode(bundle, type=_Bundle).entry]
    assert {key: body for key, body in _by_key(bodies).items() if key in held} == held
    assert len(bodies) == len(set(bodies))
    lines = unpacked(copies.copy([part], Form.LINES, at=at))[f"{part.source.folder}/resources.ndjson"]
    assert _by_key(lines.splitlines()) == held
    assert STRANGER.encode() not in bundle + lines


def _by_key(bodies: list[bytes]) -> dict[Key, bytes]:
    named = [(msgspec.json.decode(body, type=_Named), body) for body in bodies]
    return {(head.kind, head.logical_id): body for head, body in named}


def ledger_faults(connection: Connection, *, at: datetime) -> list[str]:
    """The lines of the ledger that say that something is missing; the numbers must be those of the rows."""
    run = SyncRun.objects.filter(connection=connection).order_by("-created_at").first()
    lines = ledger.lines(connection, run, provider="Harbor")
    listed = Record.objects.filter(connection=connection, removed_at__isnull=True)
    listed = listed.exclude(resource_type__in=["Practitioner", "Medication", "Organization", "Provenance"])
    assert sum(line.entries for line in lines) == listed.count()
    return [f"{line.subject}: {line.sentence}" for line in lines if line.kind.name not in {"DONE", "INFO", "OFF"}]
