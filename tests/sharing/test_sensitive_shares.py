"""What many people keep to themselves is in no share unless it was ticked, and its owner reads what was left out."""

import pytest
from django.urls import reverse

from apps.records.subjects import CONDITIONS
from tests.records.exporting.keeping import keep
from tests.records.exporting.taking import text
from tests.sharing.giving import GOUT, enter, share_of

pytestmark = pytest.mark.django_db

BIPOLAR = {**GOUT, "id": "c2", "code": {"text": "Bipolar disorder, canary"}}


@pytest.fixture
def ill(connection):
    keep(connection, GOUT, BIPOLAR)
    return connection


class TestAShareThatLeavesItOut:
    def test_shows_the_rest_without_a_number_that_tells_of_it(self, visitor, alice, ill):
        said = text(enter(visitor, share_of(alice, ill, subjects=[CONDITIONS])))
        assert "Canary-gout" in said
        assert "Health conditions (1)" in said
        assert "Bipolar" not in said

    def test_tells_its_owner_what_is_left_out(self, hers, alice, ill):
        share = share_of(alice, ill, subjects=[CONDITIONS])
        said = text(hers.get(reverse("preview_share", args=[share.pk])))
        left_out, _, shown = said.partition("Health record of")
        assert "Bipolar disorder, canary" in left_out
        assert "Bipolar" not in shown


class TestAShareThatTellsIt:
    def test_shows_it(self, visitor, alice, ill):
        share = share_of(alice, ill, subjects=[CONDITIONS], tells_sensitive=True)
        assert "Bipolar disorder, canary" in text(enter(visitor, share))

    def test_leaves_nothing_out_that_its_owner_would_be_told_of(self, hers, alice, ill):
        share = share_of(alice, ill, subjects=[CONDITIONS], tells_sensitive=True)
        assert "Only you see this" not in text(hers.get(reverse("preview_share", args=[share.pk])))
