"""A share can be opened and read only so often in ten minutes, by people and programs together."""

import pytest
from django.core.cache import cache
from redis.exceptions import RedisError

from apps.sharing import rate_limit
from apps.sharing.models import Opening
from tests.records.exporting.taking import text
from tests.sharing import receiving
from tests.sharing.giving import address_of, enter, give, share_of, terms_of, wrong_for
from tests.sharing.receiving import Refused
from tests.sharing.test_fetching import fetch, link_of

pytestmark = pytest.mark.django_db

ALLERGY = "Pteridine"


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(rate_limit, "MOST", 3)


@pytest.fixture
def program(visitor):
    return receiving.by(visitor)


class TestAShare:
    def test_is_read_only_so_often_as_a_page(self, visitor, share):
        enter(visitor, share)
        assert ALLERGY in text(visitor.get(address_of(share)))
        answer = visitor.get(address_of(share))
        assert answer.status_code == 429
        assert "Wait 10 minutes, then open it again." in text(answer)
        assert ALLERGY not in text(answer)
        assert "no-store" in answer["Cache-Control"]

    def test_is_opened_only_so_often_and_says_nothing_of_more(self, visitor, share):
        answers = [give(visitor, share, terms_of(share).passcode).status_code for _ in range(5)]
        assert answers == [302, 302, 302, 429, 429]
        assert Opening.objects.count() == 3

    def test_is_fetched_only_so_often_and_says_how_long_to_wait(self, program, share):
        for _ in range(3):
            fetch(share, program)
        with pytest.raises(Refused) as refused:
            fetch(share, program)
        assert refused.value.status == 429
        assert refused.value.answer.headers["retry-after"] == "600"
        assert refused.value.answer.headers["access-control-allow-origin"] == "*"

    def test_gives_its_file_only_so_often_by_its_address(self, visitor, program, share):
        told = receiving.manifest(link_of(share), program, passcode=terms_of(share).passcode, embedded_length_max=0)
        answers = [visitor.get(told["files"][0]["location"]).status_code for _ in range(3)]
        assert answers == [200, 200, 429]

    def test_hinders_no_other(self, visitor, share, alice, connection):
        for _ in range(4):
            give(visitor, share, terms_of(share).passcode)
        assert ALLERGY in text(enter(visitor, share_of(alice, connection, purpose="Another")))

    def test_is_not_used_up_by_whoever_has_the_link_alone(self, visitor, share):
        for number in range(1, 6):
            visitor.get(address_of(share))
            give(visitor, share, wrong_for(share, number))
        assert ALLERGY in text(enter(visitor, share))

    def test_takes_a_wrong_passcode_for_wrong_also_then(self, visitor, share):
        for _ in range(4):
            give(visitor, share, terms_of(share).passcode)
        assert give(visitor, share, wrong_for(share)).status_code == 422

    def test_is_read_while_the_cache_is_away(self, visitor, share, monkeypatch):
        def away(*_arguments, **_keywords):
            raise RedisError

        monkeypatch.setattr(cache, "incr", away)
        assert ALLERGY in text(enter(visitor, share))
