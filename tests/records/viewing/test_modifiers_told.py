"""What may reverse the meaning of a whole entry (a modifier in FHIR) is shown wherever the entry is, and never as a
plain fact."""

import json
from typing import Any

import pytest
from django.urls import reverse

from apps.records import presenting
from apps.records.exporting import choosing, summaries
from apps.records.exporting.ips import documents
from apps.records.models import Record
from apps.records.presenters.entry import Context
from apps.records.viewing.wording import cautions
from tests.records.exporting.r4 import assert_r4
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.pages import ask, page
from tests.records.people import PATIENT_ID, allergy
from tests.records.shelved import keep, result

SAID = "Modifier extension urn:not: Value yes"
NOT: dict[str, Any] = {"modifierExtension": [{"url": "urn:not", "valueBoolean": True}]}
SENTENCE = "This entry carries a note that may change its meaning: "
ACTIVE = {"coding": [{"code": "active"}]}
NONE_KNOWN = {"coding": [{"system": "http://snomed.info/sct", "code": "716186003", "display": "No known allergy"}]}
MEDICINES, ALLERGIES = "10160-0", "48765-2"


def sent(resource_type: str, **elements: Any) -> dict[str, Any]:
    about = {"subject": {"reference": f"Patient/{PATIENT_ID}"}}
    return {"resourceType": resource_type, "id": "x", "description": "A walk", "status": "active", **about, **elements}


def presented(resource: dict[str, Any]) -> Any:
    body = json.dumps(resource).encode()
    return presenting.present(body, resource_type=resource["resourceType"], logical_id="x", context=Context())[1]


def summary(user: Any) -> dict[str, Any]:
    written = documents.document(choosing.choices(user, at=AT), at=AT)
    assert_r4(written)
    document: dict[str, Any] = json.loads(written)
    return document


def section(document: dict[str, Any], loinc: str) -> tuple[str, list[dict[str, Any]]]:
    """Its narrative, and the resources it refers to."""
    by_url = {each["fullUrl"]: each["resource"] for each in document["entry"]}
    (found,) = [
        each
        for each in by_url[document["entry"][0]["fullUrl"]]["section"]
        if each["code"]["coding"][0]["code"] == loinc
    ]
    return found["text"]["div"], [by_url[each["reference"]] for each in found.get("entry", ())]


class TestAnEntryOfAnyKind:
    @pytest.mark.parametrize("kind", [*presenting.PRESENTERS, "Slot"])
    def test_says_first_what_may_turn_it_around(self, kind):
        entry = presented(sent(kind, **NOT))
        assert entry.is_modified
        assert entry.said[0] == SAID

    @pytest.mark.parametrize("nothing", [{}, {"modifierExtension": []}, {"modifierExtension": None}])
    def test_says_nothing_of_it_where_nothing_was_sent(self, nothing):
        assert not presented(sent("Coverage", **nothing)).is_modified

    @pytest.mark.parametrize("status", ["status", "docStatus"])
    def test_stays_silent_where_it_was_recorded_by_mistake(self, status):
        entry = presented(sent("DocumentReference", **NOT, **{status: "entered-in-error"}))
        assert not entry.is_modified


