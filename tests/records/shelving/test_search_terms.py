"""Which words lead a search to an entry, wherever they are in the entry or around it."""

import pytest
from django.utils import translation

from apps.records.presenters.normalizing import normalized
from apps.records.shelving import our_words, reading, search_terms, searching
from apps.records.subjects import LISTED
from apps.vault import sealing
from apps.vault.sealing import Holder
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, result

CVX = "http://hl7.org/fhir/sid/cvx"
PROVIDER = "Harbor Family Practice"


def texts(words):
    return [word.text for word in search_terms.read(words)]


class TestWordsAskedFor:
    @pytest.mark.parametrize(
        ("words", "texts_of"),
        [
            ("vacuna contra la gripe", ["vacuna", "gripe"]),
            ("flu, vaccine.", ["flu", "vaccine"]),
            ("“Sodium”", ["sodium"]),
            ("covid-19", ["covid", "19"]),
            ("6.1 %", ["6.1"]),
            ("HbA1c", ["hba1c"]),
            ("hepatitis a", ["hepatitis", "a"]),
            ("with", ["with"]),
            ("... ?!", []),
            ("\u0301\u0301", []),
            ("\u202e\u200f", []),
            ("سكر", ["سكر"]),
        ],
    )
    def test_are_told_from_what_stands_between_them(self, words, texts_of):
        assert texts(words) == texts_of

    @pytest.mark.parametrize(
        ("words", "forms"),
        [
            ("tests", [b"tests", b"test"]),
            ("allergies", [b"allergies", b"allergie", b"allergi", b"allergy"]),
            ("voces", [b"voces", b"voce"]),
            ("nueces", [b"nueces", b"nuece", b"nuec", b"nuez"]),
            *((word, [word.encode()]) for word in ("glass", "virus", "hepatitis", "gas")),
        ],
    )
    def test_may_be_plurals(self, words, forms):
        (word,) = search_terms.read(words)
        assert list(word.forms) == forms

    @pytest.mark.parametrize(("words", "is_named"), [("harb", True), ("har", False), ("bor", False), ("inn", True)])
    def test_name_a_provider_by_how_a_word_of_it_begins(self, words, is_named):
        (word,) = search_terms.read(words)
        assert search_terms.names_provider(word, search_terms.parts("harbor inn")) is is_named

    @pytest.mark.parametrize(
        ("words", "years"),
        [("flu 2019", 1), ("03/2019", 1), ("2019-03-04", 1), ("march 4, 2019", 1), ("1234 20190", 0)],
    )
    def test_may_be_years(self, words, years):
        assert sum(bool(word.year) for word in search_terms.read(words)) == years

    @pytest.mark.parametrize(
        ("words", "key"),
        [
            ("lipid PANEL", "lipids"),
            ("hba1c", "a1c"),
            (" blood  sugar", "glucose"),
            ("HYPERTENSION", "high-blood-pressure"),
            ("presión alta", "high-blood-pressure"),
            ("gripe", "against-flu"),
        ],
    )
    def test_mean_what_we_call_so_in_either_language(self, words, key):
        assert all(word.means(key) for word in search_terms.read(words))

    @pytest.mark.parametrize("language", ["en", "es"])
    @pytest.mark.parametrize(
        "words",
        [
            *("a", "b", "c", "d", "m", "1", "2", "12", "19", "50", "2019"),
            *("er", "ct", "dm", "te", "hip", "gripe", "presion", "allergies", "voces", "zebra"),
        ],
    )
    def test_mean_what_is_called_so(self, language, words):
        """As a look at each name of ours tells."""
        with translation.override(language):
            (word,) = search_terms.read(words)
            names = [
                key
                for key, here, elsewhere in our_words._named(language)
                if word.is_in(here) or (len(word.text) >= 4 and word.is_in(elsewhere))
            ]
            assert word.keys == {key.encode() for key in names}

    @pytest.mark.parametrize("words", ["a", "hip", "hyper tension gout"])
    def test_mean_nothing_else(self, words):
        assert not all(word.means("high-blood-pressure") for word in search_terms.read(words))


