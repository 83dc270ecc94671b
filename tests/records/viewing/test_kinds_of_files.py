"""The row of a document ends with the kind of its file and its size (patient experience 3.8)."""

from typing import Any

import pytest
from django.utils import translation

from apps.records.presenters import documents
from apps.records.presenters.entry import Context
from apps.records.viewing.listing import row_details
from apps.records.viewing.wording import file_kinds


def document(*files: dict[str, Any]) -> list[str]:
    """What the row of a document with these files says beside its name."""
    content = [{"attachment": {"url": "Binary/1", **file}} for file in files]
    author = [{"display": "Ada Finch, MD"}]
    sent = {"resourceType": "DocumentReference", "id": "d", "status": "current", "author": author, "content": content}
    return list(filter(None, row_details.of(documents.present(sent, Context()))))


class TestTheRowOfADocument:
    @pytest.mark.parametrize(
        ("files", "said"),
        [
            ([{"contentType": "application/pdf", "size": 2048}], "PDF document, 2.0\xa0KB"),
            ([{"contentType": "application/pdf"}], "PDF document"),
            ([{"contentType": "text/plain; charset=utf-8"}, {"contentType": "application/PDF", "size": 9}],
             "Text, PDF document"),
            ([{"contentType": "image/x-odd"}], "Picture"),
            ([{"contentType": "application/x-odd", "size": 2048}], "2.0\xa0KB"),
            ([{"contentType": "application/x-odd"}], ""),
            ([], ""),
        ],
    )  # fmt: skip
    def test_says_its_kind_and_size_behind_its_author(self, files, said):
        assert document(*files) == list(filter(None, ["Ada Finch, MD", said]))


class TestAKind:
    @pytest.mark.parametrize(
        "odd", ["", "pdf", "unknown/unknown", "application/", "/", ";", "application/octet-stream"]
    )
    def test_without_words_says_nothing(self, odd):
        assert file_kinds.of(odd) == ""

    def test_is_told_in_the_language_of_whoever_reads(self):
        told = []
        for language in ("en", "es", "en"):
            with translation.override(language):
                told.append((file_kinds.of("image/png"), file_kinds.of("text/plain")))
        assert told == [("Picture", "Text"), ("Imagen", "Texto"), ("Picture", "Text")]
