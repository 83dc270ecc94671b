"""The privacy notice, and agreeing to it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from django.template.loader import get_template
from django.test import Client
from django.urls import reverse

from apps.accounts import consenting, destinations, notices
from apps.accounts.models import Consent, User
from apps.audit.models import AuditEvent

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
VERSION = notices.current_notice().version
ANSWER = {"notice_version": VERSION, "declaration": "adult", "is_agreed": "on"}
# The headings of the ONC Model Privacy Notice (interface facts, section 7), in our words.
HEADINGS = [
    "Who we are, and what law covers us",
    "How we use it",
    "Whom we share it with",
    "Whether we sell it",
    "Where we store it",
    "How it is protected",
    "What else we read on your device",
    "Your choices",
    "Closing your account",
    "When this notice changes",
    "If something goes wrong",
    "How to reach us",
]


@pytest.fixture
def later_notice(monkeypatch: pytest.MonkeyPatch) -> notices.Notice:
    """A further version in force. It says what the one before says."""
    later = replace(notices.current_notice(), version="2027-01", published_date=date(2027, 1, 1))
    template = notices.current_notice().template_name
    monkeypatch.setattr(notices.Notice, "template_name", template)
    monkeypatch.setattr(notices.Notice, "news_template_name", "accounts/notice_version.html")
    monkeypatch.setattr(notices, "NOTICES", (*notices.NOTICES, later))
    return later


class TestTheNotice:
    def test_is_there_for_anybody(self, client: Client, db: None):
        page = client.get(reverse("notice")).content.decode()
        assert f"Version {VERSION}, published November 20, 2026" in page

    @pytest.mark.parametrize("heading", HEADINGS)
    def test_has_every_heading_of_the_model(self, client: Client, db: None, heading: str):
        assert f"<h2>{heading}</h2>" in client.get(reverse("notice")).content.decode()

    def test_has_a_text_in_each_version_and_in_later_ones_what_is_new(self):
        for notice in notices.NOTICES:
            get_template(notice.template_name)
        for notice in notices.NOTICES[1:]:
            get_template(notice.news_template_name)

    def test_knows_which_versions_came_later(self, later_notice: notices.Notice):
        assert notices.newer_than(VERSION) == (later_notice,)
        assert notices.newer_than(later_notice.version) == ()

    def test_says_what_must_be_true(self, client: Client, db: None):
        page = client.get(reverse("notice")).content.decode()
        for sentence in ("it does not cover this app", "We never sell it.", "we cannot take it back"):
            assert sentence in page

    def test_says_what_becomes_of_a_wish(self, client: Client, db: None):
        page = client.get(reverse("notice")).content.decode()
        assert "If you ask for a provider that cannot be connected, we keep which one" in page


class TestConsent:
    def test_is_needed_at_first(self, alice: User):
        assert consenting.needs_consent(alice)

    def test_is_given_once(self, alice: User, sam: User):
        for _ in range(2):
            consenting.agree(alice, notice_version=VERSION, declaration="adult", language="en", at=NOON)
        assert not consenting.needs_consent(alice)
        assert consenting.needs_consent(sam)
        assert AuditEvent.objects.get().facts == {"notice_version": VERSION}

    def test_is_needed_again_when_the_notice_has_changed(self, alice: User, later_notice: notices.Notice):
        Consent.objects.create(user=alice, notice_version=VERSION, declaration="adult", language="en", agreed_at=NOON)
        assert consenting.needs_consent(alice)

    def test_cannot_be_given_to_a_notice_that_is_not_in_force(self, alice: User, later_notice: notices.Notice):
        with pytest.raises(ValueError, match="in force"):
            consenting.agree(alice, notice_version=VERSION, declaration="adult", language="en", at=NOON)

    def test_cannot_be_given_without_a_declaration(self, alice: User):
        with pytest.raises(ValueError, match="nobody"):
            consenting.agree(alice, notice_version=VERSION, declaration="nobody", language="en", at=NOON)
        assert not Consent.objects.exists()


class TestThePageThatAsks:
    def test_ticks_nothing_for_anybody(self, alice: User, signed_in: Callable[[User], Client]):
        page = signed_in(alice).get(reverse("agree")).content.decode()
        assert "checked" not in page
        assert "If someone is pressing you to show your record, you can stop here." in page

    def test_keeps_what_was_agreed_and_goes_on(self, alice: User, signed_in: Callable[[User], Client]):
        answer = signed_in(alice).post(reverse("agree"), {**ANSWER, "declaration": "parent", "next": "/providers/"})
        assert answer["Location"] == "/providers/"
        consent = Consent.objects.get()
        assert (consent.user, consent.notice_version, consent.declaration, consent.language) == (
            alice,
            VERSION,
            "parent",
            "en",
        )

    @pytest.mark.parametrize("missing", ["declaration", "is_agreed"])
    def test_takes_no_silence_for_a_yes(self, alice: User, signed_in: Callable[[User], Client], missing: str):
        page = signed_in(alice).post(reverse("agree"), {**ANSWER, missing: ""})
        assert page.status_code == 422
        assert page.context["form"].errors.keys() == {missing}
        assert not Consent.objects.exists()

    def test_refuses_a_version_that_changed_meanwhile(
        self, alice: User, signed_in: Callable[[User], Client], later_notice: notices.Notice
    ):
        page = signed_in(alice).post(reverse("agree"), ANSWER)
        assert "The notice has changed since you opened this page." in page.content.decode()
        assert not Consent.objects.exists()

    def test_says_that_the_notice_has_changed(
        self, alice: User, signed_in: Callable[[User], Client], later_notice: notices.Notice
    ):
        Consent.objects.create(user=alice, notice_version=VERSION, declaration="adult", language="en", agreed_at=NOON)
        page = signed_in(alice).get(reverse("agree")).content.decode()
        assert "<h1>Our notice has changed</h1>" in page
        assert "Nothing changes until you agree." in page

    def test_says_what_is_new_to_whoever_agreed_to_an_earlier_one(
        self, alice: User, sam: User, signed_in: Callable[[User], Client], later_notice: notices.Notice
    ):
        Consent.objects.create(user=alice, notice_version=VERSION, declaration="adult", language="en", agreed_at=NOON)
        news, whole = "What is new</h2>", "We never sell it."
        page, of_sam = (signed_in(one).get(reverse("agree")).content.decode() for one in (alice, sam))
        assert page.index(news) < page.index(later_notice.version, page.index(news)) < page.index(whole)
        assert whole in of_sam
        assert news not in of_sam

    def test_does_not_ask_twice(self, alice: User, signed_in: Callable[[User], Client]):
        client = signed_in(alice)
        client.post(reverse("agree"), ANSWER)
        assert client.get(reverse("agree") + "?next=/providers/")["Location"] == "/providers/"

    @pytest.mark.parametrize("method", ["get", "post"])
    def test_is_not_for_strangers(self, client: Client, db: None, method: str):
        assert getattr(client, method)(reverse("agree"), ANSWER)["Location"].startswith(reverse("account_login"))
        assert not Consent.objects.exists()

    @pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "evil"])
    def test_never_leads_to_another_site(self, alice: User, signed_in: Callable[[User], Client], elsewhere: str):
        assert signed_in(alice).post(reverse("agree"), {**ANSWER, "next": elsewhere})["Location"] == "/settings/"


class TestADestination:
    @pytest.mark.parametrize("path", ["/", "/settings/", "/providers/?q=clinic&page=2", "/a#b"])
    def test_may_be_a_path_of_ours(self, path: str):
        assert destinations.own_path(path, otherwise="/else/") == path

    @pytest.mark.parametrize(
        "path",
        [
            "",
            "settings/",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "http://testserver/",
            "https:/evil.example",
            "javascript:alert(1)",
            " //evil.example",
            "/\t/evil.example",
            "\x00//evil.example",
        ],
    )
    def test_is_nothing_else(self, path: str):
        assert destinations.own_path(path, otherwise="/else/") == "/else/"
