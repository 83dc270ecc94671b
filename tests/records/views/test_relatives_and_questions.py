"""The pages of family history and of questionnaires."""

import re

import pytest
from django.urls import reverse

from apps.records.models import Record
from apps.records.presenters import plain_names, visits
from apps.records.presenters.persons import relatives
from tests.records.pages import page
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db

ROLES = "http://terminology.hl7.org/CodeSystem/v3-RoleCode"


def relative(code, **also):
    return {
        "resourceType": "FamilyMemberHistory",
        "id": "f1",
        "status": "completed",
        "patient": {"reference": f"Patient/{PATIENT_ID}"},
        "relationship": {"coding": [{"system": ROLES, "code": code}]},
        "condition": [{"code": {"text": "Stroke"}}],
        **also,
    }


class TestARelative:
    @pytest.mark.parametrize("also", [{}, {"name": "Mary"}])
    def test_sent_as_a_code_alone_is_called_by_a_word_of_ours(self, hers, sam, connection, also):
        keep(connection, relative("MTH", **also))
        told = page(hers, "subject", "history")
        assert ">Mother<" in told
        assert "Unnamed entry" not in told
        pk = Record.objects.get(logical_id="f1").pk
        assert "<h1>Mother</h1>" in page(hers, "entry", "history", pk)
        hers.force_login(sam)
        assert "Mother" not in page(hers, "subject", "history")

    @pytest.mark.parametrize(
        ("code", "told"),
        [
            ("MGRMTH", "Grandmother on the mother&#x27;s side"),
            ("PAUNT", "Aunt on the father&#x27;s side"),
            ("HBRO", "Half-brother"),
            ("ADOPTM", "Adoptive mother"),
            ("STPFTH", "Stepfather"),
            ("WIFE", "Wife"),
        ],
    )
    def test_is_told_from_one_who_shares_more_or_less_of_what_runs_in_a_family(self, hers, connection, code, told):
        keep(connection, relative(code))
        assert f">{told}<" in page(hers, "subject", "history")

    @pytest.mark.parametrize(("deceased", "life"), [(True, "Has died"), (False, "Living")])
    def test_is_said_to_live_or_to_have_died_after_what_they_had(self, hers, connection, deceased, life):
        keep(connection, relative("MTH", deceasedBoolean=deceased))
        told = page(hers, "subject", "history")
        assert told.index("Stroke") < told.index(life)

    def test_sent_as_a_code_that_nobody_knows_is_called_by_the_name(self, hers, connection):
        keep(connection, relative("X9", name="Mary"))
        assert ">Mary<" in page(hers, "subject", "history")

    def test_has_the_key_of_nothing_else_that_a_search_calls_by_words_of_ours(self):
        others = {name.key for name in plain_names.NAMES} | {kind.value for kind in visits.Kind}
        assert others.isdisjoint(kin.value for kin in relatives.Relative)
        assert set(relatives.RELATIVE_WORDS) == set(relatives.Relative)


def asked(text, *answers, item=()):
    said = [{"valueString": answer} for answer in answers]
    return {"text": text, **({"answer": said} if said else {}), **({"item": list(item)} if item else {})}


def answered(*item):
    patient = {"reference": f"Patient/{PATIENT_ID}"}
    return {
        "resourceType": "QuestionnaireResponse", "id": "q1", "status": "completed", "subject": patient,
        "item": list(item),
    }  # fmt: skip


def questionnaire(client):
    return page(client, "entry", "other", Record.objects.get(logical_id="q1").pk)


def facts_of(told):
    """Each question with its answers, in the order of the page."""
    pairs = re.findall(r"<dt>(.*?)</dt>(.*?)</div>", told.partition("Questions and answers")[2])
    return [(question.strip(), *re.findall(r"<dd[^>]*>(.*?)</dd>", answers)) for question, answers in pairs]


