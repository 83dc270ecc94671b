"""Words of a provider in another language than the page's are marked for screen readers (WCAG 3.1.2)."""

import re
from typing import Any

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db


def entry(client, language):
    client.cookies["django_language"] = language
    pk = Record.objects.get(logical_id="o0").pk
    return client.get(reverse("entry", args=["results", pk])).content.decode()


class TestTheLanguageOfAnEntry:
    def test_is_that_of_what_the_provider_wrote_and_not_of_our_words(self, hers, sam, connection):
        named = result(0, name="Peptide", code="1-1")
        keep(connection, {**named, "language": "en-US", "note": [{"text": "Drink more water."}]})
        told = entry(hers, "es")
        assert '<h1 lang="en-US" dir="auto">Peptide</h1>' in told
        assert '<div class="quoted" dir="auto" lang="en-US"><p>Drink more water.' in told
        assert 'lang="en-US"' not in entry(hers, "en")
        hers.force_login(sam)
        pk = Record.objects.get(logical_id="o0").pk
        assert hers.get(reverse("entry", args=["results", pk])).status_code == 404

    def test_is_beside_a_name_of_ours_that_of_theirs(self, hers, connection):
        keep(connection, {**result(0), "language": "en"})
        told = entry(hers, "es")
        assert "<h1>Sodio" in told
        assert '<span lang="en" dir="auto">“Sodium”</span>' in told

    @pytest.mark.parametrize("sent", ["", '"><b>', "english please"])
    def test_is_none_where_none_was_sent_that_is_one(self, hers, connection, sent):
        keep(connection, {**result(0, name="Peptide", code="1-1"), **({"language": sent} if sent else {})})
        assert "<h1>Peptide</h1>" in entry(hers, "es")


def address(name):
    """Where the entry, or another page that names it, is."""
    pk = Record.objects.get(logical_id="o0").pk
    args: dict[str, list[Any]] = {"subject": ["results"], "over_time": ["results", pk]}
    return reverse(name, args=args.get(name, []))


class TestTheLanguageOfARow:
    NAMED = '<span lang="ar" dir="auto">تحليل</span>'

    @pytest.fixture
    def named(self, connection):
        keep(connection, {**result(0, name="تحليل", code="1-1"), "language": "ar"}, result(1))

    @pytest.mark.parametrize("page", ["subject", "everything_by_date", "whole_record"])
    def test_is_that_of_the_providers_words(self, hers, sam, named, page):
        text = hers.get(address(page)).content.decode()
        assert self.NAMED in text
        assert text.count('lang="ar"') == 1
        hers.force_login(sam)
        assert 'lang="ar"' not in hers.get(address(page)).content.decode()

    def test_is_that_of_a_heading_over_time(self, hers, named):
        assert '<h1 lang="ar" dir="auto">تحليل</h1>' in hers.get(address("over_time")).content.decode()

    def test_is_that_of_what_is_found(self, hers, named):
        text = hers.post(reverse("search_record"), {"words": "تحليل"}, follow=True).content.decode()
        assert self.NAMED in text

    def test_is_not_that_of_a_name_of_ours(self, hers, connection):
        keep(connection, {**result(0), "language": "en"})
        hers.cookies["django_language"] = "es"
        text = hers.get(address("subject")).content.decode()
        assert '<span class="theirs">(<span lang="en" dir="auto">Sodium</span>)</span>' in text
        assert '<span class="row-title name">Sodio' in text

    def test_is_not_said_where_it_is_the_pages(self, hers, connection):
        keep(connection, {**result(0, name="Peptide", code="1-1"), "language": "en-US"})
        assert 'lang="en-US"' not in hers.get(address("subject")).content.decode()


def in_another(markup, language):
    """What a page says is in that language."""
    return re.findall(rf'<span lang="{language}" dir="auto">([^<]*)</span>', markup)


class TestTheLanguageOfADetail:
    """A row and a page tell the provider's words within sentences of ours."""

    MEDICINE = {
        **order("o0", status="on-hold"),
        "language": "es",
        "dosageInstruction": [{"text": "Una tableta al día, 10 mg"}],
        "statusReason": {"text": "Cirugía"},
        "requester": {"display": "Dra. Ada Rosa"},
    }

    def test_is_that_of_the_providers_words_alone(self, hers, connection):
        keep(connection, self.MEDICINE)
        markup = hers.get(reverse("subject", args=["medicines"])).content.decode()
        assert in_another(markup, "es") == ["Lisinopril 10 MG Oral Tablet", "Una tableta al día, 10 mg"]
        assert "Paused by the provider" in markup
        pk = Record.objects.get(logical_id="o0").pk
        page = hers.get(reverse("entry", args=["medicines", pk])).content.decode()
        assert in_another(page, "es") == ["Una tableta al día, 10 mg", "Cirugía"]
        hers.cookies["django_language"] = "es"
        assert 'lang="es" dir' not in hers.get(reverse("subject", args=["medicines"])).content.decode()

    def test_is_that_of_a_part_of_a_line(self, hers, connection):
        reaction = {"manifestation": [{"text": "Ronchas"}], "severity": "severe"}
        allergy = {"resourceType": "AllergyIntolerance", "id": "o0", "language": "es", "code": {"text": "Maní"}}
        keep(connection, {**allergy, "patient": {"reference": f"Patient/{PATIENT_ID}"}, "reaction": [reaction]})
        markup = hers.get(reverse("subject", args=["allergies"])).content.decode()
        assert "Ronchas" in in_another(markup, "es")
        assert not [said for said in in_another(markup, "es") if "severe" in said]

    def test_is_that_of_the_parts_of_a_report(self, hers, connection):
        report = {
            "resourceType": "DiagnosticReport",
            "id": "r1",
            "status": "final",
            "code": {"text": "Panel"},
            "subject": {"reference": f"Patient/{PATIENT_ID}"},
            "result": [{"reference": "Observation/o0"}],
        }
        found = {
            **result(0, name="Péptido", code="1-1"),
            "language": "es",
            "valueQuantity": None,
            "valueString": "Nada",
        }
        keep(connection, report, found)
        pk = Record.objects.get(logical_id="r1").pk
        markup = hers.get(reverse("entry", args=["results", pk])).content.decode()
        assert in_another(markup, "es") == ["Péptido", "Nada"]

    def test_is_that_of_questions_and_answers(self, hers, connection):
        answered = {"linkId": "1", "text": "¿Fuma?", "answer": [{"valueString": "A veces"}, {"valueBoolean": True}]}
        kept = {"resourceType": "QuestionnaireResponse", "id": "o0", "status": "completed", "language": "es"}
        keep(connection, {**kept, "subject": {"reference": f"Patient/{PATIENT_ID}"}, "item": [answered]})
        pk = Record.objects.get(logical_id="o0").pk
        markup = hers.get(reverse("entry", args=["other", pk])).content.decode()
        assert in_another(markup, "es") == ["¿Fuma?", "A veces"]

    def test_is_no_way_to_write_markup(self, hers, connection):
        keep(connection, {**self.MEDICINE, "dosageInstruction": [{"text": "<b>x</b> (.*"}]})
        markup = hers.get(reverse("subject", args=["medicines"])).content.decode()
        assert '<span lang="es" dir="auto">&lt;b&gt;x&lt;/b&gt; (.*</span>' in markup
