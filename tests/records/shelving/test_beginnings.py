"""Pages that read only the heads of entries say what they would say if they read whole entries."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.urls import reverse

from apps.records import shelving
from apps.records.shelving import beginnings, building, reading
from apps.records.shelving.arranging import Arrangement
from apps.vault import sealing
from apps.vault.sealing import Holder
from tests.records.linked import AT
from tests.records.pages import main, that_lasts
from tests.records.people import PATIENT_ID, allergy
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

NOT: dict[str, Any] = {"modifierExtension": [{"url": "urn:not", "valueBoolean": True}]}
RXNORM = {"system": "http://www.nlm.nih.gov/research/umls/rxnorm", "code": "314076"}


def condition(number, **parts):
    return {
        "resourceType": "Condition",
        "id": f"c{number}",
        "clinicalStatus": {"coding": [{"code": "active"}]},
        "code": {"text": f"Condition {number}"},
        "onsetDateTime": f"20{number:02}-03",
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
        **parts,
    }


def medicine(number, name):
    return {
        "resourceType": "MedicationRequest",
        "id": f"m{number}",
        "status": "active",
        "intent": "order",
        "medicationCodeableConcept": {"text": name, "coding": [RXNORM]},
        "dosageInstruction": [{"text": "One tablet daily"}],
        "authoredOn": f"2024-05-{number + 1:02}",
        "subject": {"reference": f"Patient/{PATIENT_ID}"},
    }


def allergies(number):
    return [allergy(f"a{at}", code={"text": f"Allergen {at}"}, recordedDate="2020-02-03") for at in range(number)]


EVERYTHING = [
    *(condition(number) for number in range(24)),
    condition(0, id="turned", onsetDateTime="2024-06", **NOT, note=[{"text": "A second note."}]),
    medicine(0, "Lisinopril 10 mg"),
    medicine(1, "LISINOPRIL TAB"),
    *(result(number, name=f"Test {number % 7}") for number in range(40)),
    *allergies(120),
    allergy("hidden", code={"text": "Acorn"}, **NOT),
]
PAGES = [("whole_record", ()), ("subject", ("allergies",)), ("subject", ("medicines",))]


@pytest.fixture
def build_as_before(monkeypatch):
    """As a release did that knew no heads."""

    def build(connection):
        with monkeypatch.context() as patched:
            patched.setattr(building, "beginnings", SimpleNamespace(OF={}))
            shelving.rebuild_all(connection, at=AT)

    return build


@pytest.mark.parametrize(("name", "args"), PAGES)
class TestAPage:
    def test_says_the_same_of_heads_and_of_the_entries_of_an_earlier_release(
        self, hers, connection, other, build_as_before, name, args
    ):
        keep(connection, *EVERYTHING)
        keep(other, *EVERYTHING[:60], *allergies(150))
        pages = [that_lasts(main(hers, name, *args))]
        for each in (connection, other):  # one by one: shelves of both releases stand side by side meanwhile
            build_as_before(each)
            pages.append(that_lasts(main(hers, name, *args)))
        assert pages[1:] == pages[:1] * 2
        assert "note that may change its meaning" in pages[0]

    def test_tells_a_stranger_nothing(self, client, sam, connection, name, args):
        keep(connection, *EVERYTHING)
        client.force_login(sam)
        text = main(client, name, *args)
        assert not [told for told in ("Acorn", "Condition 1", "LISINOPRIL") if told in text]


class TestHeads:
    @pytest.mark.parametrize("subject", beginnings.OF)
    def test_are_the_first_of_the_subject_in_its_order(self, alice, connection, subject):
        keep(connection, *EVERYTHING)
        arrangement, most = beginnings.OF[subject]
        with sealing.key_ring(Holder.user(alice.pk)) as ring:
            found = reading.shelves(alice.pk, ring, subjects=[subject])
            heads = reading.window(found, {subject: Arrangement.HEADS}, 0, 1000, ring)
            whole = reading.window(found, {subject: arrangement}, 0, most, ring)
        assert heads
        assert [one.record for one in heads] == [one.record for one in whole]

    def test_keep_of_what_was_written_only_what_may_turn_all_of_it_around(self, alice, connection):
        keep(connection, *EVERYTHING)
        with sealing.key_ring(Holder.user(alice.pk)) as ring:
            found = reading.shelves(alice.pk, ring, subjects=["conditions"])
            heads = reading.begun(found, ["conditions"], ring)["conditions"]
            whole = reading.window(found, {"conditions": Arrangement.LISTED}, 0, 100, ring)
        (told,) = [one.entry.said for one in whole if one.entry is not None and one.entry.is_modified]
        (kept,) = [one.entry.said for one in heads if one.entry is not None and one.entry.is_modified]
        assert len(told) == 2
        assert kept == told[:1]
        assert not [one for one in heads if one.entry is None or (one.entry.said and not one.entry.is_modified)]


@pytest.mark.django_db
class TestOneMedicineToldManyTimes:
    def test_leads_on_to_those_behind_it(self, hers, connection):
        keep(connection, *(medicine(number, "Aspirin") for number in range(30)))
        see_all = f'href="{reverse("subject", args=["medicines"])}">See all'
        assert see_all not in main(hers, "whole_record")
        other = medicine(30, "Warfarin")
        keep(connection, {**other, "medicationCodeableConcept": {"text": "Warfarin"}})
        assert see_all in main(hers, "whole_record")
