"""Orders, specimens, questionnaires, and all types that have no presenter."""

from typing import Any

import pytest
from hypothesis import given

from apps.records.presenters import orders, questionnaires, specimens
from apps.records.presenters.entry import NOT_GIVEN, Context
from apps.records.presenters.generic import any_resource
from apps.records.presenters.observations.values import Kind
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd, shelved

NAMES = (
    "title", "code", "type", "category", "name", "description", "status", "active", "agent", "who", "actor", "role",
    "target", "recorded", "collection", "collectedDateTime", "item", "answer", "group", "question", "valueCoding",
    "valueDecimal", "valueDate", "questionnaire", "_questionnaire", "authored", "event", "dateTime", "occurrencePeriod",
    "practitionerRole", "specialty", "telecom", "address", "relationship", "managingOrganization", "requester",
    "reasonCode", "note", "payload", "section", "contentString", "start", "date", "period",
)  # fmt: skip
PARTS = (
    "lensSpecification", "dispense", "eye", "sphere", "prism", "amount", "base", "duration", "notes", "oralDiet",
    "supplement", "enteralFormula", "administration", "schedule", "quantity", "rateQuantity", "total", "payment",
    "processNote", "disposition", "use", "provision", "dataPeriod", "purpose", "parameter", "valueRange", "series",
    "suppliedItem", "bodySite", "laterality", "diagnosis", "condition", "recipient", "emptyReason", "priority",
)  # fmt: skip
OF_PARTS = ("Consent", "DeviceRequest", "ExplanationOfBenefit", "ImagingStudy", "NutritionOrder", "VisionPrescription")
PRESENTERS = [any_resource, orders, questionnaires, specimens]
FINCH = {"resourceType": "Practitioner", "id": "f", "name": [{"family": "Finch", "given": ["Ada"]}]}
CONTEXT = Context(others={"Practitioner/f": FINCH})
TO_FINCH = {"reference": "Practitioner/f"}


class TestEveryOneOfThem:
    @pytest.mark.parametrize("module", PRESENTERS, ids=lambda module: module.__name__.rpartition(".")[2])
    @given(content=odd(*NAMES))
    def test_never_raises_and_can_be_shelved(self, module, content):
        shelved(module.present, content)

    @pytest.mark.parametrize("kind", OF_PARTS)
    @given(content=odd(*NAMES, *PARTS))
    def test_of_many_parts_never_raises_and_can_be_shelved(self, kind, content):
        whole = {**content, "resourceType": kind} if isinstance(content, dict) else content
        shelved(any_resource.present, whole)

    @pytest.mark.parametrize("module", PRESENTERS, ids=lambda module: module.__name__.rpartition(".")[2])
    def test_says_nothing_of_what_was_entered_in_error(self, module):
        entry = module.present({"id": "x", "status": "entered-in-error", "code": {"text": "Canary"}}, Context())
        assert entry.is_withdrawn
        assert "Canary" not in repr(entry)


class TestAnOrder:
    def test_says_what_was_asked_for_by_whom_and_why(self):
        sent = {"code": {"text": "Chest X-ray"}, "status": "active", "authoredOn": "2026-05-01", "requester": TO_FINCH}
        entry = orders.present({**sent, "reasonCode": [{"text": "Cough"}]}, CONTEXT)
        assert (entry.title, entry.status, entry.people) == ("Chest X-ray", "ordered", ("Ada Finch",))
        assert (entry.reasons, entry.when.starts) == (("Cough",), "2026-05-01")

    def test_of_dstu2_says_so_by_its_items_and_events(self):
        sent = {"item": [{"code": {"text": "Lipids"}}], "event": [{"status": "requested", "dateTime": "2013-05-02"}]}
        entry = orders.present({**sent, "orderer": TO_FINCH, "status": "requested"}, CONTEXT)
        assert (entry.title, entry.when.starts, entry.people) == ("Lipids", "2013-05-02", ("Ada Finch",))

    def test_of_others_has_a_title_and_a_date_where_one_was_sent(self):
        pairs = corpus.presented(orders.present, "ServiceRequest", "DiagnosticOrder", "ProcedureRequest")
        assert corpus.titled(pairs) >= 0.98
        assert corpus.dated(pairs, "authoredOn", "orderedOn", "occurrenceDateTime") >= 0.98


