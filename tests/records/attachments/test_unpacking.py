"""Compressed files are unpacked and shown; those that cannot be unpacked are saved as they came."""

import base64
import gzip
import quopri
import zlib

import pytest

from apps.records.attachments import opening, pictures, unpacking
from apps.records.attachments.sniffing import Form
from tests.effort import at_most
from tests.records.attachments.filing import PDF
from tests.records.attachments.test_reading import CCDA

LETTER = "<p>Your sodium is 140 \u2013 normal.</p>"


def opened(content, declared="", **sent):
    """The file as a page tells it."""
    return opening._told(content, {"contentType": declared, **sent})


def part(body, media_type="text/html; charset=utf-8", coding="quoted-printable"):
    head = f"Content-Type: {media_type}\r\nContent-Transfer-Encoding: {coding}\r\nContent-Location: x\r\n\r\n"
    return head.encode() + body


def mht(*parts, boundary="=_b", end="--", kind="multipart/related", line=b"\r\n"):
    """As browsers and word processors save a page."""
    head = f'From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: {kind};\r\n\ttype="text/html";\r\n\t'
    head += f'boundary="{boundary}"\r\n\r\nThis is a multi-part message.\r\n'
    between = b"".join(f"\r\n--{boundary}\r\n".encode() + each for each in parts)
    return (head.encode() + between + f"\r\n--{boundary}{end}\r\n".encode()).replace(b"\r\n", line)


def quoted(text, encoding="utf-8"):
    return quopri.encodestring(text.encode(encoding))


class TestAFilePackedByGzip:
    @pytest.mark.parametrize("declared", ["text/html", "application/gzip", "application/x-gzip", "", "application/xml"])
    def test_is_told_as_the_file_in_it(self, declared):
        file = opened(gzip.compress(LETTER.encode()), declared)
        assert (file.file_type.form, file.reading.plain) == (Form.MARKUP, "Your sodium is 140 \u2013 normal.")

    def test_is_a_pdf_or_a_document_where_one_is_in_it(self):
        assert opened(gzip.compress(PDF), "application/gzip").handed_out == PDF
        assert opened(gzip.compress(CCDA.encode()), "text/xml").file_type.form is Form.CLINICAL_DOCUMENT

    def test_is_handed_out_unpacked_where_it_is_said_to_be_what_is_in_it(self):
        file = opened(gzip.compress(b"PK\3\4\0\0word"), "application/msword")
        assert (file.handed_out, file.file_type.suffix) == (b"PK\3\4\0\0word", "doc")

    @pytest.mark.parametrize(
        "content",
        [
            gzip.compress(LETTER.encode())[:-9],
            gzip.compress(LETTER.encode())[:-2] + b"xx",
            gzip.compress(LETTER.encode()) + b"more",
            gzip.compress(LETTER.encode()) * 2,
            b"\x1f\x8b\x08 no such thing",
            gzip.compress(b"\0\1\2 of a program"),
            gzip.compress(gzip.compress(LETTER.encode())),
        ],
        ids=["cut", "damaged", "more behind it", "several", "none", "for a program", "packed again"],
    )
    def test_is_saved_as_it_came_where_it_is_not_told_whole(self, content):
        file = opened(content, "application/gzip")
        assert (file.reading, file.handed_out, file.file_type.suffix) == (None, content, "gz")
        assert file.file_type.media_type == "application/octet-stream"

    def test_that_grows_without_end_is_saved_as_it_came(self):
        bomb = gzip.compress(b"a" * (unpacking.MOST_BYTES + 1))
        with at_most(million_steps=50):
            file = opened(bomb, "text/plain")
        assert (file.reading, file.handed_out) == (None, bomb)

    def test_is_not_short_where_its_record_tells_its_size_unpacked(self):
        packed = gzip.compress(LETTER.encode() * 50)
        assert not opened(packed, "text/html", size=len(LETTER.encode()) * 50).is_short
        assert not opened(packed, "text/html", size=len(packed)).is_short
        assert opened(packed, "text/html", size=100_000).is_short


