"""Insurance, devices, family and social history of either version (patient experience 3.10)."""

from datetime import date

import pytest
from hypothesis import given

from apps.records.presenters import devices, family, insurance
from apps.records.presenters.devices import Scanner
from apps.records.presenters.entry import NOT_GIVEN, Context
from apps.records.presenters.family import Life
from apps.records.presenters.observations import social
from apps.records.presenters.persons.relatives import Relative
from apps.records.viewing import facts
from apps.records.viewing.facts import in_rows, lines
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd, shelved

TODAY = date(2026, 11, 20)
COVERAGE_NAMES = (
    "type", "issuer", "payor", "subscriberId", "identifier", "group", "plan", "class", "order", "sequence", "status",
    "policyHolder", "subscriber", "relationship", "period", "costToBeneficiary", "exception", "valueMoney",
)  # fmt: skip
DEVICE_NAMES = (
    "type", "udi", "udiCarrier", "carrierHRF", "deviceIdentifier", "deviceName", "version", "model", "manufactureDate",
    "expiry", "expirationDate", "status", "owner", "serialNumber", "note", "safety", "statusReason", "coding", "code",
)  # fmt: skip
FAMILY_NAMES = (
    "relationship", "name", "gender", "sex", "condition", "onsetAge", "onsetString", "outcome", "deceasedBoolean",
    "deceasedAge", "deceasedRange", "ageAge", "ageString", "bornDate", "date", "status", "note", "reasonCode",
)  # fmt: skip


def cover(**sent):
    return insurance.present({"resourceType": "Coverage", "id": "c", **sent}, Context())


class TestAPlanOfInsurance:
    def test_is_told_alike_from_both_versions(self):
        payer = [{"display": "Heron Mutual"}]
        period = {"start": "2026-01-01", "end": "2026-12-31"}
        dstu2 = cover(plan="Gold", group="G-7", issuer=payer[0], period=period, subscriberId={"value": "M-12345"})
        classes = [
            {"type": {"coding": [{"code": "plan"}]}, "value": "Gold", "name": "Gold"},
            {"type": {"coding": [{"code": "group"}]}, "value": "G-7", "name": "G-7"},
        ]
        r4 = cover(**{"class": classes, "payor": payer, "period": period, "subscriberId": "M-12345"})
        assert dstu2 == r4
        assert (r4.title, r4.payers, r4.member_number) == ("Gold", ("Heron Mutual",), "M-12345")

    @pytest.mark.parametrize(
        ("sent", "told"),
        [
            ({"type": {"coding": [{"code": "plan"}]}, "value": "Gold", "name": "Gold"}, "Plan: Gold"),
            ({"type": {"coding": [{"code": "RXBIN"}]}, "value": "123"}, "RxBIN: 123"),
            ({"type": {"coding": [{"code": "X12", "display": "Tier"}]}, "name": "A", "value": "2"}, "Tier: A · 2"),
            ({"type": {"coding": [{"code": "X12"}]}, "value": "2"}, "2"),
        ],
    )
    def test_calls_its_classes_in_words(self, sent, told):
        assert lines.of(cover(**{"class": [sent]}).classes) == (told,)

    @pytest.mark.parametrize(
        ("status", "period", "standing"),
        [
            ("active", {"start": "2026-01-01"}, "current"),
            ("active", {"start": "2020", "end": "2025"}, "ended"),
            ("active", {"start": "2026", "end": "2026"}, "current"),
            ("active", {"end": "2026-11"}, "current"),
            ("active", {"end": "2026-10"}, "ended"),
            ("active", {"end": "2026-11-20"}, "current"),
            ("cancelled", {"start": "2026-01-01"}, "ended"),
            ("draft", {}, "not-final"),
            (None, {"start": "2026-01-01"}, "current"),
            (None, {"start": "2027-01-01"}, NOT_GIVEN),
            (None, {"start": "soon"}, NOT_GIVEN),
            (None, {}, NOT_GIVEN),
        ],
    )
    def test_stands_as_its_period_says(self, status, period, standing):
        assert cover(type={"text": "x"}, status=status, period=period).standing(today=TODAY) == standing

    @pytest.mark.parametrize(
        ("sent", "told"),
        [
            ({"coding": [{"code": "gpvisit"}]}, "Visit to a family doctor"),
            ({"coding": [{"code": "spvisit"}]}, "Visit to a specialist"),
            ({"coding": [{"code": "emergency"}]}, "Emergency care"),
            ({"coding": [{"code": "inpthosp"}]}, "Hospital stay"),
            ({"coding": [{"code": "televisit"}]}, "Visit by phone or video"),
            ({"coding": [{"code": "urgentcare"}]}, "Urgent care"),
            ({"coding": [{"code": "copaypct"}]}, "Your share of each bill (coinsurance)"),
            ({"coding": [{"code": "copay"}], "text": "copay"}, "Fixed amount each time (copay)"),
            ({"coding": [{"code": "deductible"}]}, "What you pay before the plan pays (deductible)"),
            ({"coding": [{"code": "MaxOutOfPocket"}]}, "The most you pay in total (out-of-pocket maximum)"),
            ({"coding": [{"code": "inpthosp"}], "text": "Each night"}, "Hospital stay · Each night"),
            ({"coding": [{"code": "X12"}]}, "X12"),
            ({"coding": [{"code": "X12", "display": "Glasses"}]}, "Glasses"),
            (None, "Kind of care not given"),
        ],
    )
    def test_says_what_each_cost_is_of(self, sent, told):
        cost = {"type": sent, "valueMoney": {"value": 6000, "currency": "USD"}}
        assert lines.of(cover(costToBeneficiary=[cost]).costs) == (f"{told} · 6000 USD",)

    def test_keeps_no_more_exceptions_of_a_cost_than_anybody_writes(self):
        exceptions = [{"type": {"text": f"Exception {n}"}} for n in range(3000)]
        cost = {"type": {"text": "Copay"}, "valueMoney": {"value": 20, "currency": "USD"}, "exception": exceptions}
        (told,) = cover(costToBeneficiary=[cost]).costs
        assert told.unless == tuple(f"Exception {n}" for n in range(20))

    def test_says_which_pays_first(self):
        assert cover(type={"text": "x"}, order=2).order == 2
        assert cover(type={"text": "x"}, sequence=1).order == 1

    @given(odd(*COVERAGE_NAMES))
    def test_never_raises_and_can_be_shelved(self, content):
        shelved(insurance.present, content).standing(today=TODAY)  # type: ignore[attr-defined]  # a CoverageEntry