@pytest.mark.django_db
class TestAPage:
    @pytest.mark.parametrize(
        ("subject", "resource"),
        [
            ("insurance", sent("Coverage", type={"text": "Gold plan"}, **NOT)),
            ("documents", sent("DocumentReference", type={"text": "Letter"}, **NOT)),
            ("visits", sent("Encounter", type=[{"text": "Check-up"}], **NOT)),
            ("other", sent("QuestionnaireResponse", item=[{"text": "Do you smoke?"}], **NOT)),
            ("conditions", sent("Condition", code={"text": "Flu"}, **NOT)),
            ("results", result(1) | NOT),
        ],
    )
    def test_says_it_in_the_list_and_before_the_facts(self, client, alice, sam, connection, subject, resource):
        keep(connection, resource)
        pk = Record.objects.get(resource_type=resource["resourceType"]).pk
        client.force_login(alice)
        assert f"{SENTENCE}{SAID}" in page(client, "subject", subject)
        own = page(client, "entry", subject, pk)
        assert own.count(f"{SENTENCE}{SAID}") == 1
        assert own.index(SENTENCE) < (own + "<dl").index("<dl")
        client.force_login(sam)
        assert client.get(reverse("entry", args=[subject, pk])).status_code == 404
        assert SENTENCE not in page(client, "subject", subject)

    def test_of_the_whole_record_names_no_such_thing_without_saying_so(self, client, alice, connection):
        keep(connection, sent("Condition", code={"text": "Flu"}, clinicalStatus=ACTIVE, **NOT), allergy("a1", **NOT))
        client.force_login(alice)
        told = page(client, "whole_record")
        assert f"{SENTENCE}{SAID}" in told
        assert "Pteridine (with a note that may change its meaning)" in told

    def test_does_not_state_plainly_that_no_allergies_are_known(self, client, alice, connection):
        keep(connection, allergy("a1", code=NONE_KNOWN, **NOT))
        client.force_login(alice)
        told = page(client, "whole_record")
        assert "“no known allergies”" in told
        assert f"{SENTENCE}{SAID}" in told

    def test_of_a_report_says_it_of_a_result_too(self, client, alice, connection):
        report = sent("DiagnosticReport", code={"text": "Panel"}, result=[{"reference": "Observation/o1"}])
        keep(connection, result(1) | NOT, report)
        client.force_login(alice)
        assert f"{SENTENCE}{SAID}" in page(client, "entry", "results", Record.objects.get(logical_id="x").pk)

    def test_does_not_lay_such_an_entry_together_with_a_plain_one(self, client, alice, connection):
        other = make_endpoint("https://other.example/r4")
        other.providers.update(name="Riverside Hospital")
        keep(connection, result(1))
        keep(make_connection(alice, other), result(1) | NOT)
        client.force_login(alice)
        told = page(client, "subject", "results")
        assert SENTENCE in told


@pytest.mark.django_db
class TestAPatientSummary:
    @pytest.mark.parametrize("version", ["r4", "dstu2"])
    def test_gives_such_an_entry_with_its_modifier_and_the_sentence(self, alice, version):
        connection = make_connection(alice, make_endpoint(f"https://one.example/{version}", version=version))
        keep(connection, allergy("a1", substance={"text": "Pteridine"}, **NOT))
        narrative, (told,) = section(summary(alice), ALLERGIES)
        assert f"{SENTENCE}{SAID}" in narrative
        assert told["modifierExtension"] == NOT["modifierExtension"]

    def test_marks_a_device_and_its_use(self, alice):
        keep(make_connection(alice), sent("Device", type={"text": "Pacemaker"}, **NOT))
        document = summary(alice)
        marked = [each["resource"] for each in document["entry"] if "modifierExtension" in each["resource"]]
        assert {each["resourceType"] for each in marked} == {"Device", "DeviceUseStatement"}

    def test_does_not_let_it_say_that_none_are_known(self, alice):
        keep(make_connection(alice), allergy("a1", code=NONE_KNOWN, **NOT))
        narrative, found = section(summary(alice), ALLERGIES)
        assert "recorded on" not in narrative
        assert "no-known-allergies" not in str(found)
        assert found[0]["modifierExtension"]

    def test_does_not_let_it_stand_for_an_older_plain_one(self, alice):
        flu = {"code": {"text": "Flu"}, "clinicalStatus": ACTIVE}
        old = sent("Condition", **flu, onsetDateTime="2019") | {"id": "old"}
        keep(make_connection(alice), old, sent("Condition", **flu, onsetDateTime="2020", **NOT))
        _narrative, found = section(summary(alice), "11450-4")
        assert sorted("modifierExtension" in each for each in found) == [False, True]

    @pytest.mark.parametrize(
        "odd",
        [
            "not", {}, [{}], [7], [{"url": "urn:a b", "valueBoolean": "yes"}], [{"url": "urn:a", "valueString": " "}],
            [{"url": "urn:a", "valueCode": {}}], [{"url": "urn:a", "valueBoolean": True, "valueString": "x"}],
            [{"url": "urn:a", "extension": [{"url": "b"}]}], [{"url": 7, "valueDecimal": 1.5}],
        ],
    )  # fmt: skip
    def test_stays_valid_whatever_was_sent(self, alice, odd):
        keep(make_connection(alice), allergy("a1", modifierExtension=odd))
        for each in summary(alice)["entry"]:
            for kept in each["resource"].get("modifierExtension", ()):
                assert kept["url"].startswith("urn:")
                assert len(kept) == 2


@pytest.mark.django_db
class TestTheSummaryOnPaper:
    def test_says_it_of_each_such_entry(self, alice):
        connection = make_connection(alice)
        keep(connection, allergy("a1", **NOT), sent("Coverage", type={"text": "Gold plan"}, **NOT))
        listed = {
            one.name: one.groups for one in summaries.summary(choosing.choices(alice, at=AT), at=AT).lists if one.count
        }
        assert len(listed) == 2
        for groups in listed.values():
            (row,) = groups[0].rows
            assert row.details[0].startswith(f"{SENTENCE}{SAID}")


