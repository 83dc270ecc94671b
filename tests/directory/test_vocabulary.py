"""The words that the directory's search knows: their spellings, what they are mistaken for, and that none is
missing."""

import string
import unicodedata
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import product

import pytest
from django.db import connection, connections, transaction
from hypothesis import assume, given
from hypothesis import strategies as st

from apps.directory.models import Endpoint, Provider, ProviderPortal, SearchWord, WordNeighbours
from apps.directory.searching import near_words, vocabulary
from apps.directory.words import mistyping, spelling, web_addresses
from tests.directory.conftest import AT

_LETTERS = ["".join(three) for three in product("bcdfghlmnprstv", "aeiou", "bcdfghlmnprstv")]
WORDS = st.text(string.ascii_lowercase, min_size=4, max_size=14)


class TestPlainWords:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("St. Mary's", ("st", "marys")),
            ("St. Mary\u2019s", ("st", "marys")),
            ("Osten & Vole", ("osten", "and", "vole")),
            ("Wexcombe, P.C.", ("wexcombe", "pc")),
            ("M.D. Quill", ("md", "quill")),
            ("St.Mary", ("st", "mary")),
            ("Ærø Łódź", ("aero", "lodz")),
            ("1st-Street", ("1st", "street")),
        ],
    )
    def test_are_the_same_for_one_name(self, text, words):
        assert spelling.plain_words(text) == words

    @given(st.text(string.printable))
    def test_of_plain_letters_are_those_of_any_letters(self, text):
        # an accent that is dropped again leads through the other way
        assert spelling.plain_words(text) == spelling.plain_words(f"{text} \u0301")

    @given(st.text())
    def test_hold_nothing_but_letters_and_digits(self, text):
        for word in spelling.plain_words(text):
            assert word.isalnum()
            assert not any(unicodedata.combining(character) for character in word)


class TestProviderWords:
    def test_have_each_word_once_in_all_its_spellings(self):
        words = spelling.provider_words(
            name="St. Brendan's HealthBridge Ctr",
            aliases=["SBH", "Brendans"],
            city="Pe\u00f1asco",
            state="NM",
            postal_code="87553-0001",
            website="https://www.health-bridge.org/about",
            portal_names=["MyBrendan"],
            portal_urls=["https://mychart.brendan.example/MyChart"],
            system_name="Quill Health",
        )
        assert len(words) == len(set(words))
        assert {
            "st", "saint", "brendans", "brendan", "healthbridge", "health", "bridge", "ctr", "center", "sbh", "penasco",
            "nm", "new", "mexico", "87553", "mybrendan", "quill",
        } <= set(words)  # fmt: skip
        assert not {"www", "org", "https", "about", "mychart"} & set(words)

    @pytest.mark.parametrize("state", ["Iowa", "IA", "iowa"])
    def test_know_a_state_by_its_code_and_its_name(self, state):
        assert set(spelling.provider_words(name="x", state=state)) == {"x", "iowa", "ia"}

    def test_are_few_and_short(self):
        words = spelling.provider_words(name=" ".join(f"word{number}" for number in range(300)), city="x" * 100)
        assert len(words) == 100
        assert max(map(len, spelling.provider_words(name="y" * 200))) == 60


class TestWebAddresses:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("https://mychart.harbor.org/MyChart/", "harbor"),
            ("harbor.org", "harbor"),
            ("www.harbor.co.uk", "harbor"),
            ("HTTPS://PORTAL.HARBOR.EXAMPLE/x", "harbor"),
            ("harbor.example/login", "harbor"),
        ],
    )
    def test_name_whose_they_are(self, text, name):
        address = web_addresses.read(text)
        assert address is not None
        assert address.name == name

    @pytest.mark.parametrize("text", ["harbor", "St.Mary", "dr.smith", "", "..", "http://[::1", "a@b.org", "http://"])
    def test_are_not_any_text(self, text):
        assert web_addresses.read(text) is None

    @given(st.text())
    def test_are_read_without_failing(self, text):
        web_addresses.read(text)


