"""A copy as PDF: what it says, how it is made, and what happens if it cannot be made."""

import io
import json
import os
import resource
import subprocess
import sys
from threading import BoundedSemaphore
from typing import Any

import pytest
from django.urls import reverse
from django.utils import translation
from pypdf import PdfReader

from apps.audit.models import AuditEvent, EventType
from apps.records.exporting.pdf import __main__ as process
from apps.records.exporting.pdf import making
from config import gunicorn
from tests.fixtures.requirements import missing
from tests.records.exporting.keeping import keep
from tests.records.exporting.taking import sign_in, take, text
from tests.records.people import CANARIES, allergy
from tests.wire.servers import http, serving

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _pango():
    if not making.is_here():
        missing("The system has no Pango (Debian: libpangoft2-1.0-0), which makes letters of a PDF.")


def opened(file: bytes) -> Any:
    return PdfReader(io.BytesIO(file))


def pages(file: bytes) -> str:
    return " ".join(" ".join(page.extract_text() for page in opened(file).pages).split())


def page(body: str) -> str:
    return f'<!DOCTYPE html><html lang="en"><head><title>x</title></head><body>{body}</body></html>'


class TestAPdf:
    @pytest.mark.conformance("C66")
    def test_says_what_the_page_to_read_says(self, hers, connection):
        response = take(hers, connection, what="pdf")
        assert response["Content-Type"] == "application/pdf"
        assert "no-store" in response["Cache-Control"]
        said = pages(response.content)
        for each in ("Health record of Wrenna Quillfeather", "It holds health facts.", "What is missing", "Pteridine"):
            assert each in said
        assert "1 / 1" in said

    def test_tells_by_its_name_and_title_nothing_of_whose_it_is(self, hers, connection):
        response = take(hers, connection, what="pdf")
        told = dict(opened(response.content).metadata)
        assert told["/Title"] == "Summary \N{EN DASH} Holdfast"
        assert response["Content-Disposition"].startswith('attachment; filename="holdfast-record-2')
        for canary in (*CANARIES, "Harbor"):
            assert canary not in response["Content-Disposition"]
            assert canary not in json.dumps({key: str(value) for key, value in told.items()})

    def test_can_be_read_aloud(self, hers, connection):
        root = opened(take(hers, connection, what="pdf").content).trailer["/Root"]
        assert root["/MarkInfo"]["/Marked"]
        assert root["/Lang"] == "en"
        assert "/StructTreeRoot" in root
        assert b"pdfuaid:part" in root["/Metadata"].get_data()

    def test_is_in_the_language_of_its_reader(self, hers, connection):
        hers.defaults["HTTP_ACCEPT_LANGUAGE"] = "es"
        file = take(hers, connection, what="pdf").content
        assert opened(file).trailer["/Root"]["/Lang"] == "es"
        with translation.override("es"):
            assert translation.gettext("What is missing") in pages(file)

    def test_may_be_of_a_part(self, hers, connection):
        sent = {"sources": [str(connection.pk)], "format": "pdf", "subjects": ["medicines"], "span": "all"}
        said = pages(hers.post(reverse("download_copy"), sent).content)
        assert "Medicines" in said
        assert "Pteridine" not in said

    def test_is_written_down(self, hers, alice, connection):
        take(hers, connection, what="pdf")
        (event,) = AuditEvent.objects.filter(event=EventType.RECORD_EXPORTED)
        assert (event.user_id, event.facts) == (alice.pk, {"export_format": "pdf"})

    def test_is_no_strangers(self, client, sam, connection):
        sign_in(client, sam)
        response = take(client, connection, what="pdf")
        assert response["Content-Type"].startswith("text/html")
        for canary in (*CANARIES, "Harbor"):
            assert canary not in response.content.decode()

    def test_holds_what_a_provider_wrote_as_letters(self, hers, connection):
        keep(connection, allergy("a9", code={"text": '<img src="file:///etc/passwd"><script>x</script>Feverfew'}))
        assert 'src="file:///etc/passwd"><script>x</script>Feverfew' in pages(
            take(hers, connection, what="pdf").content
        )


