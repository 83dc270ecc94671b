"""What the first page of a record leaves to the lists: questionnaires, how somebody lives, causes of death."""

import pytest

from apps.records.presenters.questionnaires import QuestionnaireEntry
from apps.records.presenters.reports import ReportEntry
from apps.records.presenters.sensitivity import delicate as delicate_matters
from tests.records.pages import page
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

LATEST = "Sodium"


def answer(number, name, code, category):
    return {**result(number, name=name, code=code), "category": [{"coding": [{"code": category}]}]}


def coded(code, display):
    return {"system": "http://loinc.org", "code": code, "display": display}


def report(number, name):
    told = {**result(number, name=name, code="0-0"), "resourceType": "DiagnosticReport"}
    del told["valueQuantity"]
    return told


DELICATE = {
    "an answer to a survey": answer(0, "Little interest in things", "0-1", "survey"),
    "how somebody lives": answer(0, "Tobacco use", "72166-2", "laboratory"),
    "an item called a laboratory's": answer(0, "Thoughts about death", "44260-8", "laboratory"),
    "a cause of death": answer(0, "Cause of death", "69453-9", "exam"),
    "a cause of death in Spanish": answer(0, "Causa de muerte", "0-2", "exam"),
    "a score without a code of LOINC": answer(0, "PHQ-9 total score", "x", "laboratory"),
    "a score that only its code names": {
        **answer(0, "Mood", "0-3", "exam"),
        "code": {"text": "Mood", "coding": [coded("0-3", "PHQ-9 total score")]},
    },
    "a panel with such an item": {
        **answer(0, "Screening panel", "0-4", "exam"),
        "component": [{"code": {"coding": [coded("44260-8", "Item 9")]}, "valueInteger": 1}],
    },
    "a questionnaire's report": report(0, "Patient Health Questionnaire 9 item"),
}
delicate = pytest.mark.parametrize("sent", DELICATE.values(), ids=DELICATE)


class TestTheFirstPage:
    @delicate
    def test_does_not_name_it_among_the_latest_results(self, hers, connection, sent):
        keep(connection, sent, result(1))
        text = page(hers, "whole_record")
        assert LATEST in text
        assert sent["code"]["text"] not in text

    @delicate
    def test_leaves_it_in_the_lists(self, hers, connection, sent):
        keep(connection, sent, result(1))
        subject = "history" if sent is DELICATE["how somebody lives"] else "results"
        assert sent["code"]["text"] in page(hers, "subject", subject)

    def test_names_results_behind_more_of_them_than_it_reads(self, hers, connection):
        answers = [answer(number, f"Question {number}", f"0-{number}", "survey") for number in range(40)]
        keep(connection, *answers, result(50))
        text = page(hers, "whole_record")
        assert LATEST in text
        assert "Question" not in text

    def test_tells_a_stranger_none_of_it(self, client, sam, connection):
        keep(connection, *DELICATE.values(), result(1))
        client.force_login(sam)
        assert LATEST not in page(client, "whole_record")

    def test_names_no_questionnaire_by_whatever_title(self):
        assert delicate_matters.is_delicate(QuestionnaireEntry(title="Before your visit"))

    @pytest.mark.parametrize("title", ["XR Skeletal survey", "Bones Survey Views", "Metastatic bone survey"])
    def test_names_a_picture_of_bones(self, title):
        assert not delicate_matters.is_delicate(ReportEntry(title=title))
