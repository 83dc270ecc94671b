"""Show whose a row is in the admin: only by id, since staff need not learn an address there."""

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import admin
from django.utils.translation import gettext_lazy as _


class UserIdColumn(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """For rows that belong to a user. The admin's own column for a user's id has a name that cannot be translated."""

    readonly_fields: ClassVar[list[str] | tuple[str, ...]] = ("id_of_user",)

    @admin.display(description=_("id of the user"), ordering="user")
    def id_of_user(self, row: Any) -> UUID:
        """A column of a list and a field of a page."""
        owner: UUID = row.user_id
        return owner
