"""What a sign-in that failed may leave behind: that it was tried, and how it ended."""

from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.records.models import Record, Shelf, SyncRun


def assert_nothing_is_left(*, is_open: bool = False) -> None:
    """No connection, no token, no record, no run; and no verifier, unless the sign-in is still open."""
    kept = {model.__name__: model.objects.count() for model in (Connection, StoredTokenSet, Record, Shelf, SyncRun)}
    assert not any(kept.values()), kept
    sealed = AuthorizationRequest.objects.filter(sealed_pkce_verifier__isnull=False)
    assert sealed.exists() == is_open, "a sealed verifier"