class TestADevice:
    def test_is_told_alike_from_both_versions(self):
        shared = {"resourceType": "Device", "id": "p", "type": {"text": "Heart pacemaker"}, "manufacturer": "Heron"}
        udi = "(01)09504000059118(11)141231(17)250100(10)L-1(21)S-9"
        dstu2 = {**shared, "udi": udi, "model": "H3", "status": "available"}
        dstu2 |= {"manufactureDate": "2014-12-31", "expiry": "2025-01"}
        carrier = [{"carrierHRF": udi, "deviceIdentifier": "09504000059118"}]
        r4 = {**shared, "udiCarrier": carrier, "deviceName": [{"name": "H3", "type": "model-name"}], "status": "active"}
        r4 |= {"serialNumber": "S-9", "lotNumber": "L-1", "manufactureDate": "2014-12-31", "expirationDate": "2025-01"}
        entry = devices.present(r4, Context())
        assert devices.present(dstu2, Context()) == entry
        assert (entry.title, entry.model, entry.serial, entry.lot) == ("Heart pacemaker", "H3", "S-9", "L-1")
        assert entry.udi == udi
        assert entry.udi_groups[0] == "(01)09504000059118"
        assert entry.status == "in-use"

    def test_says_whether_it_may_come_into_a_scanner(self):
        unsafe, other = {"coding": [{"code": "C106047", "display": "MR Unsafe"}]}, {"text": "Contains latex"}
        entry = devices.present({"type": {"text": "Pacer"}, "safety": [unsafe, other]}, Context())
        assert (entry.scanner, entry.safety) == (Scanner.UNSAFE, ("Contains latex",))
        assert list(in_rows.of(entry)) == ["In an MRI scanner: Not safe", "Safety: Contains latex"]

    @pytest.mark.parametrize("name", ["Magnetic Resonance Unsafe", "Magnetic Resonance (MR) Unsafe", "MRI-unsafe"])
    def test_says_it_once_whatever_the_code_is_called(self, name):
        sent = {"text": name, "coding": [{"code": "C106047", "display": name}]}
        entry = devices.present({"type": {"text": "Pacer"}, "safety": [sent]}, Context())
        assert list(in_rows.of(entry)) == ["In an MRI scanner: Not safe"]

    @pytest.mark.parametrize(
        ("sent", "told"),
        [
            ({"coding": [{"code": "C101673"}]}, ["Latex: Contains natural rubber latex"]),
            ({"coding": [{"code": "c106038"}]}, ["Latex: Not made with natural rubber latex"]),
            ({"text": "Labeled as containing natural rubber latex"}, ["Latex: Contains natural rubber latex"]),
            (
                {"coding": [{"code": "C101673", "display": "Labeled as Containing Natural Rubber Latex"}]},
                ["Latex: Contains natural rubber latex"],
            ),
            (
                {"coding": [{"code": "C106038"}, {"code": "C101673"}]},
                ["Latex: Contains natural rubber latex, Not made with natural rubber latex"],
            ),
            (
                {"coding": [{"code": "C101673"}, {"code": "C106047"}]},
                ["In an MRI scanner: Not safe", "Latex: Contains natural rubber latex"],
            ),
            ({"text": "The cuff has latex", "coding": [{"code": "C101673"}]}, ["Safety: The cuff has latex"]),
        ],
    )
    def test_says_in_words_whether_there_is_latex_in_it(self, sent, told):
        entry = devices.present({"type": {"text": "Pacer"}, "safety": [sent]}, Context())
        assert list(in_rows.of(entry)) == told

    def test_is_not_safe_in_a_scanner_where_one_of_several_codes_says_so(self):
        codes = ("C113844", "C106045", "C106047", "C106046")
        sent = [{"coding": [{"code": code}]} for code in codes]
        entry = devices.present({"type": {"text": "Pacer"}, "safety": sent}, Context())
        others = "Safe under certain conditions only, Safe, Its label does not say"
        told = ["In an MRI scanner: Not safe", f"Also sent about an MRI scanner: {others}"]
        assert list(in_rows.of(entry)) == told
        named = [{"coding": [{"code": "C106045", "display": "MR Safe"}]}, {"text": "MR Unsafe"}]
        entry = devices.present({"type": {"text": "Pacer"}, "safety": named}, Context())
        assert list(in_rows.of(entry)) == [told[0], "Also sent about an MRI scanner: Safe"]

    @pytest.mark.parametrize(
        ("sent", "told"),
        [
            ({"text": "MR Unsafe; contains latex"}, "MR Unsafe; contains latex"),
            ({"text": "MR Conditional: 1.5 T only, not the chest"}, "MR Conditional: 1.5 T only, not the chest"),
            ({"coding": [{"code": "C101673", "display": "Contains latex"}]}, "Contains latex"),
            ({"text": "MRI-unsafe", "coding": [{"code": "C101673", "display": "Contains latex"}]}, "Contains latex"),
            ({"text": "MR Unsafe", "coding": [{"code": "C1"}]}, "C1"),
        ],
    )
    def test_tells_what_a_concept_says_beside_its_word_for_a_scanner(self, sent, told):
        unsafe = {"code": "C106047", "display": "MR Unsafe"}
        concept = {**sent, "coding": [unsafe, *sent.get("coding", ())]}
        entry = devices.present({"type": {"text": "Pacer"}, "safety": [concept]}, Context())
        assert list(in_rows.of(entry)) == ["In an MRI scanner: Not safe", f"Safety: {told}"]

    @pytest.mark.parametrize(
        ("sent", "told"),
        [
            ({"coding": [{"code": "online"}]}, ("Connected",)),
            ({"coding": [{"code": "paused"}]}, ("Paused",)),
            ({"coding": [{"code": "standby"}]}, ("On standby",)),
            ({"coding": [{"code": "offline"}]}, ("Not connected",)),
            ({"coding": [{"code": "not-ready"}]}, ("Not ready",)),
            ({"coding": [{"code": "transduc-discon"}]}, ("Its sensor is disconnected",)),
            ({"coding": [{"code": "hw-discon"}]}, ("A part of it is disconnected",)),
            ({"coding": [{"code": "off", "display": "Off"}], "text": "Off"}, ("Switched off",)),
            ({"coding": [{"code": "Off"}], "text": "Before surgery"}, ("Switched off", "Before surgery")),
            ({"coding": [{"code": "X1", "display": "Battery low"}]}, ("Battery low",)),
        ],
    )
    def test_says_why_it_stands_so(self, sent, told):
        entry = devices.present({"status": "active", "statusReason": [sent]}, Context())
        assert facts.Fact("Reason for this status", told) in facts.of(entry, provider="")

    def test_reads_what_its_label_says_where_nothing_else_does(self):
        entry = devices.present({"udi": "(01)1234(11)141231(17)250100"}, Context())
        assert (entry.identifier, entry.made.starts, entry.expires.starts) == ("1234", "2014-12-31", "2025-01")

    def test_never_cuts_an_identifier_it_cannot_read(self):
        entry = devices.present({"udi": "+H123PARTNO1234567890120/$$420020216LOT"}, Context())
        assert entry.udi_groups == ("+H123PARTNO1234567890120/$$420020216LOT",)

    @pytest.mark.parametrize(
        "udi", ["(01)09504000059118(21)AB(C)1", "(01)09504000059118(10)" + "L" * 91, "=(01)09504000059118(21)AB"]
    )
    def test_keeps_one_whole_of_which_parts_alone_can_be_read(self, udi: str):
        """A part of a serial number is another device's."""
        entry = devices.present({"udi": udi}, Context())
        assert (entry.udi_groups, entry.serial, entry.lot, entry.identifier) == ((udi,), "", "", "")

    @pytest.mark.parametrize(("code", "status"), [("not-available", "not-in-use"), ("unknown", NOT_GIVEN)])
    def test_is_in_use_only_where_that_was_said(self, code, status):
        assert devices.present({"type": {"text": "x"}, "status": code}, Context()).status == status

    @given(odd(*DEVICE_NAMES))
    def test_never_raises_and_can_be_shelved(self, content):
        shelved(devices.present, content)

    def test_of_others_is_called_something_wherever_anything_says_what_it_is(self):
        pairs = corpus.presented(devices.present, "Device")
        telling = [entry for resource, entry in pairs if {"type", "model", "deviceName"} & resource.keys()]
        assert all(entry.title for entry in telling)


