"""A file is fetched on demand with the right Accept header, only below the connection's own root, and kept sealed
(C62)."""

import gzip
from base64 import b64encode

import pytest

from apps.audit.recording import Actor
from apps.directory.models import Endpoint
from apps.records import deleting_copies
from apps.records.attachments import FileRefused, Reason, fetching, open_file, storing
from apps.records.attachments.sniffing import Form
from apps.records.models import Attachment, SyncRun
from apps.records.presenters.prose import blocks
from apps.wire import fhir
from tests.records.attachments.filing import BINARY, FILE, PDF, clock, free, hold, inline, linked_to
from tests.records.linked import AT
from tests.records.provider import TOKEN
from tests.wire.servers import http, serving

pytestmark = pytest.mark.django_db


def refused(record, number=0):
    with pytest.raises(FileRefused) as refusal:
        open_file(record, number, clock=clock, seat=free)
    return refusal.value


class TestAFileBehindAnAddress:
    @pytest.mark.conformance("C62")
    @pytest.mark.parametrize("written", ["document/pdf-1", "/fhir/r4/document/pdf-1", "{base}/document/pdf-1"])
    def test_is_asked_for_as_what_it_is_said_to_be(self, linked, provider, written):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        record = hold(linked, linked_to(written.format(base=provider.base_url), title="A letter"))
        file = open_file(record, 0, clock=clock, seat=free)
        assert (file.content, file.file_type.form, file.described.title) == (PDF, Form.PDF, "A letter")
        (request,) = provider.sent(FILE)
        assert request.headers["accept"] == "application/pdf"
        assert request.headers["authorization"] == "Bearer access-canary"

    @pytest.mark.conformance("C62")
    @pytest.mark.parametrize("element", ["data", "content"])
    def test_is_taken_out_of_a_binary_where_its_own_type_is_not_to_be_had(self, linked, provider, element):
        wrapped = {"resourceType": "Binary", "contentType": "text/rtf", element: b64encode(rb"{\rtf1 Hello}").decode()}

        def answer(request):
            is_fhir = request.headers["accept"] == "application/fhir+json"
            return http(body=wrapped, content_type="application/fhir+json") if is_fhir else http(406)

        provider.answers[BINARY] = answer
        file = open_file(hold(linked, linked_to("Binary/b1", "text/rtf")), 0, clock=clock, seat=free)
        assert [request.headers["accept"] for request in provider.sent(BINARY)] == ["text/rtf", "application/fhir+json"]
        assert file.reading is not None
        assert file.reading.plain == "Hello"

    @pytest.mark.conformance("C62")
    def test_is_asked_for_as_every_call_where_nothing_else_is_to_be_had(self, linked, provider):
        """Rule 3 of section 4.1, which knows of no other Accept."""
        wrapped = {"resourceType": "Binary", "contentType": "application/pdf", "data": b64encode(PDF).decode()}

        def answer(request):
            return http(body=wrapped) if request.headers["accept"] == "application/json" else http(406)

        provider.answers[BINARY] = answer
        assert open_file(hold(linked, linked_to("Binary/b1")), 0, clock=clock, seat=free).content == PDF
        asked = [request.headers["accept"] for request in provider.sent(BINARY)]
        assert asked == ["application/pdf", "application/fhir+json", "application/json"]

    def test_is_asked_for_in_the_version_that_its_server_changed_over_to(self, linked, provider):
        """The directory has not heard of it."""
        Endpoint.objects.update(fhir_version="dstu2")
        linked.refresh_from_db()
        run = SyncRun.objects.create(
            user=linked.user, connection=linked, stated_version="r4", outcome="complete", created_at=AT, finished_at=AT
        )
        run.steps.create(user=linked.user, resource_type="MedicationRequest", status="complete", finished_at=AT)
        wrapped = {"resourceType": "Binary", "contentType": "application/pdf", "data": b64encode(PDF).decode()}

        def answer(request):
            return http(body=wrapped) if request.headers["accept"] == "application/fhir+json" else http(406)

        provider.answers[BINARY] = answer
        assert open_file(hold(linked, linked_to("Binary/b1")), 0, clock=clock, seat=free).content == PDF

    @pytest.mark.parametrize("status", [400, 405, 415])
    def test_is_asked_for_once_where_not_its_type_is_refused(self, linked, provider, status):
        provider.answers[BINARY] = http(status)
        assert refused(hold(linked, linked_to("Binary/b1"))).reason is Reason.NOT_SENT
        assert len(provider.sent(BINARY)) == 1

    @pytest.mark.parametrize("element", ["data", "content"])
    def test_is_taken_out_of_a_binary_in_xml(self, linked, provider, element):
        data = b64encode(b"<ClinicalDocument><section><text>Hello</text></section></ClinicalDocument>").decode()
        wrapped = (
            f'<?xml version="1.0"?>\n<Binary xmlns="http://hl7.org/fhir"><contentType value="text/xml"/>'
            f'<{element} value="{data[:20]}\n{data[20:]}"/></Binary>'
        )
        provider.answers[BINARY] = http(body=wrapped, content_type="application/xml")
        file = open_file(hold(linked, linked_to("Binary/b1", "application/xml")), 0, clock=clock, seat=free)
        assert file.reading is not None
        assert file.reading.plain == "Hello"

    def test_without_a_type_is_asked_for_as_fhir(self, linked, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        assert (
            open_file(hold(linked, {"url": "document/pdf-1", "title": "x"}), 0, clock=clock, seat=free).content == PDF
        )
        assert provider.sent(FILE)[0].headers["accept"] == "application/fhir+json"

    def test_is_fetched_once_and_kept_sealed(self, linked, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        record = hold(linked, linked_to("document/pdf-1"))
        assert (
            open_file(record, 0, clock=clock, seat=free).content
            == open_file(record, 0, clock=clock, seat=free).content
            == PDF
        )
        assert len(provider.sent(FILE)) == 1
        kept = Attachment.objects.get()
        assert b"canary" not in bytes(kept.sealed_content)
        assert (kept.fetched_at, kept.user_id, kept.connection_id) == (AT, linked.user_id, linked.pk)

    def test_that_came_in_part_is_not_kept_for_the_whole(self, linked, provider):
        squeezed = gzip.compress(PDF * 1000)
        record = hold(linked, linked_to("document/pdf-1"))
        provider.answers[FILE] = http(body=squeezed[:-9], content_type="application/pdf", Content_Encoding="gzip")
        assert refused(record).reason is Reason.LATER
        provider.answers[FILE] = http(body=squeezed, content_type="application/pdf", Content_Encoding="gzip")
        assert open_file(record, 0, clock=clock, seat=free).content == PDF * 1000

    @pytest.mark.parametrize("coding", ["br", "ZSTD", "compress"])
    def test_that_came_squeezed_as_nobody_asked_is_not_kept(self, linked, provider, coding):
        provider.answers[FILE] = http(body=b"squeezed", content_type="application/pdf", Content_Encoding=coding)
        assert refused(hold(linked, linked_to("document/pdf-1"))).reason is Reason.NOT_SENT
        assert not Attachment.objects.exists()

    def test_is_fetched_anew_where_the_provider_describes_it_anew(self, linked, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        open_file(hold(linked, linked_to("document/pdf-1")), 0, clock=clock, seat=free)
        provider.answers[FILE] = http(body=PDF + b" corrected", content_type="application/pdf")
        newer = hold(linked, linked_to("document/pdf-1", creation="2026-11-21"))
        assert open_file(newer, 0, clock=clock, seat=free).content == PDF + b" corrected"

    def test_is_kept_for_each_entry_where_two_describe_the_same(self, linked, provider):
        """As a report and the document of it do; addresses of two providers may be alike as well."""
        first, second = (hold(linked, linked_to("document/pdf-1"), logical_id=name) for name in ("d1", "d2"))
        for record, content in ((first, PDF), (second, PDF + b" of another")):
            provider.answers[FILE] = http(body=content, content_type="application/pdf")
            assert open_file(record, 0, clock=clock, seat=free).content == content
        provider.answers[FILE] = http(404)
        assert open_file(first, 0, clock=clock, seat=free).content == PDF
        assert open_file(second, 0, clock=clock, seat=free).content == PDF + b" of another"

    def test_does_not_open_in_the_place_of_another(self, linked, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        one = hold(linked, linked_to("document/pdf-1"))
        open_file(one, 0, clock=clock, seat=free)
        other = hold(linked, linked_to("document/pdf-1"), logical_id="d2")
        Attachment.objects.update(record=other)
        provider.answers[FILE] = http(404)
        assert refused(other).reason is Reason.NOT_SENT

    def test_is_fetched_again_in_place_of_a_copy_that_does_not_open(self, linked, provider, caplog):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        record = hold(linked, linked_to("document/pdf-1"))
        open_file(record, 0, clock=clock, seat=free)
        Attachment.objects.update(sealed_content=b"broken")
        for _time in range(2):
            assert open_file(record, 0, clock=clock, seat=free).content == PDF
        assert len(provider.sent(FILE)) == 2
        assert Attachment.objects.count() == 1
        assert caplog.text.count("A kept file does not open") == 2  # once as it was looked for, once as it was replaced

    def test_stays_as_it_was_kept_where_its_copy_opens(self, linked):
        sent = linked_to("document/pdf-1")
        record = hold(linked, sent)
        for content in (PDF, b"another"):
            storing.keep(record, sent, content, at=AT)
        assert storing.find(record, sent) == PDF

    def test_is_forgotten_with_its_connection(self, linked, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        open_file(hold(linked, linked_to("document/pdf-1")), 0, clock=clock, seat=free)
        deleting_copies.forget(linked, actor=Actor.user(linked.user_id), at=AT)
        assert not Attachment.objects.exists()

    def test_that_came_along_is_asked_of_nobody(self, linked, provider):
        file = open_file(hold(linked, inline(b"Pacemaker works")), 0, clock=clock, seat=free)
        assert file.content == b"Pacemaker works"
        assert provider.asked == []
        assert not Attachment.objects.exists()

    @pytest.mark.parametrize("number", [1, 99])
    def test_is_not_there_under_another_number(self, linked, number):
        with pytest.raises(LookupError):
            open_file(hold(linked, inline(b"x")), number, clock=clock, seat=free)

    def test_is_not_there_where_the_document_was_a_mistake(self, linked):
        with pytest.raises(LookupError):
            open_file(hold(linked, inline(b"x"), status="entered-in-error"), 0, clock=clock, seat=free)


class TestARefusedToken:
    @pytest.mark.conformance("C45")
    def test_is_renewed_once(self, linked, provider):
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})

        def answer(request):
            is_new = request.headers["authorization"] == "Bearer second-canary"
            return http(body=PDF, content_type="application/pdf") if is_new else http(401)

        provider.answers[FILE] = answer
        assert open_file(hold(linked, linked_to("document/pdf-1")), 0, clock=clock, seat=free).content == PDF
        assert len(provider.sent(FILE)) == 2

    def test_that_is_refused_again_is_the_patients_turn(self, linked, provider):
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})
        provider.answers[FILE] = http(401)
        assert refused(hold(linked, linked_to("document/pdf-1"))).reason is Reason.SIGN_IN
        assert len(provider.sent(FILE)) == 2
        assert len(provider.sent(TOKEN)) == 1

    def test_is_renewed_once_whatever_types_are_asked_for(self, linked, provider):
        provider.answers[TOKEN] = http(body={"access_token": "second-canary", "expires_in": 3600})

        def answer(request):
            is_new = request.headers["authorization"] == "Bearer second-canary"
            return http(406) if is_new and request.headers["accept"] == "application/pdf" else http(401)

        provider.answers[FILE] = answer
        assert refused(hold(linked, linked_to("document/pdf-1"))).reason is Reason.SIGN_IN
        assert len(provider.sent(TOKEN)) == 1


class TestAFileThatCannotBeHad:
    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (http(403), Reason.NOT_ALLOWED),
            (http(404), Reason.NOT_SENT),
            (http(410), Reason.NOT_SENT),
            (http(406), Reason.NOT_SENT),
            (http(400), Reason.NOT_SENT),
            (http(200, b"", content_type="application/pdf"), Reason.NOT_SENT),
            (http(200, "<!doctype html><html><h1>Sign in", content_type="text/html"), Reason.NOT_SENT),
            (http(200, {"resourceType": "OperationOutcome"}), Reason.NOT_SENT),
            (http(200, '<OperationOutcome xmlns="http://hl7.org/fhir"/>', content_type="text/xml"), Reason.NOT_SENT),
            (http(200, '<Binary xmlns="http://hl7.org/fhir"><id value="1"/></Binary>'), Reason.NOT_SENT),
            (http(200, {"resourceType": "Binary", "data": "no base64 at all!"}), Reason.NOT_SENT),
            (http(429, Retry_After="5"), Reason.LATER),
            (http(503), Reason.LATER),
        ],
        ids=lambda value: value if isinstance(value, str) else None,
    )
    def test_says_who_must_act(self, linked, provider, answer, reason):
        provider.answers[FILE] = answer
        assert refused(hold(linked, linked_to("document/pdf-1"))).reason is reason
        assert not Attachment.objects.exists()

    @pytest.mark.parametrize(
        "answer",
        [
            http(200, PDF, content_type="application/pdf")[:-5],
            http(200, b"", Content_Length="10"),
            http(200, b"5\r\n%PDF-\r\nff\r\n", Content_Length="", Transfer_Encoding="chunked"),
        ],
        ids=["shorter than it says", "nothing", "in chunks"],
    )
    def test_was_cut_off(self, linked, provider, answer):
        """A part of a letter is no letter."""

        def broken(_request):
            yield answer
            raise OSError

        provider.server.answer = broken
        assert refused(hold(linked, linked_to("document/pdf-1"))).reason is Reason.LATER
        assert not Attachment.objects.exists()

    def test_never_ends(self, linked, provider, monkeypatch):
        monkeypatch.setattr(fhir, "_FILE_SECONDS", 0.5)
        provider.answers[FILE] = http(200, PDF, content_type="application/pdf", Content_Length=1000)
        assert refused(hold(linked, linked_to("document/pdf-1"))).reason is Reason.LATER

    def test_is_too_large_by_its_own_word(self, linked, provider):
        record = hold(linked, linked_to("document/pdf-1", size=fetching.MOST_BYTES + 1))
        refusal = refused(record)
        assert (refusal.reason, refusal.size) == (Reason.TOO_LARGE, fetching.MOST_BYTES + 1)
        assert provider.asked == []

    def test_is_too_large_whatever_it_said(self, linked, provider, monkeypatch):
        monkeypatch.setattr(fetching, "MOST_BYTES", 100_000)
        provider.answers[FILE] = http(body=PDF + b"x" * 200_000, content_type="application/pdf")
        assert refused(hold(linked, linked_to("document/pdf-1", size=10))).reason is Reason.TOO_LARGE

    def test_is_too_large_to_have_come_along(self, linked, monkeypatch):
        monkeypatch.setattr(fetching, "MOST_BYTES", 100)
        assert refused(hold(linked, inline(b"x" * 1000))).reason is Reason.TOO_LARGE

    def test_came_along_as_no_base64(self, linked):
        record = hold(linked, {"contentType": "text/plain", "data": "%%%"})
        assert refused(record).reason is Reason.NOT_SENT