class TestAPartThatIsModified:
    @pytest.mark.parametrize(
        ("resource", "loinc"),
        [
            (sent("Observation", component=[{"code": {"text": "Upper"}, "valueString": "120", **NOT}]), "30954-2"),
            (allergy("x", clinicalStatus=ACTIVE, reaction=[{"manifestation": [{"text": "Hives"}], **NOT}]), ALLERGIES),
        ],
    )
    def test_is_told_like_a_whole_that_is(self, alice, resource, loinc):
        entry = presented(resource)
        assert entry.is_modified
        assert entry.said[0] == SAID
        keep(make_connection(alice), resource)
        words, (told,) = section(summary(alice), loinc)
        assert SENTENCE in words
        assert told["modifierExtension"] == NOT["modifierExtension"]


class TestAModifierThatSaysNothing:
    def test_is_told_nevertheless(self):
        entry = presented({**allergy("x"), "modifierExtension": [{}]})
        assert cautions.of(entry) == f"{SENTENCE}…. Ask the provider."


class TestAPartOfAnyKind:
    @pytest.mark.parametrize(
        ("resource", "said"),
        [
            (sent("Encounter", participant=[{"individual": {"display": "Ada Rose"}, **NOT}]), f"Participant: {SAID}"),
            (sent("Consent", provision={"provision": [{"type": "permit", **NOT}]}), f"Provision: {SAID}"),
            (sent("MedicationRequest", contained=[{"resourceType": "Medication", **NOT}]), f"Contained: {SAID}"),
            (sent("CarePlan", activity=[{"detail": {"description": "Walk", **NOT}}]), f"Detail: {SAID}"),
        ],
    )
    def test_says_so_of_the_whole_with_its_name(self, resource, said):
        entry = presented(resource)
        assert entry.is_modified
        assert entry.said[0] == said
        assert f"{SENTENCE}{said}" in cautions.of(entry)

    def test_is_told_of_few_of_very_many(self):
        """Else one entry is longer than all the rest of its list."""
        parts = [{"modifierExtension": [{"url": "urn:not", "valueInteger": number}]} for number in range(3000)]
        entry = presented(sent("Observation", component=parts))
        assert entry.is_modified
        assert len(entry.said) == 60

    def test_comes_behind_what_turns_all_of_it_around(self):
        entry = presented(sent("Encounter", participant=[dict(NOT)], **NOT))
        assert entry.said[:2] == (SAID, f"Participant: {SAID}")

    def test_that_is_a_dosage_tells_its_own(self):
        entry = presented(sent("MedicationRequest", dosageInstruction=[{"text": "One daily", **NOT}]))
        assert not entry.is_modified
        assert entry.dosages[0].modified == (SAID,)

    def test_stays_silent_where_all_of_it_was_recorded_by_mistake(self):
        entry = presented(sent("Encounter", participant=[dict(NOT)]) | {"status": "entered-in-error"})
        assert (entry.is_modified, entry.said) == (False, ())

    def test_is_heeded_in_a_patient_summary(self, alice, db):
        keep(
            make_connection(alice),
            sent("Procedure", code={"text": "Surgery"}, performer=[dict(NOT)], status="completed"),
        )
        words, (told,) = section(summary(alice), "47519-4")
        assert f"{SENTENCE}Performer: {SAID}" in words
        assert words.count(SAID) == 1
        assert told["modifierExtension"] == NOT["modifierExtension"]


