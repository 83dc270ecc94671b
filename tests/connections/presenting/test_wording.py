"""Titles of pages leave room for the names in them, in every language."""

import pytest
from django.conf import settings
from django.utils import translation

from apps.connections.presenting import wording
from apps.connections.presenting.wording import Words

TABLES = (wording.OUTCOMES, wording.REAUTHORIZATIONS, wording.LAUNCHES)
EVERY = [
    *(words for table in TABLES for words in table.values()),
    *(each for each in vars(wording).values() if isinstance(each, Words)),
]


class TestATitle:
    @pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
    def test_has_room_in_every_language_beside_the_name_in_it(self, language):
        with translation.override(language):
            titles = {str(words.title).replace("{provider}", "") for words in EVERY}
        assert [title for title in titles if len(title) > 50] == []
