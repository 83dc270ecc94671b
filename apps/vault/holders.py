"""Whose key seals a value, and where the sealed value is stored."""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.db import models
from django.utils.translation import gettext_lazy as _


class HolderKind(models.TextChoices):
    """Whose data key it is."""

    USER = "user", _("A user")
    INSTALLATION = "installation", _("This installation")


@dataclass(frozen=True, repr=False)
class Holder:
    """Who owns a data key. Build it with `Holder.user` or `Holder.installation`."""

    kind: HolderKind
    id: UUID | None = None

    def __post_init__(self) -> None:
        """Refuse a user without an id and an installation with one."""
        if (self.kind == HolderKind.USER) != isinstance(self.id, UUID):
            raise ValueError("A user has an id, the installation has none.")

    def __repr__(self) -> str:
        """Nothing about who it is."""
        return "<Holder>"

    @classmethod
    def user(cls, user_id: UUID) -> "Holder":
        """The holder of everything that belongs to one user."""
        return cls(HolderKind.USER, user_id)

    @classmethod
    def installation(cls) -> "Holder":
        """The holder of what belongs to no patient, such as client secrets."""
        return cls(HolderKind.INSTALLATION)

    def names(self) -> tuple[bytes, bytes]:
        """Kind and id, as they enter associated data."""
        return self._names

    @cached_property
    def _names(self) -> tuple[bytes, bytes]:
        return self.kind.value.encode(), self.id.bytes if self.id else b""


@dataclass(frozen=True, repr=False)
class Place:
    """Where a sealed value is stored. It opens only in the place for which it was sealed.

    `identity` names the row by what is known before the insert (connection, resource type, logical id), never by a
    surrogate key. After renaming a table or field here, values sealed for it can no longer be opened.
    """

    table: str
    field: str
    identity: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Nothing about which row it is."""
        return "<Place>"


def associated_data(items: Iterable[bytes]) -> bytes:
    """Encode a list unambiguously: each item is preceded by its length."""
    return b"".join([_length(len(item)) + item for item in items])


_length = struct.Struct(">I").pack


def place_data(holder: Holder, place: Place, header: bytes) -> bytes:
    """The associated data of one sealed value: its header (format, key id, dictionary id), its place, its holder."""
    # surrogatepass: a logical id comes from a provider's JSON, which may contain a lone surrogate
    identity = [word.encode("utf-8", "surrogatepass") for word in place.identity]
    return associated_data([header, place.table.encode(), place.field.encode(), *holder.names(), *identity])