class TestAForeignAddress:
    @pytest.mark.conformance("C56")
    @pytest.mark.parametrize(
        "address",
        ["{trap}/fhir/r4/document/pdf-1", "//127.0.0.1:{port}/x", "{origin}/other/x", "../../x", "ftp://a.example/x",
         "file:///etc/passwd", "https://[", "{base}@a.example/x", "{base}.a.example/x", "{base}/../../x"],
    )  # fmt: skip
    def test_never_gets_the_token(self, linked, provider, address):
        with serving(http(body=PDF)) as trap:
            written = address.format(
                trap=trap.url(), port=trap.port, origin=provider.server.url(), base=provider.base_url
            )
            assert refused(hold(linked, linked_to(written))).reason is Reason.ELSEWHERE
            assert trap.requests == []
        assert provider.asked == []

    @pytest.mark.conformance("C56")
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_is_not_followed_to(self, linked, provider, status):
        with serving(http(body=PDF)) as trap:
            provider.answers[FILE] = http(status, Location=trap.url("/fhir/r4/document/pdf-1"))
            assert refused(hold(linked, linked_to("document/pdf-1"))).reason is Reason.ELSEWHERE
            assert trap.requests == []


class TestAnEndedLink:
    def test_asks_the_patient_to_sign_in_but_opens_what_is_kept(self, linked, provider):
        provider.answers[FILE] = http(body=PDF, content_type="application/pdf")
        kept, other = (hold(linked, linked_to("document/pdf-1"), logical_id=name) for name in ("a", "b"))
        open_file(kept, 0, clock=clock, seat=free)
        linked.status = "needs_reauthorization"
        linked.reason = "grant_ended"
        linked.save()
        kept.refresh_from_db()
        assert open_file(kept, 0, clock=clock, seat=free).content == PDF
        assert refused(other).reason is Reason.SIGN_IN
        elsewhere = hold(linked, linked_to("https://elsewhere.example/x"), logical_id="c")
        assert refused(elsewhere).reason is Reason.ELSEWHERE, "signing in would not help"

    def test_waits_while_staff_paused_the_provider(self, linked, provider):
        linked.endpoint.is_switched_on = False
        linked.endpoint.save()
        assert refused(hold(linked, linked_to("document/pdf-1"))).reason is Reason.SWITCHED_OFF