class TestAPageWithAllThatBelongsToIt:
    @pytest.mark.parametrize("line", [b"\r\n", b"\n"])
    @pytest.mark.parametrize(
        "page",
        [
            part(quoted(LETTER)),
            part(base64.encodebytes(LETTER.encode()), coding="base64"),
            part(LETTER.encode(), coding="8bit"),
            part(quoted(LETTER, "cp1252"), "text/html; charset=windows-1252"),
        ],
        ids=["quoted", "base64", "plain", "Windows"],
    )
    def test_is_told_as_its_page(self, page, line):
        picture = part(base64.encodebytes(b"\x89PNG"), "image/png", "base64")
        file = opened(mht(page, picture, line=line), "multipart/related")
        assert (file.reading.plain, file.reading.is_damaged) == ("Your sodium is 140 \u2013 normal.", False)
        assert file.handed_out.decode().startswith("Your sodium")
        assert file.file_type.media_type == "text/plain"

    def test_is_told_whatever_it_begins_with(self):
        page = part(b"Dear patient,<br>your sodium is <b>140</b>.")
        assert opened(mht(page)).reading.plain == "Dear patient,\nyour sodium is 140."
        assert opened(b"\xef\xbb\xbf" + mht(page)).file_type.form is Form.MARKUP

    def test_is_told_in_its_own_characters(self):
        page = part(base64.encodebytes(LETTER.encode("utf-16")), 'TEXT/HTML;\r\n\tcharset="unicode"', "BASE64")
        assert opened(mht(page)).reading.plain == "Your sodium is 140 \u2013 normal."

    def test_is_told_with_each_of_its_pages(self):
        file = opened(mht(part(quoted(LETTER)), part(quoted("<p>Second</p>")), part(quoted("body{}"), "text/css")))
        assert file.reading.plain == "Your sodium is 140 \u2013 normal.\nSecond"

    def test_is_told_to_be_damaged_where_it_has_no_end(self):
        assert opened(mht(part(quoted(LETTER)), end="")[:-4]).reading.is_damaged
        assert opened(mht(part(quoted(LETTER)), part(quoted(LETTER)), b"no header\r\n\r\n")).reading.is_damaged

    def test_is_divided_by_its_own_boundary_alone(self):
        page = part(b"<p>One</p>\r\n--=_bc\r\n<p>Two</p>", coding="8bit")
        assert opened(mht(page)).reading.plain == "One\n--=_bc\nTwo"

    @pytest.mark.parametrize(
        "content",
        [
            mht(part(quoted("letter"), "text/plain")),
            mht(part(quoted(LETTER)), part(base64.encodebytes(PDF), "application/pdf", "base64")),
            mht(part(quoted(LETTER)), kind="multipart/mixed"),
            mht(part(b"====", coding="base64")),
            mht(part(quoted(LETTER)), boundary=""),
            b"MIME-Version: 1.0\nContent-Type: text/html\n\n<p>x</p>",
            mht(mht(part(quoted(LETTER)), boundary="in"), kind="multipart/related"),
        ],
        ids=["no page", "a letter beside it", "files", "no base64", "no boundary", "one part", "one in another"],
    )
    def test_is_none_where_nothing_may_be_left_out(self, content):
        file = opened(content, "text/plain")
        assert (file.file_type.form, file.handed_out) == (Form.TEXT, content)

    @pytest.mark.parametrize(
        "content",
        [
            mht(*[part(quoted("<p>a</p>"))] * 20_000),
            mht(part(b"=" * 10_000_000)),
            mht(part(b"\r\n--=_" * 1_000_000)),
            b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=a\r\n" + b"X: y\r\n" * 1_000_000,
            b"MIME-Version: 1.0\r\nContent-Type: multipart/related" + b";a=b" * 1_000_000,
            gzip.compress(mht(part(b"<p>" * 6_000_000, coding="8bit"))),
        ],
        ids=["many parts", "signs alone", "nearly boundaries", "long header", "long field", "packed again"],
    )
    def test_made_to_keep_us_busy_takes_no_longer_than_other_files(self, content):
        with at_most(million_steps=300):
            opened(content, "multipart/related")


class TestAPictureInAPackedDocument:
    def test_has_the_number_that_its_page_says(self):
        packed = gzip.compress(CCDA.encode())
        found = unpacking.unpacked(packed, declared="text/xml")
        assert pictures.of(found.content.decode()) == pictures.of(CCDA)
        assert zlib.decompress(packed, 31) == found.content