class TestAQuestionnaire:
    def test_shows_questions_beside_their_answers_under_their_headings(self, hers, sam, connection):
        tobacco = asked("Tobacco", item=[asked("Do you smoke?", "No", "Never"), asked("Do you chew?")])
        keep(connection, answered(asked("Your name", "W"), asked("Habits", item=[tobacco]), {"answer": [
            {"valueBoolean": True, "item": [asked("Since when?", "March")]}]}))  # fmt: skip
        told = questionnaire(hers)
        assert facts_of(told) == [
            ("Your name", "W"),
            ("Do you smoke?", "No", "Never"),
            ("Do you chew?", "No answer"),
            ("The question was not sent", "Yes"),
            ("Since when?", "March"),
        ]
        assert re.findall(r"<h3[^>]*>(.*?)</h3>", told) == ["Habits · Tobacco"]
        assert told.count('class="follows"') == 1
        hers.force_login(sam)
        pk = Record.objects.get(logical_id="q1").pk
        assert hers.get(reverse("entry", args=["other", pk])).status_code == 404

    def test_says_where_there_is_more_than_it_shows(self, hers, connection):
        keep(connection, answered(*(asked(f"Question {number}", "Yes") for number in range(301))))
        told = questionnaire(hers)
        assert len(facts_of(told)) == 300
        assert "There are more. See “What the provider sent”." in told

    @pytest.mark.parametrize("answered_before", [299, 298, 297])
    def test_ends_with_no_heading_whose_questions_it_does_not_show(self, hers, connection, answered_before):
        before = [asked(f"Question {number}", "Yes") for number in range(answered_before)]
        within = asked("Habits", item=[asked("Tobacco", item=[asked("Do you smoke?", "No"), asked("How much?")])])
        keep(connection, answered(*before, within))
        told = questionnaire(hers)
        assert "No answer" not in told
        assert "There are more." in told
        assert ("Do you smoke?" in told) is (answered_before == 297)

    def test_has_no_heading_of_what_stands_too_deep(self, hers, connection):
        within = asked("Do you smoke?", "No")
        for depth in range(20):
            within = asked(f"Part {depth}", item=[within])
        keep(connection, answered(asked("Your name", "W"), within))
        told = questionnaire(hers)
        assert facts_of(told) == [("Your name", "W")]
        assert "There are more." in told

    def test_shows_what_was_answered_before(self, hers, connection):
        for said in ("Daily", "Never"):
            within = [asked("Do you smoke?", said), asked("Habits", item=[asked("Do you smoke?", said)])]
            keep(connection, answered(asked("A survey", item=within)))
        told = questionnaire(hers)
        assert [answer for question, answer in facts_of(told) if question == "Do you smoke?"] == [
            "Never",
            "Never",
            "Daily",
            "Daily",
        ]
        assert re.findall(r"<(h[34])[^>]*>(?:A survey · )?Habits<", told) == ["h3", "h4"]
        assert not re.findall(r"<h[34][^>]*>A survey<", told)  # it is the title already

    def test_without_a_title_is_not_called_by_its_first_question(self, hers, connection):
        keep(connection, answered(asked("Do you smoke?", "No"), asked("How much?")))
        row = page(hers, "subject", "other").split('class="row-link"')[1].split("</a>")[0]
        assert "Questionnaire" in row
        assert "(Do you smoke?)" in row
        assert "2 questions" in row
        told = questionnaire(hers)
        assert "<h1>Questionnaire</h1>" in told
        assert told.count("Do you smoke?") == 1

    def test_without_a_title_has_each_of_its_headings(self, hers, connection):
        keep(connection, answered(*(asked(name, item=[asked("Do you smoke?", "No")]) for name in ("Habits", "Work"))))
        told = questionnaire(hers)
        assert "<h1>Questionnaire</h1>" in told
        assert re.findall(r"<h3[^>]*>(.*?)</h3>", told) == ["Habits", "Work"]

    def test_has_parts_where_it_is_long_and_a_way_to_each(self, hers, connection):
        keep(connection, answered(*(asked(f"Question {number}", "Yes") for number in range(67))))
        told = questionnaire(hers)
        parts = [f"Questions {first} to {last}" for first, last in ((1, 20), (21, 40), (41, 60), (61, 67))]
        assert re.findall(r"<h3[^>]*>(.*?)</h3>", told) == parts
        assert len(facts_of(told)) == 67
        for number in range(1, 5):
            assert told.count(f'href="#part-{number}"') == told.count(f'id="part-{number}"') == 1

    def test_has_no_part_that_begins_in_the_middle_of_an_answer(self, hers, connection):
        answer = {"text": "Question 19", "answer": [{"valueString": "Yes", "item": [asked("Since when?", "March")]}]}
        questions = [asked(f"Question {number}", "Yes") for number in range(40)]
        keep(connection, answered(*questions[:19], answer, *questions[20:]))
        assert "Questions 1 to 21" in questionnaire(hers)

    def test_without_a_question_has_no_heading_for_them(self, hers, connection):
        keep(connection, answered())
        assert "Questions and answers" not in questionnaire(hers)
