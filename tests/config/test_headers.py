"""The security headers of every answer, word for word, so that none is weakened unnoticed."""

import pytest

pytestmark = pytest.mark.django_db

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "manifest-src 'self'",
}
ADDRESSES = [
    "/", "/accounts/login/", "/accounts/signup/", "/providers/", "/notice/", "/settings/", "/admin/login/", "/health/",
    "/no/such/page/",
]  # fmt: skip


class TestAnAnswer:
    @pytest.mark.parametrize("address", ADDRESSES)
    def test_lets_a_browser_load_and_send_only_what_is_ours(self, client, address):
        answer = client.get(address)
        assert {directive.strip() for directive in answer["Content-Security-Policy"].split(";")} == POLICY

    @pytest.mark.parametrize("address", ADDRESSES)
    def test_is_shown_in_no_frame_taken_in_by_no_other_page_or_for_another_kind_and_named_to_nobody(
        self, client, address
    ):
        answer = client.get(address)
        assert answer["X-Frame-Options"] == "DENY"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Referrer-Policy"] == "same-origin"
        assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
        assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