class TestWhereItCannotBeMade:
    def test_it_is_not_offered(self, hers, connection, monkeypatch):
        address = reverse("download_copy")
        assert 'value="pdf"' in text(hers.get(address))
        monkeypatch.setattr(making, "is_here", lambda: False)
        said = text(hers.get(address))
        assert 'value="pdf"' not in said
        assert "To print the page to read, or to save it as a PDF" in said
        assert take(hers, connection, what="pdf").status_code == 422

    def test_a_page_says_so(self, hers, connection, monkeypatch, caplog):
        monkeypatch.setattr(making, "_SECONDS", 0.01)
        response = take(hers, connection, what="pdf")
        assert response.status_code == 500
        assert "We could not make the file" in text(response)
        assert "You can choose the page to read instead" in text(response)
        assert "A PDF cannot be made: out of time." in caplog.text
        for canary in (*CANARIES, "Harbor"):
            assert canary not in caplog.text

    def test_others_are_waited_for_and_not_for_ever(self, hers, connection, monkeypatch):
        monkeypatch.setattr(making, "_WAITS_SECONDS", 0.01)
        with making._SEAT:
            response = take(hers, connection, what="pdf")
        assert response.status_code == 503
        assert "Try again in a minute." in text(response)
        assert "You can choose the page to read instead" in text(response)
        assert take(hers, connection, what="pdf").status_code == 200

    def test_no_more_wait_than_leave_others_a_thread(self, hers, connection, monkeypatch):
        assert gunicorn.threads > 2 * making._MOST_AT_ONCE
        monkeypatch.setattr(making, "_PLACES", BoundedSemaphore())
        with making._PLACES:
            assert take(hers, connection, what="pdf").status_code == 503
        assert not AuditEvent.objects.filter(event=EventType.RECORD_EXPORTED).exists()  # nothing was taken
        monkeypatch.setattr(making, "_WAITS_SECONDS", 0.01)
        with making._SEAT:
            assert take(hers, connection, what="pdf").status_code == 503
        assert take(hers, connection, what="pdf").status_code == 200  # whoever leaves gives the place back


class TestItsMaking:
    def test_asks_for_nothing(self, tmp_path):
        secret = tmp_path / "secret.svg"
        secret.write_text('<svg xmlns="http://www.w3.org/2000/svg"><text y="20">canary-file</text></svg>')
        with serving(http(200, "x")) as server:
            named = (server.url("/x.png"), secret.as_uri(), "data:text/plain,canary-data")
            body = "".join(
                f'<img src="{url}"><link rel="stylesheet" href="{url}"><a href="{url}">x</a>' for url in named
            )
            style = "".join(f"<style>@import url({url}); @font-face {{src: url({url})}}</style>" for url in named)
            file = making.made(page(style + body))
            assert server.requests == []
        assert "canary" not in pages(file)

    def test_knows_no_variable_of_the_site(self, monkeypatch):
        given: dict[str, Any] = {}

        def run(command, **others):
            given.update(others, command=command)
            return subprocess.CompletedProcess(command, 0, stdout=b"%PDF-")

        monkeypatch.setenv("SECRET_KEY", "canary-secret")
        monkeypatch.setattr(subprocess, "run", run)
        making.made(page("canary-record"))
        assert given["env"].keys() <= {
            "PATH",
            "LANG",
            "DYLD_FALLBACK_LIBRARY_PATH",
            "FONTCONFIG_FILE",
            "FONTCONFIG_PATH",
        }
        assert given["env"]["PATH"] == os.environ["PATH"]
        assert "canary" not in json.dumps([given["command"], given["env"]])

    @pytest.mark.parametrize("written", [b"", b"%PDF-1.7 half", b"no file"])
    def test_believes_no_process_that_failed(self, monkeypatch, written):
        code = 0 if written == b"no file" else 1
        monkeypatch.setattr(
            subprocess, "run", lambda command, **_others: subprocess.CompletedProcess(command, code, stdout=written)
        )
        with pytest.raises(making.CannotMake, match=f"^exit code {code}$"):
            making.made(page("x"))

    def test_leaves_nothing_of_the_page_in_what_is_raised(self, monkeypatch):
        def run(command, **_others):
            raise subprocess.TimeoutExpired(command, 1, output=b"canary-record")

        monkeypatch.setattr(subprocess, "run", run)
        with pytest.raises(making.CannotMake) as raised:
            making.made(page("canary-record"))
        assert raised.value.__context__ is None
        assert raised.value.__cause__ is None

    def test_has_its_limits_before_it_reads_anything(self, monkeypatch, tmp_path):
        limits: dict[int, tuple[int, int]] = {}
        told = tmp_path / "oom_score_adj"

        class Standing:
            @property
            def buffer(self):
                assert limits.keys() == {resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_CORE}
                assert told.read_text() == "1000"
                raise EOFError

        monkeypatch.setattr(resource, "setrlimit", lambda what, most: limits.update({what: most}))
        monkeypatch.setattr(process, "_GOES_FIRST", told)
        monkeypatch.setattr(sys, "stdin", Standing())
        with pytest.raises(EOFError):
            process.main()
        assert limits[resource.RLIMIT_CORE] == (0, 0)
        assert 0 < limits[resource.RLIMIT_CPU][0] <= 60