@pytest.mark.django_db
class TestAValueThatAnotherOneSpeaksAgainst:
    """In DSTU2, `Observation.related` says so."""

    @pytest.mark.parametrize(
        ("related", "said"),
        [
            ({"type": "interfered-by", "target": {"display": "Hemolysis"}}, "Interfered by: Hemolysis"),
            ({"type": "qualified-by", "target": {"reference": "#o2"}}, "Qualified by: Hemolysis"),
            ({"type": "qualified-by", "target": {"reference": "Observation/gone"}}, "Qualified by: …"),
            ({"type": "interfered-by"}, "Interfered by: …"),
        ],
    )
    def test_says_so_in_the_list_and_before_the_facts(self, client, alice, sam, related, said):
        connection = make_connection(alice, make_endpoint("https://one.example/dstu2", version="dstu2"))
        other = {"resourceType": "Observation", "id": "o2", "code": {"text": "Hemolysis"}}
        keep(connection, result(1) | {"related": [related], "contained": [other]})
        client.force_login(alice)
        assert f"{SENTENCE}{said}." in page(client, "subject", "results")
        pk = Record.objects.get(logical_id="o1").pk
        own = page(client, "entry", "results", pk)
        assert own.index(f"{SENTENCE}{said}.") < own.index("<dl")
        words, _found = section(summary(alice), "30954-2")
        assert f"{SENTENCE}{said}." in words
        client.force_login(sam)
        assert client.get(reverse("entry", args=["results", pk])).status_code == 404

    def test_stays_plain_where_the_other_is_a_part_or_a_source_of_it(self):
        parts = [{"type": kind, "target": {"display": "Part"}} for kind in ("has-member", "derived-from", "replaces")]
        entry = presented(result(1) | {"related": parts})
        assert (entry.is_modified, entry.said) == (False, ())

    def test_stays_silent_where_it_was_recorded_by_mistake(self):
        related = [{"type": "interfered-by", "target": {"display": "Hemolysis"}}]
        entry = presented(result(1) | {"related": related, "status": "entered-in-error"})
        assert (entry.is_modified, entry.said) == (False, ())


RULES = {"implicitRules": "http://example.org/rules/not"}
BY_RULES = "This entry follows rules that we do not know (http://example.org/rules/not)."


@pytest.mark.django_db
class TestRulesOfItsOwn:
    @pytest.mark.parametrize("version", ["r4", "dstu2"])
    def test_are_told_once_on_the_page_of_an_entry_and_in_no_list(self, client, alice, version):
        connection = make_connection(alice, make_endpoint(f"https://one.example/{version}", version=version))
        keep(connection, sent("Condition", code={"text": "Flu"}, clinicalStatus=ACTIVE, **RULES))
        client.force_login(alice)
        pk = Record.objects.get(resource_type="Condition").pk
        own = page(client, "entry", "conditions", pk)
        assert own.count(BY_RULES) == 1
        assert own.index(BY_RULES) < own.index("<dl")
        assert BY_RULES not in page(client, "subject", "conditions")

    @pytest.mark.parametrize("odd", ["", None, 7, [], {"x": "y"}])
    def test_are_none_where_no_address_was_sent(self, odd):
        assert cautions.of_rules(sent("Condition", implicitRules=odd)) == ""

    def test_are_told_beside_what_may_turn_it_around(self, client, alice, connection):
        keep(connection, sent("Condition", code={"text": "Flu"}, **RULES, **NOT))
        client.force_login(alice)
        own = page(client, "entry", "conditions", Record.objects.get(resource_type="Condition").pk)
        assert f"{SENTENCE}{SAID}" in own
        assert BY_RULES in own

    @pytest.mark.parametrize("status", ["entered-in-error", "active"])
    def test_are_told_of_nothing_that_was_withdrawn_or_is_hidden(self, client, alice, connection, status):
        hidden = {"meta": {"security": [{"code": "masked"}]}} if status == "active" else {}
        keep(connection, sent("Flag", code={"text": "Flu"}, **RULES, **hidden) | {"status": status})
        client.force_login(alice)
        assert BY_RULES not in page(client, "entry", "other", Record.objects.get(resource_type="Flag").pk)

    def test_go_into_a_patient_summary(self, alice):
        keep(make_connection(alice), allergy("a1", **RULES), sent("Device", type={"text": "Pacemaker"}, **RULES))
        document = summary(alice)
        words, (told,) = section(document, ALLERGIES)
        assert words.count(BY_RULES) == 1
        assert told["implicitRules"] == RULES["implicitRules"]
        marked = [each["resource"] for each in document["entry"] if "implicitRules" in each["resource"]]
        assert {each["resourceType"] for each in marked} == {"AllergyIntolerance", "Device", "DeviceUseStatement"}

    def test_that_are_no_address_are_told_in_words_alone(self, alice):
        keep(make_connection(alice), allergy("a1", implicitRules="not"))
        words, (told,) = section(summary(alice), ALLERGIES)
        assert "follows rules that we do not know (not)" in words
        assert "implicitRules" not in told


@pytest.mark.django_db
class TestASearch:
    def test_says_of_what_it_finds_that_it_may_mean_something_else(self, client, alice, connection):
        flu = sent("Condition", code={"text": "Flu"}, clinicalStatus=ACTIVE)
        keep(connection, {**flu, **NOT}, {**flu, "id": "plain"})
        client.force_login(alice)
        assert ask(client, "flu").count("With a note that may change its meaning") == 1
