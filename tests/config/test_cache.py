"""The cache in Redis."""

import uuid

import pytest
from django.core.cache import cache, caches


@pytest.fixture(autouse=True)
def _own_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches["default"], "key_prefix", uuid.uuid4().hex)


class TestTheCache:
    @pytest.mark.parametrize("value", [0, 7, "text", "", [1.5, 2.25], {"a": [1, None, True]}])
    def test_gives_back_what_it_was_given(self, value: object):
        cache.set("key", value, 60)
        assert cache.get("key") == value

    def test_counts(self):
        cache.set("tries", 1, 60)
        cache.incr("tries", 2)
        assert cache.get("tries") == 3

    def test_takes_nothing_that_would_have_to_be_pickled(self):
        with pytest.raises(TypeError):
            cache.set("key", object(), 60)
