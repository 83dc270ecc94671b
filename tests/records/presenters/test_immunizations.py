"""A vaccine of either version becomes one entry, and one that was not given is not a dose."""

from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from apps.records.presenters import immunizations
from apps.records.presenters.entry import Context
from apps.records.presenters.immunizations import Dose, Group, ImmunizationEntry, Status
from apps.records.presenters.plain_names import illnesses
from apps.records.presenters.plain_names.illnesses import Illness
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd, shelved

FLU = {
    "text": "Fluvax (Influenza)",
    "coding": [{"system": "http://hl7.org/fhir/sid/cvx", "code": "141", "display": "Flu"}],
}
ROSE = {"reference": "Practitioner/9", "display": "Dr. Ada Rose"}
LARK = {"reference": "Practitioner/8", "display": "Nurse Lark"}
COMMON: dict[str, Any] = {
    "resourceType": "Immunization",
    "id": "i1",
    "status": "completed",
    "vaccineCode": FLU,
    "patient": {"reference": "Patient/1"},
    "encounter": {"reference": "Encounter/7"},
    "manufacturer": {"display": "Novavax Inc"},
    "location": {"display": "Tarn Clinic"},
    "lotNumber": "AAJN11K",
    "expirationDate": "2015-02-15",
    "site": {"coding": [{"code": "LA", "display": "left arm"}]},
    "route": {"coding": [{"code": "IM", "display": "Injection, intramuscular"}]},
    "doseQuantity": {"value": 0.5, "unit": "mL"},
    "note": [{"text": "Sore arm afterwards"}],
    "reaction": [{"date": "2013-01-11", "detail": {"display": "Fever"}}],
}
DSTU2: dict[str, Any] = {
    **COMMON,
    "date": "2013-01-10",
    "wasNotGiven": False,
    "reported": False,
    "performer": LARK,
    "requester": ROSE,
    "explanation": {"reason": [{"text": "Yearly"}]},
    "vaccinationProtocol": [
        {"doseSequence": 2, "seriesDoses": 3, "series": "Hep B", "targetDisease": [{"text": "Flu"}]}
    ],
}
R4: dict[str, Any] = {
    **COMMON,
    "occurrenceDateTime": "2013-01-10",
    "primarySource": True,
    "performer": [
        {"function": {"coding": [{"code": "OP"}]}, "actor": ROSE},
        {"function": {"coding": [{"code": "AP"}]}, "actor": LARK},
    ],
    "reasonCode": [{"text": "Yearly"}],
    "protocolApplied": [
        {"doseNumberPositiveInt": 2, "seriesDosesString": "3", "series": "Hep B", "targetDisease": [{"text": "Flu"}]}
    ],
}
ELEMENTS = tuple(
    dict.fromkeys((*DSTU2, *R4, "doseNumberString", "function", "actor", "recommendation", "dateCriterion"))
)


def old(**changes: Any) -> ImmunizationEntry:
    return immunizations.present({**DSTU2, **changes}, Context())


def new(**changes: Any) -> ImmunizationEntry:
    return immunizations.present({**R4, **changes}, Context())


class TestAVaccineOfEitherVersion:
    def test_is_the_same_entry(self):
        assert old() == new()

    def test_has_the_facts_of_the_page(self):
        entry = new()
        assert (entry.title, entry.status, entry.group) == ("Fluvax (Influenza)", Status.GIVEN, Group.GIVEN)
        assert (entry.when.means, entry.when.starts, entry.is_dose) == ("given", "2013-01-10", True)
        assert (entry.maker, entry.lot, entry.expires) == ("Novavax Inc", "AAJN11K", "2015-02-15")
        assert entry.doses == (Dose(number="2", of="3", series="Hep B", illnesses=("Flu",)),)
        assert (entry.site, entry.route, entry.place) == ("left arm", "Injection, intramuscular", "Tarn Clinic")
        assert (entry.given_by, entry.ordered_by) == (("Nurse Lark",), ("Dr. Ada Rose",))
        assert (entry.amount.shown, entry.reasons) == ("0.5 mL", ("Yearly",))
        assert [(reaction.what, reaction.when.starts) for reaction in entry.reactions] == [("Fever", "2013-01-11")]
        assert entry.said == ("Sore arm afterwards",)

    def test_is_reported_alike_in_both(self):
        assert old(reported=True) == new(primarySource=False)
        assert old(reported=True).is_reported
        assert replace(old(reported=True), is_reported=False) == new()

    def test_was_not_given_alike_in_both(self):
        reason = {"coding": [{"code": "MEDPREC", "display": "medical precaution"}]}
        before = old(wasNotGiven=True, explanation={"reasonNotGiven": [reason]})
        assert before == new(status="not-done", statusReason=reason, reasonCode=None)
        assert (before.status, before.group, before.is_dose) == (Status.WAS_NOT_GIVEN, Group.WAS_NOT_GIVEN, False)
        assert before.reasons_not == ("medical precaution",)

    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            ("in-progress", Status.NOT_COMPLETED),
            ("on-hold", Status.NOT_COMPLETED),
            ("stopped", Status.NOT_COMPLETED),
            (None, Status.NOT_GIVEN),
            ("soon", Status.NOT_GIVEN),
        ],
    )
    def test_is_no_dose_with_any_other_status(self, sent, status):
        assert (old(status=sent).status, old(status=sent).is_dose) == (status, False)

    def test_keeps_a_date_that_was_sent_as_text(self):
        assert new(occurrenceDateTime=None, occurrenceString="January 2012, by mouth").when.text

    @pytest.mark.parametrize("number", [{"doseNumberString": "booster"}, {"doseNumber": "booster"}])
    def test_keeps_a_dose_number_that_was_sent_as_text(self, number):
        assert new(protocolApplied=[number]).doses == (Dose(number="booster"),)


