"""Links, made directly as rows."""

from tests.connections.link_rows import make_link, make_registration, provider, registration

__all__ = ["make_link", "make_registration", "provider", "registration"]  # fixtures