class TestMistyping:
    @given(WORDS, st.data())
    def test_finds_a_word_with_one_letter_wrong(self, word, data):
        place = data.draw(st.integers(0, len(word) - 1))
        letter = data.draw(st.sampled_from(string.ascii_lowercase))
        kinds = (
            word[:place] + word[place + 1 :],
            word[:place] + letter + word[place:],
            word[:place] + letter + word[place + 1 :],
            word[:place] + word[place : place + 2][::-1] + word[place + 2 :],
        )
        typed = data.draw(st.sampled_from(kinds))
        assume(len(typed) >= 4)
        whole, beginning = mistyping.distances(typed, word)
        assert whole <= 1
        assert beginning <= whole
        assert mistyping.typed_neighbours(typed) & mistyping.neighbours(word)

    @pytest.mark.parametrize(
        ("typed", "known", "edits"),
        [("harbor", "harbor", 0), ("habror", "harbor", 1), ("univresity", "universty", 2), ("", "abc", 3)],
    )
    def test_counts_edits(self, typed, known, edits):
        assert mistyping.distances(typed, known)[0] == edits

    def test_looks_at_the_beginning_of_a_word_that_is_unfinished(self):
        assert mistyping.distances("univres", "university") == (4, 1)

    @pytest.mark.parametrize("word", ["abc", "st", "52205", "4th1", ""])
    def test_leaves_short_words_and_numbers_alone(self, word):
        assert mistyping.neighbours(word) == set()
        assert mistyping.typed_neighbours(word) == set()


@pytest.mark.django_db
class TestTheVocabulary:
    def bulk(self, name: str, **columns: object) -> None:
        Provider.objects.bulk_create(
            [
                Provider(
                    directory="bulk", directory_id=name, name=name, imported_at=AT,
                    words=spelling.provider_words(name=name), **columns,
                )
            ]
        )  # fmt: skip

    def test_learns_a_provider_that_is_saved(self, make_provider):
        make_provider("Quillfeather 7")
        assert set(SearchWord.objects.values_list("word", flat=True)) == {"quillfeather", "7"}
        assert list(WordNeighbours.objects.values_list("word", flat=True)) == ["quillfeather"]

    def test_learns_what_was_stored_in_bulk_and_counts_it(self):
        self.bulk("Quill Clinic 7")
        self.bulk("Quill Hospital")
        assert vocabulary.learn_missing() == 4
        assert dict(SearchWord.objects.values_list("word", "uses")) == {"quill": 2, "clinic": 1, "hospital": 1, "7": 1}
        assert set(WordNeighbours.objects.get(word="quill").neighbours) == mistyping.neighbours("quill")
        assert vocabulary.learn_missing() == 0

    def test_learns_words_that_mean_something_to_a_database(self):
        self.bulk("Nullmeier")
        vocabulary.learn_missing()
        assert set(WordNeighbours.objects.get(word="nullmeier").neighbours) == mistyping.neighbours("nullmeier")
        assert "null" in mistyping.neighbours("nullmeier")

    def test_makes_no_neighbours_that_are_there(self, monkeypatch, make_provider):
        make_provider("Quill")
        self.bulk("Quill Harbor")
        asked, of = [], mistyping.neighbours

        def neighbours(word):
            asked.append(word)
            return of(word)

        monkeypatch.setattr(mistyping, "neighbours", neighbours)
        vocabulary.learn_missing()
        assert asked == ["harbor"]

    def test_makes_neighbours_that_a_word_lacks(self, make_provider):
        make_provider("Quill")
        WordNeighbours.objects.all().delete()  # as where another version of the site learnt it
        assert vocabulary.learn_missing() == 0
        assert set(WordNeighbours.objects.get(word="quill").neighbours) == mistyping.neighbours("quill")

    def test_counts_again_what_it_knew(self, make_provider):
        make_provider("Quill Clinic")
        self.bulk("Quill Hospital")
        assert vocabulary.learn_missing() == 1
        assert dict(SearchWord.objects.values_list("word", "uses")) == {"quill": 2, "clinic": 1, "hospital": 1}

    def test_leaves_nothing_waiting_beside_the_indexes_nor_the_planner_bound(self):
        self.bulk("Quill Clinic 7")
        vocabulary.learn_missing()
        with connection.cursor() as cursor:
            for index in ("provider_words", "word_neighbours"):
                cursor.execute("SELECT gin_clean_pending_list(%s)", [index])  # of so many pages
                assert cursor.fetchone() == (0,)
            cursor.execute("SHOW enable_nestloop")
            assert cursor.fetchone() == ("on",)

    def test_forgets_what_no_listed_provider_has(self):
        self.bulk("Quill")
        self.bulk("Gone", vanished_at=AT)
        vocabulary.learn_missing()
        assert list(SearchWord.objects.values_list("word", flat=True)) == ["quill"]
        Provider.objects.update(vanished_at=AT)
        vocabulary.learn_missing()
        assert not SearchWord.objects.exists()
        assert not WordNeighbours.objects.exists()

    def test_follows_the_name_of_a_portal(self, make_provider):
        provider = make_provider("Harbor")
        endpoint = Endpoint.objects.create(
            fhir_base_url="https://fhir.example.org/r4", fhir_version="r4", interface="smart", dialect="smart",
            imported_at=AT,
        )  # fmt: skip
        ProviderPortal.objects.create(provider=provider, endpoint=endpoint, name="MyQuill", url="https://q.vole.org/")
        provider.refresh_from_db()
        assert {"myquill", "quill", "vole"} <= set(provider.words)
        assert SearchWord.objects.filter(word="myquill").exists()


