"""The card to carry: what others must know about one person, on one sheet, and nothing about anybody else."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import formats, timezone

from apps.accounts.models import User
from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import Connection
from apps.records.models import Shelf
from tests.records.linked import make_connection, make_endpoint
from tests.records.pages import main, page
from tests.records.people import PATIENT_ID, allergy
from tests.records.shelved import keep, order

pytestmark = pytest.mark.django_db

UDI = "(01)00844588003288(11)141231(17)251231(10)A213B1(21)1234"


def device(logical_id: str = "d1", **elements: Any) -> dict[str, Any]:
    return {
        "resourceType": "Device",
        "id": logical_id,
        "status": "active",
        "type": {"text": "Heart pacemaker"},
        "manufacturer": "Tarn Medical",
        "modelNumber": "Pulse 7",
        "udiCarrier": [{"carrierHRF": UDI}],
        "patient": {"reference": f"Patient/{PATIENT_ID}"},
        **elements,
    }


def severe(logical_id: str = "a1", **elements: Any) -> dict[str, Any]:
    active = {"coding": [{"code": "active"}]}
    reaction = {"manifestation": [{"text": "Throat swelling"}], "severity": "severe"}
    said = {"clinicalStatus": active, "criticality": "high", "reaction": [reaction], **elements}
    return allergy(logical_id, **said)


def card(client: Client, **query: Any) -> str:
    """What is cut out."""
    (found,) = re.findall(r'<article class="carried".*?</article>', page(client, "card_to_carry", **query))
    return str(found)


def words(markup: str) -> str:
    return re.sub(r"\s+([:,])", r"\1", re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", markup)))


class TestTheCard:
    def test_says_whose_it_is_and_what_others_must_know(self, hers: Client, connection: Connection):
        connection.last_checked_at = timezone.now()
        connection.provider.city, connection.provider.website = "Tarn", "https://harbor.example"
        connection.provider.save()
        connection.save()
        keep(connection, severe(), device())
        said = words(card(hers))
        for told in (
            "Wrenna Quillfeather Born March 9, 1984",
            "Pteridine Throat swelling · Past reaction: Severe Could be serious",
            "Heart pacemaker Model: Pulse 7 Maker: Tarn Medical Serial number: 1234 Lot number: A213B1",
            " ".join(f"({part}" for part in UDI[1:].split("(")),  # in groups, and none is cut
            f"From Harbor Family Practice · checked on {formats.date_format(connection.last_checked_at)}",
            "Harbor Family Practice: Tarn, https://harbor.example",
            "Made on",
        ):
            assert told in said

    def test_says_all_that_was_sent_of_a_scanner(self, hers: Client, connection: Connection):
        safe = {"coding": [{"code": "C106045"}], "text": "MR Safe; contains latex"}
        keep(connection, device(safety=[safe, {"coding": [{"code": "C106047"}]}]))
        said = words(card(hers))
        for told in ("MRI scanner: Not safe", "about an MRI scanner: Safe", "Safety: MR Safe; contains latex"):
            assert told in said

    def test_leaves_room_for_a_date_that_no_device_is_sent_with(self, hers: Client, connection: Connection):
        keep(connection, device())
        assert "Implanted or given: (not sent: write it here)" in words(card(hers))

    @pytest.mark.parametrize(("status", "is_told"), [("active", True), ("unknown", True), ("inactive", False)])
    def test_has_what_is_in_use_or_may_be(self, hers: Client, connection: Connection, status: str, is_told: bool):
        keep(connection, device(status=status))
        said = words(card(hers))
        assert ("Heart pacemaker" in said) is is_told
        assert ("Status not given" in said) is (status == "unknown")

    @pytest.mark.parametrize("status", ["available", "not-available"])
    def test_has_devices_of_dstu2(self, hers: Client, connection: Connection, status: str):
        sent = {key: value for key, value in device(status=status).items() if key not in {"udiCarrier", "modelNumber"}}
        keep(connection, {**sent, "model": "Pulse 7", "udi": UDI})
        assert ("(21)1234" in words(card(hers))) is (status == "available")

    @pytest.mark.parametrize(("status", "is_told"), [("active", True), ("completed", False), ("intended", False)])
    def test_has_what_is_said_to_be_used(self, hers: Client, connection: Connection, status: str, is_told: bool):
        about = {"subject": {"reference": f"Patient/{PATIENT_ID}"}, "device": {"display": "Insulin pump"}}
        keep(connection, {"resourceType": "DeviceUseStatement", "id": "u1", "status": status, **about})
        assert ("Insulin pump" in words(card(hers))) is is_told

    def test_says_that_a_device_may_mean_something_else(self, hers: Client, connection: Connection):
        keep(connection, device(modifierExtension=[{"url": "http://example.org/not", "valueBoolean": True}]))
        said = words(card(hers))
        assert "This entry carries a note that may change its meaning" in said.split("Model:")[0]

    @pytest.mark.parametrize(
        "elements",
        [
            {"clinicalStatus": {"coding": [{"code": "resolved"}]}},
            {"verificationStatus": {"coding": [{"code": "refuted"}]}},
            {"verificationStatus": {"coding": [{"code": "entered-in-error"}]}},
        ],
    )
    def test_has_no_allergy_that_is_none_now(self, hers: Client, connection: Connection, elements: dict[str, Any]):
        keep(connection, severe(**elements))
        assert "Pteridine" not in card(hers)

    def test_says_who_recorded_that_there_are_no_allergies(self, hers: Client, connection: Connection):
        none = {"coding": [{"system": "http://snomed.info/sct", "code": "716186003"}]}
        keep(connection, severe(code=none, reaction=[], recordedDate="2026-01-05"))
        said = words(card(hers))
        assert "Harbor Family Practice recorded “no known allergies”" in said
        allergies = said.split("Devices and implants")[0]
        assert "Nothing is listed" not in allergies

    def test_says_that_nothing_sent_is_not_nothing_there(self, hers: Client, connection: Connection):
        keep(connection)
        said = words(card(hers))
        assert said.count("Nothing is listed. This does not mean there is none.") == 2
        assert "Harbor Family Practice" in said

    def test_has_medicines_where_they_are_wanted(self, hers: Client, connection: Connection):
        keep(connection, order("m1"), order("m2", name="Old drug", code="1", status="stopped"))
        assert "Lisinopril" not in card(hers)
        wanted = words(card(hers, on=["medicines", "devices"]))
        assert "Current medicines Lisinopril 10 MG Oral Tablet" in wanted
        assert "Old drug" not in wanted
        assert "Allergies and reactions" not in wanted

    @pytest.mark.parametrize(("status", "is_told"), [("active", True), ("completed", False), ("not-taken", False)])
    def test_has_a_medicine_that_is_only_reported(
        self, hers: Client, connection: Connection, status: str, is_told: bool
    ):
        sent = order("m1", status=status) | {"resourceType": "MedicationStatement"}
        keep(connection, sent)
        assert ("Lisinopril" in words(card(hers, on="medicines"))) is is_told

    def test_offers_what_can_be_on_it(self, hers: Client, connection: Connection):
        text = main(hers, "card_to_carry")
        assert 'href="?on=allergies&amp;on=devices&amp;on=medicines"' in text
        assert 'class="chip on" href="?on=devices"' in text
        text = main(hers, "card_to_carry", on="devices")
        assert '<span class="chip on">Devices and implants</span>' in text, "one kind stays"
        assert "Allergies and reactions" in words(card(hers, on="nothing that is"))

    def test_says_where_some_do_not_open(self, hers: Client, connection: Connection):
        keep(connection, severe(), device())
        Shelf.objects.filter(subject="devices").update(sealed_index=b"\x01" * 80)
        text = main(hers, "card_to_carry")
        assert "We could not open some entries" in text
        assert "Pteridine" in text

    def test_is_in_spanish_where_that_is_read(self, hers: Client, connection: Connection):
        keep(connection, device())
        hers.cookies["django_language"] = "es"
        said = words(card(hers))
        assert "Dispositivos e implantes" in said
        assert "Implantado o entregado" in said

    def test_keeps_its_length_however_many_there_are(self, hers: Client, connection: Connection):
        keep(connection, *(device(f"d{number}", type={"text": f"Clip {number}"}) for number in range(60)))
        text = card(hers)
        assert text.count('class="carried-item"') == 40
        assert "There are more than fit here" in text

    def test_says_that_there_are_more_of_what_is_so_now_alone(self, hers: Client, connection: Connection):
        old = (order(f"m{number}", name=f"Drug {number}", code=f"{number}", status="stopped") for number in range(220))
        keep(connection, order("now"), *old)
        said = words(card(hers, on="medicines"))
        assert "Lisinopril" in said
        assert "There are more than fit here" not in said

    def test_says_that_there_are_more_than_were_looked_at(self, hers: Client, connection: Connection):
        old = (device(f"d{number}", status="inactive", type={"text": f"Clip {number}"}) for number in range(200))
        keep(connection, *old, device("z", type={"text": "Zirconium hip"}))
        text = card(hers, on="devices")
        assert ("Zirconium hip" in text) is not ("There are more than fit here" in text)


class TestWhatSeveralProvidersTell:
    def test_is_told_with_what_each_says_of_it(self, hers: Client, connection: Connection, other: Connection):
        hives = [{"manifestation": [{"text": "Hives"}]}]
        keep(connection, severe(recordedDate="2020-01-05"))
        keep(other, severe(recordedDate="2024-01-05", criticality="low", reaction=hives))
        text = card(hers)
        said = words(text)
        assert text.count('class="carried-item"') == 1
        assert said.index("Throat swelling · Past reaction: Severe Could be serious") < said.index("Hives")

    def test_is_told_with_every_dosage(self, hers: Client, connection: Connection):
        doses = {"m1": "One in the morning", "m2": "Two at night"}
        keep(connection, *(order(name) | {"dosageInstruction": [{"text": text}]} for name, text in doses.items()))
        said = words(card(hers, on="medicines"))
        assert said.count("Lisinopril") == 1
        assert all(dose in said for dose in doses.values())


class TestACardOfSeveralPeople:
    @pytest.fixture
    def childs(self, other: Connection) -> Connection:
        other.sealed_person = candidates.seal_person(other, Candidate(PATIENT_ID, "Perrin Quillfeather", "2019-03-09"))
        other.save()
        return other

    def test_is_of_one_alone(self, hers: Client, connection: Connection, childs: Connection):
        keep(connection, severe())
        keep(childs, severe(code={"text": "Peanut"}))
        first, second = card(hers), card(hers, of=childs.pk)
        assert "Wrenna" in first
        assert "Pteridine" in first
        assert "Perrin" not in first
        assert "Peanut" not in first
        assert "Perrin" in second
        assert "(Perrin" not in second  # on a card of one person, in no row
        assert "Peanut" in second
        assert "Pteridine" not in second

    def test_leads_to_that_of_each_and_keeps_what_is_on_it(
        self, hers: Client, connection: Connection, childs: Connection
    ):
        text = main(hers, "card_to_carry", on="devices", of=childs.pk)
        assert f'href="?on=devices&amp;of={connection.pk}"' in text
        assert f'href="?on=allergies&amp;on=devices&amp;of={childs.pk}"' in text

    def test_is_that_of_the_person_whose_list_leads_to_it(
        self, hers: Client, connection: Connection, childs: Connection
    ):
        keep(connection, severe())
        keep(childs, severe())
        for query in ({"from": childs.pk}, {"of": childs.pk}):
            text = page(hers, "subject", "allergies", **query)
            assert f'<a href="{reverse("card_to_carry")}?of={childs.pk}">Wallet card</a>' in text

    def test_is_the_readers_own_whoever_is_asked_for(self, hers: Client, sam: User, connection: Connection):
        keep(connection, severe())
        theirs = make_connection(sam, make_endpoint("https://s.example/r4"))
        keep(theirs, severe(code={"text": "Latex"}))
        for asked in (theirs.pk, "x' or 1=1"):
            text = card(hers, of=asked)
            assert "Pteridine" in text
            assert "Latex" not in text


class TestThePageOfTheCard:
    def test_is_nothing_to_a_stranger(self, client: Client, hers: Client, sam: User, connection: Connection):
        keep(connection, severe())
        hers.force_login(sam)
        assert "Pteridine" not in page(hers, "card_to_carry")
        hers.logout()
        address = reverse("card_to_carry")
        assert hers.get(address)["Location"] == f"{reverse('account_login')}?next={address}"

    def test_is_stored_nowhere_and_names_nothing_in_its_title(self, hers: Client, connection: Connection):
        answer = hers.get(reverse("card_to_carry"))
        assert "no-store" in answer["Cache-Control"]
        title = re.findall(r"<title>(.*?)</title>", answer.content.decode(), re.DOTALL)
        assert [re.sub(r"\s+", " ", each).strip() for each in title] == ["Wallet card \N{EN DASH} Holdfast"]

    def test_takes_as_many_queries_for_three_providers_as_for_one(
        self, hers: Client, alice: User, connection: Connection, other: Connection, django_assert_max_num_queries: Any
    ):
        third = make_connection(alice, make_endpoint("https://third.example/r4"))
        for number, link in enumerate((connection, other, third)):
            keep(link, severe(code={"text": f"Thing {number}"}), device(), order("m1"))
        address = reverse("card_to_carry", query={"on": ["allergies", "devices", "medicines"]})
        hers.get(address)  # that she looked is written down now
        with django_assert_max_num_queries(12):
            text = hers.get(address).content.decode()
        assert text.count('class="carried-item"') >= 3

    @pytest.mark.parametrize("place", [("subject", "devices"), ("subject", "allergies"), ("whole_record",)])
    def test_is_a_step_away(self, hers: Client, connection: Connection, place: tuple[str, ...]):
        keep(connection, severe(), device())
        assert f'<a href="{reverse("card_to_carry")}">Wallet card</a>' in page(hers, *place)