class TestLogs:
    def test_say_nothing_of_a_file_that_did_not_come(self, linked, provider, caplog):
        provider.answers[FILE] = http(403, "canary of a letter")
        refused(hold(linked, linked_to("document/pdf-1", title="canary of a title")))
        assert "A file did not come" in caplog.text
        for canary in ("canary", "pdf-1", "127.0.0.1"):
            assert canary not in caplog.text


class TestATextThatIsSaved:
    @pytest.mark.parametrize(("length", "is_whole"), [(100, True), (blocks.MOST_CHARACTERS + 1000, False)])
    def test_says_at_its_end_where_it_was_cut(self, linked, length, is_whole):
        page = b"<html><body><p>" + b"word " * (length // 5) + b"</p><p>Allergic to penicillin</p></body></html>"
        saved = open_file(hold(linked, inline(page, "text/html")), 0, clock=clock, seat=free).handed_out
        assert (b"penicillin" in saved) is is_whole
        assert saved.endswith(b"The rest is not in this text.\n") is not is_whole

    def test_says_at_its_end_that_it_lacks_what_was_crossed_out(self, linked):
        page = b"<p>Take <s>two</s> four</p>"
        saved = open_file(hold(linked, inline(page, "text/html")), 0, clock=clock, seat=free).handed_out.decode()
        assert saved.startswith("Take […] four\n\nWords that the author crossed out are left out.")


class TestAClinicalDocumentAroundAFile:
    def around(self, content, media_type, **attributes):
        said = " ".join(f'{name}="{value}"' for name, value in {"mediaType": media_type, **attributes}.items())
        text = f'<text representation="B64" {said}>{b64encode(content).decode()}</text>'
        return f"<ClinicalDocument><title>Stay</title><nonXMLBody>{text}</nonXMLBody></ClinicalDocument>".encode()

    def test_is_that_file(self, linked):
        document = self.around(PDF, "application/pdf")
        record = hold(linked, inline(document, "text/xml", size=len(document)))
        file = open_file(record, 0, clock=clock, seat=free)
        assert (file.file_type.form, file.handed_out, file.name) == (Form.PDF, PDF, "document.pdf")
        assert (file.size, file.is_short) == (len(document), False)

    def test_is_its_text_in_its_own_characters(self, linked):
        document = self.around("Zürich".encode("latin-1"), "text/plain; charset=iso-8859-1")
        file = open_file(hold(linked, inline(document, "text/xml")), 0, clock=clock, seat=free)
        assert file.handed_out == "Zürich".encode()

    def test_is_no_page_of_letters_where_it_cannot_be_taken_out(self, linked):
        document = self.around(PDF, "application/pdf", compression="DF")
        file = open_file(hold(linked, inline(document, "text/xml")), 0, clock=clock, seat=free)
        assert (file.reading, file.handed_out, file.name) == (None, document, "document.xml")
