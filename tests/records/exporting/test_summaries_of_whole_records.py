"""Whole records, of the sandbox's people and of other people's example data, become patient summaries that violate no
rule of the guide."""

import gzip
import json
import random
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from apps.records.exporting import choosing
from apps.records.exporting.ips import documents
from apps.records.exporting.ips.sections import TYPES
from config import env
from tests.records.exporting import guide
from tests.records.exporting.keeping import as_received, keep
from tests.records.exporting.r4 import assert_r4
from tests.records.exporting.spoiling import spoiled
from tests.records.exporting.stories import VERSIONS, stories
from tests.records.linked import AT, make_connection, make_endpoint

pytestmark = pytest.mark.django_db

MOST_OF_A_FILE = 300
MOST_OF_A_KIND = 12


def broken(user: Any) -> list[str]:
    written = documents.document(choosing.choices(user, at=AT), at=AT)
    assert_r4(written)
    return guide.broken(json.loads(written, parse_float=Decimal))


def folders() -> list[Any]:
    """Those of the example data; one that is skipped where there is none."""
    folder = env.fhir_examples()
    if folder is None:
        reason = "FHIR_EXAMPLES names no folder of example data"
        return [pytest.param(Path("of/others"), marks=pytest.mark.skip(reason=reason))]
    found = (folder / version for version in VERSIONS)
    return [path for each in found if each.is_dir() for path in sorted(each.iterdir()) if path.is_dir()]


def resources(folder: Path) -> list[dict[str, Any]]:
    """Some of each file by type and id, as one provider would have them."""
    named: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted(folder.glob("*json*")):
        content = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode(
            "utf-8-sig"
        )
        documents = map(json.loads, content.splitlines()) if ".ndjson" in path.name else [json.loads(content)]
        told = islice((each for document in documents for each in _within(document)), MOST_OF_A_FILE)
        named |= {(each["resourceType"], each["id"]): each for each in told}
    return list(named.values())


def _within(document: Any) -> Iterator[dict[str, Any]]:
    if isinstance(document, list):
        for each in document:
            yield from _within(each)
    elif document.get("resourceType") == "Bundle":
        yield from _within([each["resource"] for each in document.get("entry", ()) if "resource" in each])
    elif document.get("id"):
        yield document


class TestASummaryOfAWholeRecord:
    @pytest.mark.parametrize("version", VERSIONS)
    def test_of_the_sandbox_keeps_every_rule(self, alice, version):
        found = {}
        for name, told in stories().items():
            alice.connections.all().delete()
            keep(make_connection(alice, make_endpoint(f"https://{name}.example", version=version)), *told[version])
            found[name] = broken(alice)
        assert {name: rules for name, rules in found.items() if rules} == {}

    @pytest.mark.parametrize("folder", folders(), ids=lambda folder: f"{folder.parent.name}-{folder.name}")
    def test_of_others_keeps_every_rule(self, alice, folder):
        keep(make_connection(alice, make_endpoint(version=folder.parent.name)), *map(as_received, resources(folder)))
        assert broken(alice) == []

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("version", VERSIONS)
    def test_keeps_every_rule_whatever_became_of_its_parts(self, alice, version, seed):
        chance = random.Random(seed)
        whole = [each for told in stories().values() for each in told[version]]
        kinds: dict[str, list[dict[str, Any]]] = {}
        for each in whole:
            kinds.setdefault(each["resourceType"], []).append(each)
        sent = [
            {**spoiled(chance.choice(kinds[kind]), chance), "id": f"{kind.lower()}-{number}"}
            for kind in sorted({"Patient", *TYPES} & kinds.keys())
            for number in range(MOST_OF_A_KIND)
        ]
        keep(make_connection(alice, make_endpoint(version=version)), *map(as_received, sent))
        assert broken(alice) == []
