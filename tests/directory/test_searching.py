"""Finding a provider."""

import pytest

from apps.directory.models import ClientRegistration
from apps.directory.searching import finding
from apps.directory.words import spelling
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db


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
