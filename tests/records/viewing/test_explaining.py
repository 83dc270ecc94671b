"""Our explanation of a test, beside the provider's words."""

import re

import pytest
from django.urls import reverse
from django.utils import translation

from apps.records.models import Record
from apps.records.presenters.entry import Code, Entry
from apps.records.presenters.plain_names import NAMES
from apps.records.presenters.plain_names.documents import DOCUMENTS
from apps.records.presenters.plain_names.visits import VISITS
from apps.records.viewing import explaining
from tests.records.pages import main, page
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, result

LOINC = "http://loinc.org"
SAYS_ITSELF = {"temperature", "weight", "height", "waist", "smoking", *(name.key for name in (*DOCUMENTS, *VISITS))}
EXPLAINED = [name.key for name in NAMES if name.key not in SAYS_ITSELF]
# Patient experience 1.6 and 3.0: no advice, no risk, no judgment.
JUDGING = {
    "en": {"normal", "abnormal", "bad", "good", "should", "must", "risk", "danger", "dangerous", "healthy", "improve"},
    "es": {"normal", "anormal", "malo", "bueno", "debe", "riesgo", "peligro", "peligroso", "sano", "mejorar"},
}
MOST_WORDS = 26  # of a sentence; Spanish needs a quarter more than English
SODIUM = "A salt that keeps the water in the body in balance, within cells and around them."


def longest(said):
    """How many words the longest of these sentences has."""
    return max(len(sentence.split()) for sentence in re.split(r"(?<=[.;]) ", said))


class TestTheWords:
    def test_are_of_every_plain_name_that_does_not_say_itself(self):
        assert {name.key for name in NAMES if not explaining.of_name(name.key)} == SAYS_ITSELF

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_are_short_and_judge_nobody(self, language):
        with translation.override(language):
            told = {key: explaining.of_name(key) for key in EXPLAINED}
        assert {
            key: said for key, said in told.items() if JUDGING[language] & set(re.findall(r"\w+", said.lower()))
        } == {}
        assert {key: said for key, said in told.items() if longest(said) > MOST_WORDS} == {}

    def test_are_in_the_language_of_the_reader(self):
        with translation.override("es"):
            spanish = {key: explaining.of_name(key) for key in EXPLAINED}
        with translation.override("en"):
            assert [key for key in EXPLAINED if explaining.of_name(key) == spanish[key]] == []

    def test_say_in_spanish_that_each_of_two_fats_is_higher_and_not_that_there_are_more_than_two(self):
        with translation.override("es"):
            assert "más de dos" not in explaining.of_name("high-cholesterol-and-triglycerides")

    def test_of_an_irritable_bowel_name_no_sign_that_one_of_its_codes_rules_out(self):
        """K58.9 of ICD-10-CM is irritable bowel syndrome without diarrhea."""
        with translation.override("en"):
            assert "diarrhea" not in explaining.of_name("irritable-bowel")
        with translation.override("es"):
            assert "diarrea" not in explaining.of_name("irritable-bowel")

    @pytest.mark.parametrize("key", ["urine-culture", "blood-culture"])
    def test_of_a_culture_do_not_say_that_there_are_germs(self, key):
        with translation.override("en"):
            assert "whether germs grow" in explaining.of_name(key)

    def test_of_a_condition_are_none_of_a_goal_with_its_code(self):
        codes = (Code("http://snomed.info/sct", "44054006"),)
        assert explaining.of(Entry(resource_type="Condition", codes=codes))
        assert explaining.of(Entry(resource_type="Goal", codes=codes)) == ""

    def test_are_none_of_a_code_that_we_do_not_know(self):
        assert explaining.of(Entry(codes=(Code(LOINC, "58941-6"),))) == ""

    def test_are_none_of_what_the_provider_hides(self):
        assert explaining.of(Entry(codes=(Code(LOINC, "2823-3"),), is_withheld=True)) == ""


