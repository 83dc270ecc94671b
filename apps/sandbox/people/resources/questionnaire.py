"""Questionnaire and QuestionnaireResponse: R4 only. The practice has one questionnaire, two questions about mood."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.clinic import MOOD_ANSWERS, MOOD_QUESTIONS
from apps.sandbox.people.elements import Element, moment
from apps.sandbox.people.facts import Answers

_ADDRESS = "urn:oid:2.16.840.1.113883.3.9999.4"  # canonical, invented


def r4(questionnaire_id: str) -> Element:
    """The practice's Questionnaire in R4."""
    return {
        "resourceType": "Questionnaire",
        "id": questionnaire_id,
        "url": _ADDRESS,
        "name": "MoodInTwoQuestions",
        "title": "Your mood in the last two weeks",
        "status": "active",
        "subjectType": ["Patient"],
        "item": [
            {
                "linkId": str(number),
                "text": question,
                "type": "choice",
                "answerOption": [{"valueString": answer} for answer in MOOD_ANSWERS],
            }
            for number, question in enumerate(MOOD_QUESTIONS, start=1)
        ],
    }


def r4_response(fact: Answers, chart: Chart) -> Element:
    """QuestionnaireResponse in R4."""
    return {
        "resourceType": "QuestionnaireResponse",
        "id": chart.id("QuestionnaireResponse", fact.key),
        "questionnaire": _ADDRESS,
        "status": "completed",
        "subject": chart.subject(),
        "authored": moment(fact.at),
        "author": chart.subject(),
        "item": [
            {"linkId": str(number), "text": question, "answer": [{"valueString": MOOD_ANSWERS[answer]}]}
            for number, (question, answer) in enumerate(zip(MOOD_QUESTIONS, fact.answers, strict=True), start=1)
        ],
    }
