"""Long texts are shortened on shelves, and complete on an entry's own page."""

import pytest
from django.urls import reverse

from apps.records.models import Record
from apps.records.shelving import shortening
from tests.records.linked import make_connection
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

END = "only here the diagnosis"
LONG = "Nothing of note. " * 600 + END


@pytest.fixture
def kept(alice):
    connection = make_connection(alice)
    keep(connection, {**result(0), "note": [{"text": LONG}], "valueString": LONG, "valueQuantity": None})
    return Record.objects.get(logical_id="o0")


class TestALongText:
    def test_is_whole_on_the_page_of_its_entry(self, client, alice, kept):
        client.force_login(alice)
        page = client.get(reverse("entry", args=["results", kept.pk])).content.decode()
        assert page.count(END) >= 2

    def test_is_told_by_its_beginning_on_lists(self, client, alice, kept):
        client.force_login(alice)
        page = client.get(reverse("subject", args=["results"])).content.decode()
        assert "Nothing of note." in page
        assert END not in page

    def test_is_of_nobody_else(self, client, sam, kept):
        client.force_login(sam)
        assert client.get(reverse("entry", args=["results", kept.pk])).status_code == 404

    def test_keeps_every_digit_beside_it(self):
        row = b'[7,"ResultEntry",{"value":"5.10","count":12345678901234567890,"said":["' + b"a" * 5_000 + b'"]},0]'
        short = shortening.shortened(row)
        assert b'"5.10"' in short
        assert b"12345678901234567890" in short
        assert short.endswith('…"]},0]'.encode())
        assert shortening.shortened(b'[7,"ResultEntry",{},0]') == b'[7,"ResultEntry",{},0]'
