"""A value without a name belongs to no test, but is in every list all the same."""

import pytest
from django.urls import reverse

from tests.records.linked import make_connection
from tests.records.pages import text_of
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

VITAL = {"category": [{"coding": [{"code": "vital-signs"}]}]}
HIDDEN = {"meta": {"security": [{"code": "masked"}]}}


def unnamed(number, **elements):
    return {**result(number, value=100 + number), "code": {"coding": [{"code": "x"}]}, **elements}


class TestAnUnnamedValue:
    @pytest.mark.parametrize(
        ("subject", "elements", "address"), [("vitals", VITAL, ""), ("results", {}, "?by=name"), ("results", {}, "")]
    )
    def test_stands_in_its_list_by_itself(self, hers, alice, subject, elements, address):
        keep(
            make_connection(alice),
            *(unnamed(number, **elements) for number in (1, 2)),
            unnamed(3, **elements, **HIDDEN),
        )
        text = text_of(hers.get(reverse("subject", args=[subject]) + address))
        assert "101 mmol/L" in text
        assert "102 mmol/L" in text
        assert "Entry without details" in text
        assert "1 value" not in text
