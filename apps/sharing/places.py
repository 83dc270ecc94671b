"""The places of this app's sealed values, which become their associated data."""

from uuid import UUID

from apps.vault.sealing import Place


def terms_place(share_id: UUID) -> Place:
    """Of `Share.sealed_terms`."""
    return Place("share", "terms", (str(share_id),))


def wrong_place(share_id: UUID) -> Place:
    """Of `Share.sealed_wrong`."""
    return Place("share", "wrong", (str(share_id),))


def name_place(opening_id: UUID) -> Place:
    """Of `Opening.sealed_name`."""
    return Place("share_opening", "name", (str(opening_id),))
