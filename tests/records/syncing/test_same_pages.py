"""The pages of one invented person are the same, whichever interface and version the record came by."""

import html
import re

import pytest
from django.urls import reverse

from apps.connections.models import Connection
from apps.directory.models import Provider
from apps.records.subjects import LISTED
from tests.records.syncing import practice

pytestmark = pytest.mark.django_db

# The older version has no resource for these, and so nothing to list.
R4_ALONE = frozenset({"insurance", "other"})
# What the sandbox writes otherwise there: a goal's verdict is a note, and a team is a plan with a narrative.
TOLD_OTHERWISE = frozenset({"plans"})
ENTRIES_TOLD_OTHERWISE = frozenset({"plans", "team"})
# Of what a pharmacy handed out, it has none either: the last part of a prescription's page.
FILLS = " Filled at a pharmacy "
# Nor of what is ordered: the last part of a visit's page.
ORDERS = " Procedures and surgeries "


@pytest.fixture
def pages(client, alice, sandbox, deploy, patient):
    """What somebody reads of Ruth's record, by interface, version and subject: rows by heading, and two entries."""

    def read(interface, version):
        if interface == "smart":
            there = practice.linked_smart(deploy(version=version), patient)
        else:
            there = practice.linked(sandbox, alice, version=version)
        others = Connection.objects.exclude(pk=there.connection.pk)
        others.delete()  # a record of its own each time: beside another person's, rows would say whose they are
        there.sync()
        client.force_login(there.connection.user)
        provider, name = Provider.objects.filter(pk=there.connection.provider_id), there.connection.provider.name
        provider.update(name="Harbor Family Practice")  # one name at every root
        told = {subject.key: shown(client, there.connection, subject.key) for subject in LISTED}
        provider.update(name=name)
        return told

    return read


def shown(client, connection, subject_key):
    there = reverse("subject", args=[subject_key])
    text = client.get(there, {"from": str(connection.pk)}).content.decode()
    begins = re.search(r'<h2 class="group"|<ul class="rows"', text)
    listed = text[begins.start() :].partition('<p class="soft">')[0] if begins else ""
    links = dict.fromkeys(re.findall(rf'href="({there}[0-9]+/)"', listed))
    return by_heading(listed), [of_entry(client, link) for link in list(links)[:2]]


def by_heading(listed):
    parts = re.split(r'<h2 class="group">(.*?)</h2>', listed)
    headings = ["", *parts[1::2]]
    return {heading: in_words(rows) for heading, rows in zip(headings, parts[::2], strict=True) if in_words(rows)}


def of_entry(client, link):
    text = client.get(link).content.decode().partition("<h1>")[2].partition("From Harbor Family Practice")[0]
    return in_words(re.sub(r'<div class="print-only">.*?</div>', "", text, flags=re.DOTALL))


def in_words(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


class TestTheSamePerson:
    @pytest.mark.conformance("C55", "C57")
    def test_reads_on_the_same_pages(self, pages):
        r4, smart_r4 = pages("patient-access", "r4"), pages("smart", "r4")
        dstu2, smart_dstu2 = pages("patient-access", "dstu2"), pages("smart", "dstu2")
        assert smart_r4 == r4
        assert smart_dstu2 == dstu2
        told = {key: (listed, entries) for key, (listed, entries) in dstu2.items() if listed}
        assert {key for key, (listed, _entries) in r4.items() if listed} - set(told) == R4_ALONE
        for key, (listed, entries) in told.items():
            alike = {} if key in TOLD_OTHERWISE else {heading: r4[key][0].get(heading) for heading in listed}
            # what is ordered has no resource of its own there, and fills R4's first page before what was not done
            assert {name: rows for name, rows in listed.items() if alike.get(name)} == {
                name: rows for name, rows in alike.items() if rows
            }, key
            assert key in TOLD_OTHERWISE or any(alike.values()), key
            last = ORDERS if key == "visits" else FILLS
            without_last = [entry.partition(last)[0] for entry in r4[key][1]]
            assert key in ENTRIES_TOLD_OTHERWISE or entries == without_last, key
