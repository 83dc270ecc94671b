"""What the directory's admin pages share: changes are audited, and columns that secrets belong to cannot be changed."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts.admin_reauthentication import ReauthenticationAdmin
from apps.accounts.current_user import current_user
from apps.audit import recording
from apps.audit.concurrent_edits import ConcurrentEditsAdmin
from apps.audit.paging import BoundedAdmin
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import import_waits, registration_changes
from apps.directory.admin import deleting
from apps.directory.admin.beside_imports import ActsBesideImports


def staff(request: HttpRequest) -> Actor:
    """The signed-in member of staff, as an actor."""
    return Actor.staff(current_user(request).pk)


class AuditedAdmin(ActsBesideImports, ReauthenticationAdmin, BoundedAdmin, ConcurrentEditsAdmin):
    """Changes record an audit event that names the columns, never their values. A page that was opened before somebody
    else's change does not undo it."""

    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}
    subject = "directory"
    # Columns that secrets and patients' tokens belong to: they cannot change; another value needs another row.
    fixed: tuple[str, ...] = ()
    # Models whose rows cannot be deleted alone, but are deleted with one of these.
    goes_along: tuple[type[models.Model], ...] = ()

    def get_readonly_fields(self, request: HttpRequest, obj: models.Model | None = None) -> tuple[str, ...]:
        """Includes the fixed columns, for an existing row."""
        return (*super().get_readonly_fields(request, obj), *(self.fixed if obj else ()))

    def save_model(
        self,
        request: HttpRequest,
        obj: models.Model,
        form: "forms.ModelForm[Any]",
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Set the time of a new row, save it, and record which columns changed."""
        for column in ("imported_at", "found_at", "approved_at"):
            if not change and hasattr(obj, column) and getattr(obj, column) is None:
                setattr(obj, column, timezone.now())
        super().save_model(request, obj, form, change)
        self._note(request, obj, "changed" if change else "added", form.changed_data)

    def delete_model(self, request: HttpRequest, obj: models.Model) -> None:
        """Record it first: afterwards there is nothing to name."""
        self._note(request, obj, "deleted", [])
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: "models.QuerySet[Any]") -> None:
        """Each one is recorded."""
        with import_waits.after_imports():
            for row in queryset:
                self.delete_model(request, row)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, Any, Any, Any]:
        """Rows that others refer to are not deleted. Only the kinds of those others are looked up: the admin itself
        would read each row, and a provider may have a million links."""
        if kinds := deleting.in_the_way(objs):
            return [], {}, set(), kinds
        found, counts, needed, protected = super().get_deleted_objects(objs, request)
        return found, counts, needed - {kind._meta.verbose_name for kind in self.goes_along}, protected  # noqa: SLF001

    def say_done(self, request: HttpRequest, count: int) -> None:
        """Confirm an action, which leaves no other trace on the list; nothing if it did nothing."""
        if count:
            self.message_user(request, _("Done for %(count)d.") % {"count": count}, messages.SUCCESS)

    def _note(self, request: HttpRequest, obj: models.Model, action: str, changed: list[str]) -> None:
        for names in registration_changes.lines_of(changed):
            recording.record(
                EventType.DIRECTORY_CHANGED,
                actor=staff(request),
                at=timezone.now(),
                subject=self.subject,
                subject_id=str(obj.pk),
                facts={Fact.ACTION: action, Fact.CHANGED: names},
            )


class SwitchedAdmin(AuditedAdmin):
    """For rows with a switch. Actions turn it, and the form only shows it: a page opened before somebody turned it
    would turn it back. `switching` stores its time and records an audit event."""

    actions: tuple[str, ...] = ("switch_on", "switch_off")

    def get_readonly_fields(self, request: HttpRequest, obj: models.Model | None = None) -> tuple[str, ...]:
        """Includes the switch."""
        return (*super().get_readonly_fields(request, obj), "is_switched_on")

    def turn(self, request: HttpRequest, obj: Any, *, is_on: bool) -> None:
        """Turn the switch of one row."""
        raise NotImplementedError

    @admin.action(description=_("Switch on"), permissions=["change"])
    def switch_on(self, request: HttpRequest, rows: "models.QuerySet[Any]") -> None:
        """Linking, refreshing and syncing continue."""
        self._turn_each(request, rows, is_on=True)

    @admin.action(description=_("Switch off: stop linking, refreshing and copying at once"), permissions=["change"])
    def switch_off(self, request: HttpRequest, rows: "models.QuerySet[Any]") -> None:
        """Everything stops, and patients read so."""
        self._turn_each(request, rows, is_on=False)

    def _turn_each(self, request: HttpRequest, rows: "models.QuerySet[Any]", *, is_on: bool) -> None:
        for row in rows:
            with import_waits.briefly():
                self.turn(request, row, is_on=is_on)
        self.say_done(request, len(rows))