@pytest.mark.django_db
class TestNearWords:
    TYPED = ("habror", "univresity", "card", "abc", "12345", "nothing")

    def test_are_those_that_share_a_neighbour_each_by_the_word_typed(self):
        known = ["harbor", "harbour", "university", "universe", "cardiology", "cards", "carbon", "abcd", "12345"]
        SearchWord.learn(known)
        SearchWord.objects.filter(word="harbour").update(uses=7)
        found = near_words.of(self.TYPED)
        for typed in self.TYPED:
            asked = mistyping.typed_neighbours(typed)
            near = {word for word in known if asked & mistyping.neighbours(word)}
            assert set(found.get(typed, {})) == near
        assert found["habror"] == {"harbor": 1, "harbour": 7}

    def test_are_the_commonest_of_many(self):
        SearchWord.learn([f"card{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(200)])
        SearchWord.objects.filter(word="cardhq").update(uses=2)
        found = near_words.of(["card"])["card"]
        assert len(found) == 150
        assert found["cardhq"] == 2

    @pytest.mark.parametrize("is_analyzed", [False, True])
    def test_are_found_without_reading_the_vocabulary(self, is_analyzed):
        SearchWord.learn([f"{letters}{end}" for letters in _LETTERS for end in ("tion", "ment", "ness", "ably")])
        with connection.cursor() as cursor:
            if is_analyzed:
                cursor.execute("ANALYZE directory_searchword, directory_wordneighbours")
            cursor.execute("SELECT gin_clean_pending_list('word_neighbours')")
            pairs = sorted(mistyping.typed_neighbours("univresity"))
            asked = {"typed": ["univresity"] * len(pairs), "neighbours": pairs}
            cursor.execute(f"EXPLAIN {near_words._NEAR}", asked)
            assert not [line for (line,) in cursor.fetchall() if "Seq Scan" in line]


class TestLearningBesideAnImport:
    @pytest.mark.django_db(transaction=True)
    def test_waits_for_it_and_holds_no_row_meanwhile(self, make_provider):
        provider = make_provider("Harbor 12345")

        def rename() -> None:
            Provider.objects.get(pk=provider.pk).save()
            connections.close_all()

        with ThreadPoolExecutor(1) as staff:
            with transaction.atomic():
                vocabulary.hold()
                saved = staff.submit(rename)
                assert wait([saved], timeout=1).not_done
                assert Provider.objects.select_for_update(nowait=True).get(pk=provider.pk) == provider
            saved.result(timeout=30)
