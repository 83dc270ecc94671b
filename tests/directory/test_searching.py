"""Searching for a provider."""

import pytest

from apps.directory.models import AuthorizationServer, ClientRegistration, Enablement, KnownOrigins, SearchWord
from apps.directory.searching import finding, meanings
from apps.directory.words import spelling
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

MOST_MEANINGS = 100  # words that one is taken for


def names(query: str) -> list[str]:
    return [found.provider.name for found in finding.find(query, at=AT).found]


class TestASearch:
    @pytest.mark.parametrize(
        "query",
        ["harbor", "HARBOR", "harb", "fam harb", "Hárbor", "portland", "port harbor", "or harbor",
         "harborfamily",
         "https://www.harborfamily.example/portal", "  harbor,  "],
    )  # fmt: skip
    def test_finds_words_that_begin_so_whatever_their_case_accents_or_order(self, make_provider, query):
        make_provider(
            "Harbor Family Practice", city="Pörtland", state="OR", website="https://www.harborfamily.example/portal"
        )
        assert names(query) == ["Harbor Family Practice"]

    @pytest.mark.parametrize("query", ["rivers", "tulsa salem", "", "   ", "%", "_", "!!", "x" * 500])
    def test_finds_nothing_where_a_word_fits_nowhere(self, make_provider, query):
        make_provider("Harbor Family Practice", city="Portland")
        assert names(query) == []

    @pytest.mark.parametrize("typed", ["q", "qu"])
    def test_of_a_letter_or_two_means_the_commonest_words_and_then_those_of_one_provider(self, typed):
        common = [SearchWord(word=f"qu{number:03}", uses=number + 2) for number in range(MOST_MEANINGS - 1)]
        rare = [SearchWord(word=f"qua{letter}") for letter in "abc"]
        other = [SearchWord(word="rare"), SearchWord(word="rarer", uses=9)]
        SearchWord.objects.bulk_create([*rare, *other, *common])
        (meaning,) = meanings.known([typed])
        assert set(meaning.words) == {typed, "quaa", *(row.word for row in common)}
        assert meaning.uses == sum(row.uses for row in common) + 1
        SearchWord.objects.filter(word__startswith="qu0").delete()
        (meaning,) = meanings.known([typed])
        assert not meaning.words.keys() & {"rare", "rarer", "qu001"}

    def test_of_a_letter_finds_what_one_provider_alone_is_called(self, make_provider):
        make_provider("Quill Clinic")
        make_provider("Oak Clinic")
        assert names("q") == ["Quill Clinic"]
        assert names("c") == ["Oak Clinic", "Quill Clinic"]

    def test_follows_a_name_that_changed(self, make_provider):
        provider = make_provider("Harbor")
        provider.name = "Seaside"
        provider.save()
        assert names("harbor") == []
        assert names("seaside") == ["Seaside"]

    def test_puts_real_providers_before_practice_ones(self, make_provider):
        make_provider("Aa Clinic", is_sandbox=True)
        make_provider("Zz Clinic")
        assert names("clinic") == ["Zz Clinic", "Aa Clinic"]

    def test_leaves_out_what_vanished(self, make_provider):
        make_provider("Gone Clinic", vanished_at=AT)
        assert names("clinic") == []

    def test_says_when_there_are_more(self, make_provider):
        for number in range(finding.PAGE + 1):
            make_provider(f"Clinic {number}")
        results = finding.find("clinic", at=AT)
        assert results.has_more
        assert (len(results.found), results.total) == (finding.PAGE, finding.PAGE + 1)
        assert not finding.find("clinic", at=AT, shown=20).has_more

    def test_lists_what_cannot_be_linked_with_the_reason(self, make_provider, make_endpoint):
        make_endpoint(make_provider("Closed Clinic"), registration={"status": "provisional"})
        (found,) = finding.find("clinic", at=AT).found
        assert not found.linkable
        assert found.explanation is not None
        assert found.explanation.title == "Closed Clinic cannot be connected yet"

    def test_puts_the_better_version_first(self, make_provider, make_endpoint):
        provider = make_provider("Two Ways Clinic")
        make_endpoint(provider, version="dstu2")
        make_endpoint(provider, version="r4")
        (found,) = finding.find("clinic", at=AT).found
        assert [choice.endpoint.fhir_version for choice in found.choices] == ["r4", "dstu2"]

    def test_makes_as_many_queries_for_many_as_for_one(
        self, make_provider, make_endpoint, django_assert_max_num_queries
    ):
        for number in range(8):
            make_endpoint(make_provider(f"Clinic {number}"), host=f"h{number}.example.org")
        with django_assert_max_num_queries(11):  # four of them are about a transaction
            assert len(finding.find("clinic", at=AT).found) == 8
        assert ClientRegistration.objects.count() == 8

    def test_makes_as_many_for_many_that_moved_with_their_registration(
        self, make_provider, make_endpoint, django_assert_max_num_queries
    ):
        make_endpoint(make_provider("Elsewhere"))
        registration = ClientRegistration.objects.get()
        new = "https://new.example"
        KnownOrigins.objects.create(
            registration=registration, authorize_origin=f"{new}:443", token_origin=f"{new}:443", approved_at=AT
        )

        def come(number: int) -> None:
            endpoint = make_endpoint(make_provider(f"Clinic {number}"), host=f"h{number}.example.org")
            ClientRegistration.objects.exclude(pk=registration.pk).delete()
            endpoint.authorization_server = AuthorizationServer.objects.create(
                source="discovered", found_at=AT, authorize_url=f"{new}/{number}/a", token_url=f"{new}/{number}/t"
            )
            endpoint.save()
            Enablement.objects.create(registration=registration, endpoint=endpoint, since_at=AT)

        come(0)
        with django_assert_max_num_queries(20) as few:
            assert [found.explanation for found in finding.find("clinic", at=AT).found] == [None]
        for number in range(1, 8):
            come(number)
        with django_assert_max_num_queries(len(few)):
            assert [found.explanation for found in finding.find("clinic", at=AT).found] == [None] * 8


class TestPracticeProviders:
    def test_are_offered_only_where_a_sandbox_is_allowed(self, make_provider, settings):
        make_provider("Practice", is_sandbox=True)
        make_provider("Real")
        assert [found.provider.name for found in finding.practice_providers(at=AT)] == ["Practice"]
        settings.ALLOW_LOOPBACK_HTTP = False
        assert finding.practice_providers(at=AT) == ()


class TestPlainWords:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("Śródmieście Clinic", ("srodmiescie", "clinic")),
            ("St. Mary's", ("st", "marys")),
            ("\uff26\uff35\uff2c\uff2c width", ("full", "width")),
            ("Straße", ("strasse",)),
            ("", ()),
        ],
    )
    def test_are_the_same_for_the_same_word(self, text, words):
        assert spelling.plain_words(text) == words
