"""Lists narrowed to what one provider sent."""

from uuid import uuid4

import pytest

from tests.records.linked import make_connection, make_endpoint
from tests.records.pages import page
from tests.records.people import allergy
from tests.records.shelved import keep, order, result

pytestmark = pytest.mark.django_db


class TestAListOfOneProvider:
    def test_has_the_allergies_that_others_know(self, hers, connection, other):
        keep(connection, allergy("a1"))
        keep(other, order("m1"))
        text = page(hers, "subject", "medicines", **{"from": str(other.pk)})
        assert "Pteridine" in text
        assert "From Harbor Family Practice" not in text

    def test_can_be_left_where_it_has_nothing(self, hers, connection, other):
        keep(connection, result(0))
        keep(other)
        for there in (("subject", "results"), ("everything_by_date",)):
            text = page(hers, *there, **{"from": str(other.pk)})
            assert "Nothing in this list matches what you chose." in text
            assert '<a class="chip on" href="?">Riverside Hospital ' in text
            assert "No entries here." not in text

    def test_stays_so_in_another_order(self, hers, connection, other):
        keep(connection, result(0))
        keep(other, result(1))
        text = page(hers, "subject", "results", **{"from": str(other.pk)})
        assert f'href="?from={other.pk}&amp;by=name"' in text
        text = page(hers, "subject", "results", by="name", **{"from": str(other.pk)})
        assert f'href="?from={other.pk}&amp;by=date"' in text

    def test_is_of_all_where_that_one_is_gone(self, hers, connection, other, sam):
        keep(connection, result(0))
        theirs = make_connection(sam, make_endpoint("https://third.example/r4"))
        keep(theirs, result(1, name="Potassium", code="2823-3"))
        for gone in (uuid4(), theirs.pk):
            text = page(hers, "subject", "results", **{"from": str(gone)})
            assert "Sodium" in text
            assert "Potassium" not in text
