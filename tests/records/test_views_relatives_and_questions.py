"""What relatives had, and what was asked and answered, as their pages say it."""

import re

import pytest
from django.urls import reverse

from apps.records.models import Record
from apps.records.presenters import family, plain_names, visits
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db

ROLES = "http://terminology.hl7.org/CodeSystem/v3-RoleCode"


def page(client, name, *args):
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


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

    def test_sent_as_a_code_that_nobody_knows_is_called_by_the_name(self, hers, connection):
        keep(connection, relative("X9", name="Mary"))
        assert ">Mary<" in page(hers, "subject", "history")

    def test_has_the_key_of_nothing_else_that_a_search_calls_by_words_of_ours(self):
        others = {name.key for name in plain_names.NAMES} | {kind.value for kind in visits.Kind}
        assert others.isdisjoint(kin.value for kin in family.Relative)
        assert set(family.RELATIVE_WORDS) == set(family.Relative)


class TestAQuestionnaire:
    def test_shows_questions_and_answers_and_no_number_of_ours(self, hers, connection):
        asked = {"text": "Do you smoke?", "answer": [{"valueString": "Never"}]}
        keep(
            connection,
            {
                "resourceType": "QuestionnaireResponse",
                "id": "q1",
                "status": "completed",
                "subject": {"reference": f"Patient/{PATIENT_ID}"},
                "item": [{"text": "Habits", "item": [{"text": "Tobacco", "item": [asked]}]}],
            },
        )
        told = page(hers, "entry", "other", Record.objects.get(logical_id="q1").pk)
        assert "Do you smoke? · Never" in told
        assert "Never ·" not in told
        assert "Tobacco ·" not in told