class TestAQuestionnaire:
    def test_is_the_same_from_both_versions(self):
        shared = {"id": "q", "status": "completed", "authored": "2026-05-01"}
        question = {"text": "Do you smoke?", "answer": [{"valueCoding": {"display": "No"}}]}
        dstu2 = {**shared, "group": {"title": "Habits", "question": [question]}}
        r4 = {**shared, "item": [{"text": "Habits", "item": [question]}]}
        entry = questionnaires.present(r4, Context())
        assert questionnaires.present(dstu2, Context()) == entry
        assert [(line.text, line.depth) for line in entry.lines] == [("Habits", 0), ("Do you smoke?", 1)]
        assert entry.lines[1].answers[0].text == "No"

    def test_says_where_it_was_cut(self):
        entry = questionnaires.present({"item": [{"text": str(number)} for number in range(400)]}, Context())
        assert (len(entry.lines), entry.is_cut) == (300, True)

    def test_says_that_it_was_cut_where_answers_are_too_many_or_parts_too_deep(self):
        answers = [{"valueString": str(number)} for number in range(21)]
        deep: dict[str, Any] = {"text": "?"}
        for _level in range(13):
            deep = {"text": "?", "item": [deep]}
        many: list[dict[str, Any]] = [{"text": "?", "answer": each} for each in (answers, answers[1:])]
        for item in (many[0], deep):
            assert questionnaires.present({"item": [item]}, Context()).is_cut
        for item in (many[1], deep["item"][0]):
            assert not questionnaires.present({"item": [item]}, Context()).is_cut

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            ({"valueReference": {"reference": "Practitioner/f"}}, "Ada Finch"),
            ({"valueReference": {"reference": "Practitioner/elsewhere"}}, "Practitioner/elsewhere"),
            ({"valueMoney": {"value": 5, "currency": "EUR"}}, "EUR"),
            ({"valueDecimal": 0.0000001}, "0.0000001"),
        ],
    )
    def test_tells_an_answer_that_it_cannot_read_as_it_was_sent(self, answer, said):
        (line,) = questionnaires.present({"item": [{"text": "?", "answer": [answer]}]}, CONTEXT).lines
        (told,) = line.answers
        assert said in told.text

    def test_has_no_answer_where_only_a_reason_was_sent(self):
        silent = {"_valueString": {"extension": [{"url": "x/data-absent-reason", "valueCode": "asked-declined"}]}}
        (line,) = questionnaires.present({"item": [{"text": "?", "answer": [silent]}]}, CONTEXT).lines
        assert line.answers == ()

    @pytest.mark.parametrize(
        ("answer", "kind"),
        [
            ({"valueDecimal": 1.50}, Kind.TEXT),
            ({"valueDate": "2020-01"}, Kind.MOMENT),
            ({"valueBoolean": True}, Kind.YES_OR_NO),
            ({"valueReference": {"display": "Dr. Finch"}}, Kind.TEXT),
        ],
    )
    def test_takes_every_kind_of_answer(self, answer, kind):
        (line,) = questionnaires.present({"item": [{"text": "?", "answer": [answer]}]}, Context()).lines
        assert [answer.kind for answer in line.answers] == [kind]


class TestASpecimen:
    def test_says_what_was_taken_and_when(self):
        sent = {"type": {"text": "Blood"}, "collection": {"collectedDateTime": "2026-05-01", "collector": TO_FINCH}}
        entry = specimens.present({**sent, "status": "unsatisfactory"}, CONTEXT)
        assert (entry.title, entry.when.starts, entry.people) == ("Blood", "2026-05-01", ("Ada Finch",))
        assert entry.status == "not-usable"


class TestWhatHasNoPresenter:
    @pytest.mark.parametrize(
        ("sent", "title"),
        [
            ({"code": {"text": "Allergy alert"}}, "Allergy alert"),
            ({"code": {"coding": [{"code": "123"}]}}, ""),
            ({"resourceType": "Flag", "id": "x", "kind": "a-code"}, ""),
            ({"description": "Walk in"}, "Walk in"),
            ({"medicationReference": {"display": "Aspirin"}}, "Aspirin"),
            ({"payload": [{"contentString": "Please call"}]}, "Please call"),
            ({"text": {"div": "<div>Said <b>so</b></div>"}}, "Said so"),
        ],
    )
    def test_is_called_by_words_and_never_by_a_code(self, sent, title):
        assert any_resource.present(sent, Context()).title == title

    @pytest.mark.parametrize(
        ("code", "status", "group"),
        [
            ("active", "current", "listed"),
            ("completed", "done", "listed"),
            ("aborted", "stopped", "past"),
            ("onhold", "paused", "listed"),
            ("not-done", "not-done", "past"),
            ("cancelled", "canceled", "past"),
            ("inactive", "past", "past"),
            ("whatever", NOT_GIVEN, NOT_GIVEN),
        ],
    )
    def test_is_past_only_where_that_was_said_and_on_no_current_list(self, code, status, group):
        entry = any_resource.present({"description": "x", "status": code}, Context())
        assert (entry.status, entry.group) == (status, group)

    def test_of_others_has_a_title_wherever_anybody_wrote_one(self):
        kinds = ("Flag", "Appointment", "Communication", "NutritionOrder", "Media", "Consent", "ClinicalImpression")
        found = corpus.presented(any_resource.present, *kinds)
        untitled = [resource["id"] for resource, entry in found if not entry.title]
        assert untitled == ["consent-example-smartonfhir"]  # nothing but codes, and what a program makes of them
        assert not [entry.title for _resource, entry in found if entry.title.startswith("Generated")]
