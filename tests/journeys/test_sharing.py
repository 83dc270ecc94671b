"""A patient shares allergies and medicines for seven days and ends it; a doctor reads them on a phone without script,
and a clinic's program fetches them over the network. With the files, the doctor opens a letter and a picture, too."""

import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User
from tests.connections.conftest import BACKEND
from tests.fixtures.cast import PASSWORD
from tests.records.attachments.filing import PDF, PNG, hold, inline
from tests.records.exporting.keeping import keep
from tests.records.linked import make_connection
from tests.records.people import R4_PATIENT, allergy
from tests.records.several_people import medicine
from tests.sharing import receiving
from tests.sharing.giving import GOUT

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def hers(alice: User, live_server: LiveServer, settings: Any, new_page: Callable[..., Page]) -> Callable[..., Page]:
    """Pages of Alice's, who gave her password a moment ago."""
    settings.SITE_ORIGIN = live_server.url
    connection = make_connection(alice)
    keep(connection, R4_PATIENT, allergy("a1"), medicine(), GOUT)
    letter = inline(b"<p>Canary-home</p><script>document.title = 'x'</script>", "text/html", title="Discharge letter")
    scan = inline(PNG, "image/png", title="Scan")
    hold(connection, letter, scan, inline(PDF, "application/pdf", title="Report"))
    client = Client()
    client.force_login(alice, backend=BACKEND)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})

    def make(**how: object) -> Page:
        page = new_page(**how)
        session = client.cookies["sessionid"].value
        page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
        return page

    return make


def share(
    page: Page,
    live_server: LiveServer,
    *,
    kinds: Collection[str] = ("allergies", "medicines"),
    with_files: bool = False,
) -> tuple[str, str, str]:
    """From Home to a share, by the steps of task 11; its link, passcode and health link."""
    page.goto(live_server.url)
    page.locator("summary", has_text="Menu").click()
    page.get_by_role("link", name="Share with someone").click()
    page.get_by_role("link", name="Choose what they may see").click()
    for box in page.get_by_role("group", name="What may they see?").get_by_role("checkbox").all():
        box.set_checked(box.get_attribute("value") in kinds)
    page.get_by_label("Let them open files, too").set_checked(with_files)
    page.get_by_label("All of it").check()
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Share ready until")
    page.locator("main summary").click()
    link, passcode = page.locator("#link").inner_text(), page.locator("dd").nth(1).inner_text()
    return link, passcode, page.locator("main code").inner_text()