class TestARelative:
    def test_is_told_alike_from_both_versions(self):
        condition = {"code": {"text": "Heart attack"}, "onsetAge": {"value": 56, "unit": "a"}, "note": [{"text": "n"}]}
        shared = {"id": "f", "relationship": {"coding": [{"code": "MTH", "display": "mother"}]}, "status": "completed"}
        dstu2 = {**shared, "gender": "female", "condition": [{**condition, "note": {"text": "n"}}]}
        dstu2 |= {"deceasedQuantity": {"value": 60, "unit": "a"}}
        r4 = {**shared, "sex": {"coding": [{"code": "female"}]}, "condition": [condition]}
        r4 |= {"deceasedAge": {"value": 60, "unit": "a"}}
        entry = family.present(r4, Context())
        assert family.present(dstu2, Context()) == entry
        assert (entry.title, entry.relative, entry.sex) == ("mother", Relative.MOTHER, "female")
        assert (entry.life, entry.died.age_from) == (Life.DIED, 60.0)
        assert (entry.conditions[0].title, entry.conditions[0].onset.age_from) == ("Heart attack", 56.0)

    @pytest.mark.parametrize(
        ("sent", "life"),
        [
            ({"deceasedBoolean": True}, Life.DIED),
            ({"deceasedBoolean": False}, Life.LIVING),
            ({"deceasedString": "in the war"}, Life.DIED),
            ({"ageAge": {"value": 70, "unit": "a"}}, Life.LIVING),
            ({}, NOT_GIVEN),
        ],
    )
    def test_is_not_said_to_live_or_to_have_died_unless_that_was_sent(self, sent, life):
        assert family.present({"relationship": {"text": "father"}, **sent}, Context()).life == life

    def test_whose_health_nobody_knows_is_a_fact(self):
        sent = {"relationship": {"text": "father"}, "status": "health-unknown"}
        assert family.present(sent, Context()).status == "not-known"

    @given(odd(*FAMILY_NAMES))
    def test_never_raises_and_can_be_shelved(self, content):
        shelved(family.present, content)

    def test_of_others_is_known_by_a_word_or_by_a_code(self):
        for _, entry in corpus.presented(family.present, "FamilyMemberHistory"):
            assert entry.title or entry.relative != NOT_GIVEN  # type: ignore[attr-defined]  # a FamilyEntry


class TestSocialHistory:
    @pytest.mark.parametrize(
        ("sent", "is_social"),
        [
            ({"category": {"coding": [{"code": "social-history"}]}}, True),
            ({"category": [{"coding": [{"code": "social-history"}]}]}, True),
            ({"category": [{"coding": [{"code": "laboratory"}]}]}, False),
            ({"code": {"coding": [{"system": "http://loinc.org", "code": "72166-2"}]}}, True),
            ({"code": {"coding": [{"system": "urn:other", "code": "72166-2"}]}}, False),
            ({"category": "social-history"}, False),
        ],
    )
    def test_is_told_by_category_or_by_code(self, sent, is_social):
        assert social.is_social(sent) is is_social