class TestTwoLetters:
    @pytest.mark.parametrize(
        ("words", "name", "is_found"),
        [
            *(("CT", name, True) for name in ("CT of head", "TC (CT) de cráneo", "PET/CT", "Head-ct", "CTA", "胸部CT")),
            *(("CT", name, False) for name in ("Fracture", "Infección por c. tetani", "ECT")),
            ("mg", "Metformin 500mg", True),
            ("té", "Té verde", True),
            ("te", "Té verde", True),
            ("te", "Arteria", False),
            ("ña", "Piña", False),
            ("ña", "Ñame", True),
            ("血糖", "空腹血糖", True),
            ("B1", "HbB1", True),
        ],
    )
    def test_are_found_where_a_word_begins_with_them(self, words, name, is_found):
        (word,) = search_terms.read(words)
        assert word.is_in(normalized(name).encode()) is is_found


@pytest.mark.django_db
class TestWordsThatStandApart:
    @pytest.fixture
    def ring(self, alice):
        with sealing.key_ring(Holder.user(alice.pk)) as ring:
            yield ring

    @pytest.fixture
    def find(self, alice, connection, ring):
        def vaccine(logical_id, code, text, on):
            coding = {"system": CVX, "code": code}
            return {
                "resourceType": "Immunization",
                "id": logical_id,
                "status": "completed",
                "vaccineCode": {"text": text, "coding": [coding]},
                "patient": {"reference": f"Patient/{PATIENT_ID}"},
                "occurrenceDateTime": on,
            }

        keep(
            connection,
            vaccine("v1", "140", "Influenza, seasonal", "2019-10-02"),
            vaccine("v2", "140", "Influenza, seasonal", "2020-10-02"),
            vaccine("v3", "83", "Hepatitis A ped", "2020-03-04"),
            vaccine("v4", "8", "Hepatitis B ped", "2020-03-04"),
            vaccine("v5", "999", "Vacuna contra la gripe", "2021-03-04"),
            result(0),
            result(1, name="Vitamin D, 25-hydroxy", code="1989-3"),
        )

        def found(words, language="en"):
            """How many entries have which of the words."""
            with translation.override(language):
                shelves = reading.shelves(alice.pk, ring, subjects=[subject.key for subject in LISTED])
                providers = {connection.pk: search_terms.parts(PROVIDER.casefold())}
                counts = searching.find(shelves, search_terms.read(words), ring, providers=providers).counts
                return {" ".join(word.text for word in true): count for true, count in counts.items()}

        return found

    @pytest.mark.parametrize("language", ["en", "es"])
    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            ("flu vaccine", 2),
            ("vaccine flu", 2),
            ("vacuna gripe", 3),
            ("gripe vacunas", 3),
            ("vacunas contra las gripes", 3),
            ("flu shots", 2),
            ("flu 2019", 1),
            ("flu 2018", 0),
            ("flu harbor", 2),
            ("flu riverside", 0),
            ("harbor", 0),
            ("2019", 0),
            ("vaccines 2020", 3),
            ("hepatitis a vaccine", 1),
            ("hepatitis vaccine", 2),
            ("vitamin d", 1),
            ("sodium results", 1),
            ("sodium vaccine", 0),
            ("against", 0),
            ("d", 1),
            ("5.4", 0),
        ],
    )
    def test_are_found_together(self, find, language, words, expected):
        assert find(words, language).get(" ".join(texts(words)), 0) == expected

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            ("sodium asprin", {"sodium": 1}),
            ("flu 2018", {"flu": 2}),
            ("flu 2019 riverside", {"flu 2019": 1}),
            ("flu 2018 harbor", {"flu harbor": 2}),
            ("vaccines 2020 asprin", {"vaccines 2020": 3}),
            ("flu sodium", {"flu": 2, "sodium": 1}),
            ("flu 2019 2020", {"flu 2019": 1, "flu 2020": 1}),
            ("asprin harbor", {}),
            ("asprin 2019", {}),
            ("harbor practice", {}),
        ],
    )
    def test_are_found_as_far_as_the_most_of_them_stand_together(self, find, words, expected):
        assert find(words) == expected