class TestAllergiesAndMedicinesForSevenDays:
    def test_are_read_by_a_doctor_and_ended_by_the_patient(
        self, live_server: LiveServer, hers: Callable[..., Page], new_page: Callable[..., Page]
    ):
        page, doctor = hers(width=360, java_script_enabled=False), new_page(width=360, java_script_enabled=False)
        link, passcode, _health_link = share(page, live_server)
        doctor.goto(link)
        doctor.get_by_label("Your name").fill("Dr. Maud Fennimore")
        doctor.get_by_label("Passcode").fill(passcode)
        doctor.get_by_role("button", name="Open").click()
        expect(doctor.get_by_role("heading", level=1)).to_have_text("Health record of Wrenna Quillfeather")
        for told in ("Pteridine", "Lisinopril"):
            expect(doctor.get_by_text(told).first).to_be_visible()
        expect(doctor.get_by_text("Canary-gout")).to_have_count(0)
        page.reload()
        expect(page.get_by_text("Dr. Maud Fennimore")).to_be_visible()
        page.get_by_role("button", name="End now").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("This share has ended")
        expect(page.get_by_text("Copies already saved by others cannot be taken back.").first).to_be_visible()
        over = doctor.context.request.get(link)  # with the browser's cookies
        assert over.status == 404
        assert "This link no longer works" in over.text()

    def test_are_fetched_by_a_program(self, live_server: LiveServer, hers: Callable[..., Page]):
        _link, passcode, health_link = share(hers(), live_server)
        (received,) = receiving.receive(health_link, receiving.by_network, passcode=passcode.replace(" ", ""))
        said = received.content.decode()
        assert "Pteridine" in said
        assert "Lisinopril" in said
        assert "Canary-gout" not in said

    def test_are_sent_by_a_link_that_a_press_copies(self, live_server: LiveServer, hers: Callable[..., Page]):
        page = hers(width=360)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        link, _passcode, _health_link = share(page, live_server)
        expect(page.get_by_role("status")).to_be_empty()
        page.get_by_role("button", name="Copy link").click()
        expect(page.get_by_role("status")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == link
        page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')))")
        page.get_by_role("button", name="Copy link").click()
        expect(page.get_by_role("status")).to_contain_text("The text is selected")
        assert page.evaluate("getSelection().toString()").strip() == link

    def test_lead_by_the_picture_to_the_same_page(
        self, live_server: LiveServer, hers: Callable[..., Page], new_page: Callable[..., Page]
    ):
        """A telephone opens what it scanned whole, with what programs read behind it."""
        link, passcode, health_link = share(hers(), live_server)
        doctor = new_page(width=360)
        doctor.goto(f"{link}#{health_link}")
        doctor.get_by_label("Your name").fill("Maud")
        doctor.get_by_label("Passcode").fill(passcode)
        doctor.get_by_role("button", name="Open").click()
        expect(doctor.get_by_text("Pteridine").first).to_be_visible()


def open_share(page: Page, link: str, passcode: str, *, name: str = "Maud") -> None:
    """As a visitor who has both."""
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Passcode").fill(passcode)
    page.get_by_role("button", name="Open").click()


class TestALetterInAShare:
    def test_is_opened_and_saved_by_a_doctor_as_its_owner_reads_until_the_end(
        self, live_server: LiveServer, hers: Callable[..., Page], new_page: Callable[..., Page]
    ):
        page, doctor = hers(width=360), new_page(width=360, java_script_enabled=False)
        link, passcode, _health_link = share(page, live_server, kinds=["documents"], with_files=True)
        open_share(doctor, link, passcode)
        doctor.get_by_role("link", name="Open the file: Discharge letter").click()
        expect(doctor.get_by_role("heading", level=1)).to_have_text("Discharge letter")
        expect(doctor.get_by_text("Canary-home")).to_be_visible()
        letter = doctor.url
        doctor.get_by_role("link", name="Back to what was shared with you").click()
        doctor.get_by_role("link", name="Open the file: Scan").click()
        picture = doctor.get_by_role("img", name="Scan")
        expect(picture).to_be_visible()
        doctor.get_by_role("link", name="Back to what was shared with you").click()
        doctor.get_by_role("link", name="Open the file: Report").click()
        with doctor.expect_download() as saving:
            doctor.get_by_role("link", name="Save the file").click()
        assert saving.value.suggested_filename == "Report.pdf"
        assert Path(saving.value.path()).read_bytes() == PDF
        page.reload()
        expect(page.get_by_text("Opened 3 files")).to_be_visible()
        page.get_by_role("button", name="End now").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("This share has ended")
        for address in (letter, f"{letter}save/"):
            over = doctor.context.request.get(address)  # with the browser's cookies
            assert over.status == 404
            assert "This link no longer works" in over.text()

    def test_is_drawn_and_runs_nothing(
        self, live_server: LiveServer, hers: Callable[..., Page], new_page: Callable[..., Page]
    ):
        link, passcode, _health_link = share(hers(), live_server, kinds=["documents"], with_files=True)
        doctor = new_page()
        open_share(doctor, link, passcode)
        doctor.get_by_role("link", name="Open the file: Discharge letter").click()
        expect(doctor).to_have_title(re.compile("^One file"))
        doctor.go_back()
        doctor.get_by_role("link", name="Open the file: Scan").click()
        assert doctor.get_by_role("img", name="Scan").evaluate("drawn => drawn.decode().then(() => drawn.naturalWidth)")

    def test_leads_nowhere_on_paper(
        self, live_server: LiveServer, hers: Callable[..., Page], new_page: Callable[..., Page]
    ):
        link, passcode, _health_link = share(hers(), live_server, kinds=["documents"], with_files=True)
        doctor = new_page()
        open_share(doctor, link, passcode)
        expect(doctor.get_by_text("Open the file: Scan")).to_be_visible()
        doctor.emulate_media(media="print")
        expect(doctor.get_by_text("Open the file: Scan")).to_be_hidden()


class TestOnPaper:
    def test_a_row_begins_in_the_line_of_its_name(
        self, live_server: LiveServer, hers: Callable[..., Page], new_page: Callable[..., Page]
    ):
        """A rich record took 32 sheets otherwise, and takes 16."""
        link, passcode, _health_link = share(hers(), live_server)
        doctor = new_page()
        open_share(doctor, link, passcode)
        row = doctor.locator(".summary-rows > li", has_text="Lisinopril").first

        def tops() -> list[float]:
            said = row.locator(".row-title, .row-detail").all()
            return [box["y"] for each in said[:2] if (box := each.bounding_box())]

        name, detail = tops()
        assert detail > name
        doctor.emulate_media(media="print")
        name, detail = tops()
        assert detail == pytest.approx(name, abs=2)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
class TestThePages:
    def test_have_nothing_that_axe_finds_also_with_letters_twice_as_large(
        self,
        live_server: LiveServer,
        hers: Callable[..., Page],
        new_page: Callable[..., Page],
        assert_accessible: Callable[[Page], None],
        width: int,
        scheme: str,
    ):
        page = hers(width=width, color_scheme=scheme)
        link, passcode, _health_link = share(page, live_server, kinds=["allergies", "documents"], with_files=True)
        doctor = new_page(width=width, color_scheme=scheme)

        def look(at: Page) -> None:
            assert_accessible(at)
            at.evaluate("document.documentElement.style.fontSize = '200%'")
            assert_accessible(at)

        look(page)
        page.get_by_role("link", name="See what they see").click()
        look(page)
        for name in ("shares", "make_share"):
            page.goto(f"{live_server.url}{reverse(name)}")
            look(page)
        doctor.goto(link)
        look(doctor)
        open_share(doctor, link, passcode)
        look(doctor)
        for name in ("Discharge letter", "Scan"):
            doctor.goto(link)
            doctor.get_by_role("link", name=f"Open the file: {name}").click()
            look(doctor)