class TestNoKnownVaccines:
    @pytest.mark.parametrize("code", ["no-known-immunizations", "no-immunization-info"])
    def test_are_no_vaccine(self, code):
        system = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"
        entry = new(vaccineCode={"coding": [{"system": system, "code": code}]})
        is_none = code == "no-known-immunizations"
        assert (entry.is_known_absence, entry.says_no_information) == (is_none, not is_none)
        assert entry.group is (Group.NONE_KNOWN if is_none else Group.NO_INFORMATION)


class TestWhatAVaccineIsAgainst:
    @pytest.mark.parametrize(
        ("code", "against"),
        [
            ("141", {Illness.FLU}),
            ("187", {Illness.SHINGLES}),
            ("03", {Illness.MEASLES, Illness.MUMPS, Illness.RUBELLA}),
            ("3", {Illness.MEASLES, Illness.MUMPS, Illness.RUBELLA}),
            ("115", {Illness.TETANUS, Illness.DIPHTHERIA, Illness.WHOOPING_COUGH}),
            ("113", {Illness.TETANUS, Illness.DIPHTHERIA}),
            ("999", set()),
            ("", set()),
        ],
    )
    def test_is_known_by_its_code(self, code, against):
        coding = {"system": "http://hl7.org/fhir/sid/cvx", "code": code, "display": "x"}
        assert set(new(vaccineCode={"coding": [coding]}).illnesses) == against
        assert new(vaccineCode={"coding": [{**coding, "system": "http://local"}]}).illnesses == ()

    def test_has_words(self):
        assert set(illnesses.ILLNESS_WORDS) == set(Illness)


class TestARecommendation:
    DSTU2 = {
        "resourceType": "ImmunizationRecommendation",
        "id": "r1",
        "recommendation": [
            {
                "date": "2015-02-09",
                "vaccineCode": FLU,
                "doseNumber": 1,
                "dateCriterion": [
                    {"code": {"coding": [{"code": "latest"}]}, "value": "2016-12-01"},
                    {"code": {"coding": [{"code": "earliest"}]}, "value": "2015-11-01"},
                    {"code": {"coding": [{"code": "due"}]}, "value": "2015-12-01"},
                ],
                "forecastStatus": {"text": "Not complete"},
            }
        ],
    }
    R4 = {
        "resourceType": "ImmunizationRecommendation",
        "id": "r1",
        "date": "2015-02-09",
        "recommendation": [
            {
                "vaccineCode": [FLU],
                "doseNumberPositiveInt": 1,
                "dateCriterion": [
                    {"code": {"coding": [{"code": "59777-3"}]}, "value": "2016-12-01"},
                    {"code": {"coding": [{"code": "30981-5"}]}, "value": "2015-11-01"},
                    {"code": {"coding": [{"code": "30980-7"}]}, "value": "2015-12-01"},
                ],
                "forecastStatus": {"text": "Not complete"},
            }
        ],
    }

    def test_is_the_same_entry(self):
        before, after = (immunizations.present_recommendation(sent, Context()) for sent in (self.DSTU2, self.R4))
        assert before == after
        (recommended,) = after.recommendations
        assert (after.title, after.when.starts, recommended.due.starts) == (
            "Fluvax (Influenza)",
            "2015-02-09",
            "2015-12-01",
        )
        assert (recommended.status, recommended.dose, recommended.until.starts) == ("Not complete", "1", "2016-12-01")

    def test_says_an_illness_where_no_vaccine_was_named(self):
        sent = {"recommendation": [{"targetDisease": {"text": "Measles"}}, {}, None]}
        assert immunizations.present_recommendation(sent, Context()).title == "Measles"

    @given(odd(*ELEMENTS))
    def test_never_raises_and_can_always_be_shelved(self, content):
        shelved(immunizations.present_recommendation, content)


class TestAnUglyVaccine:
    @given(odd(*ELEMENTS))
    def test_never_raises_and_can_always_be_shelved(self, content):
        shelved(immunizations.present, content)

    @pytest.mark.parametrize("sent", [R4, {"resourceType": "Immunization", "id": "i1"}])
    def test_keeps_nothing_of_what_was_entered_in_error(self, sent):
        entry = immunizations.present({**sent, "status": "entered-in-error"}, Context())
        assert entry == ImmunizationEntry(resource_type="Immunization", logical_id="i1", is_withdrawn=True)

    def test_is_withheld_where_it_is_masked(self):
        url = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
        assert new(vaccineCode={"extension": [{"url": url, "valueCode": "masked"}]}).is_withheld


class TestVaccinesOfOthers:
    def test_have_a_title_and_a_date_where_one_was_sent(self):
        pairs = corpus.presented(immunizations.present, "Immunization")
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, "date", "occurrenceDateTime", "occurrenceString") >= 0.98

    def test_are_known_by_the_illness(self):
        entries = [entry for _, entry in corpus.presented(immunizations.present, "Immunization")]
        coded = [entry for entry in entries if any("cvx" in code.system for code in entry.codes)]
        known = [entry for entry in coded if isinstance(entry, ImmunizationEntry) and entry.illnesses]
        assert corpus.share(len(known), len(coded)) >= 0.98


class TestTheWords:
    def test_are_there_for_every_member(self):
        assert set(immunizations.STATUS_WORDS) == set(Status)
        assert set(immunizations.GROUP_WORDS) == set(Group)