@pytest.mark.django_db
class TestACondition:
    def told(self, logical_id, code, text):
        return {
            "resourceType": "Condition",
            "id": logical_id,
            "clinicalStatus": {"coding": [{"code": "active"}]},
            "code": {"text": text, "coding": [{"system": "http://snomed.info/sct", "code": code}]},
            "subject": {"reference": f"Patient/{PATIENT_ID}"},
        }

    @pytest.fixture
    def kept(self, connection):
        keep(
            connection,
            self.told("c1", "59621000", "Essential hypertension"),
            self.told("c2", "49436004", "Atrial fibrillation"),
            self.told("c3", "19242006", "Essential tremor"),
        )

    def test_stands_by_a_plain_name_with_the_provider_s_beside_where_that_says_more(self, hers, kept):
        said = main(hers, "subject", "conditions")
        assert 'High blood pressure <span class="theirs">(Essential hypertension)</span>' in said
        assert "Irregular heartbeat (atrial fibrillation)</span>" in said
        assert "Essential tremor</span>" in said

    def test_keeps_the_provider_s_word_that_is_only_a_part_of_ours(self, hers, connection):
        keep(connection, self.told("c4", "266257000", "Stroke"), self.told("c5", "714628002", "Diabetes"))
        said = main(hers, "subject", "conditions")
        assert 'Passing signs of a stroke (TIA) <span class="theirs">(Stroke)</span>' in said
        assert 'Blood sugar above usual (prediabetes) <span class="theirs">(Diabetes)</span>' in said

    def test_stands_with_the_provider_s_words_among_what_matters_now(self, hers, connection, kept):
        keep(connection, self.told("c6", "38341003", "Hypertensive disorder"))
        said = page(hers, "whole_record").split("What matters now")[1]
        assert "(Essential hypertension; Hypertensive disorder)</span></a>" in said
        assert "Irregular heartbeat (atrial fibrillation)</a>" in said

    def test_stands_a_to_z_by_its_plain_name_and_by_its_newest_entry(self, hers, connection, kept):
        newest = {**self.told("c7", "38341003", "Hypertensive disorder"), "onsetDateTime": "2024-05-03"}
        keep(connection, newest, self.told("c8", "195967001", "Asthma"))
        names = re.findall(r'row-title name">([^<(]+?) ?[<(]', main(hers, "subject", "conditions"))
        assert names == ["Asthma", "Essential tremor", "High blood pressure", "Irregular heartbeat"]
        assert "(Hypertensive disorder)</span>" in main(hers, "subject", "conditions")

    def test_is_found_by_either_name(self, hers, kept):
        for words in ("high blood pressure", "essential hyper", "HTN"):
            said = hers.post(reverse("search_record"), {"words": words}, follow=True).content.decode()
            assert "High blood pressure" in said
            assert "heartbeat" not in said

    def test_is_explained_on_its_own_page_with_the_provider_s_words_whole(self, hers, kept):
        said = main(hers, "entry", "conditions", Record.objects.get(logical_id="c2").pk)
        assert "“Atrial fibrillation”" in said
        assert "The upper chambers of the heart beat fast" in said

    def test_that_has_no_name_of_ours_is_not_explained(self, hers, kept):
        assert "What this is" not in main(hers, "entry", "conditions", Record.objects.get(logical_id="c3").pk)


@pytest.mark.django_db
class TestAPage:
    @pytest.fixture
    def pk(self, connection):
        keep(connection, *(result(number) for number in range(3)))
        return Record.objects.get(logical_id="o1").pk

    @pytest.mark.parametrize("page", ["entry", "over_time"])
    def test_says_what_the_test_is_and_whose_words_these_are(self, hers, pk, page):
        text = hers.get(reverse(page, args=["results", pk])).content.decode()
        assert SODIUM in text
        assert "These words are ours" in text

    def test_over_time_has_questions_for_a_visit(self, hers, pk):
        assert "Questions you can ask" in hers.get(reverse("over_time", args=["results", pk])).content.decode()

    def test_says_nothing_of_a_test_without_a_code_that_is_known(self, hers, connection):
        keep(connection, {**result(7), "code": {"text": "Something of our own"}})
        pk = Record.objects.get(logical_id="o7").pk
        assert "What this is" not in hers.get(reverse("entry", args=["results", pk])).content.decode()

    @pytest.mark.parametrize("page", ["entry", "over_time"])
    def test_is_not_found_by_a_stranger(self, client, sam, pk, page):
        client.force_login(sam)
        assert client.get(reverse(page, args=["results", pk])).status_code == 404
