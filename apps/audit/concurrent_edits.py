"""Admin pages of rows that others write meanwhile: saving a page writes only what was changed on it.

While a page is open, keys are rotated, discovery finds new addresses, trouble is noted, somebody sets a new password.
So the form also sends what each field showed at first, and an old page does not put everything back. The row is locked
from when the form reads it until it is saved, with a lock that excludes those of `registration_changes` and `switching`
in the directory.

This is here, in the lowest app that has an admin, because apps above need it too.
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils.functional import cached_property


class ChangedFieldsForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """A field that was not changed on the page keeps the row's current value."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        columns = {column.name for column in self._meta.model._meta.concrete_fields}  # noqa: SLF001 - public
        for name, field in self.fields.items():
            field.show_hidden_initial = name in columns or name in self._sets
            if name in self._sets:
                field.hidden_widget = _HiddenSet

    @cached_property
    def changed_data(self) -> list[str]:
        """The fields whose value differs from what the page showed; if the page did not say, from the row's."""
        return [name for name in self.fields if self._was_changed(self[name])]

    def clean(self) -> dict[str, Any]:
        """Unchanged fields take the row's current value, and cannot be wrong."""
        cleaned = super().clean() or self.cleaned_data
        if not self.instance._state.adding:  # noqa: SLF001 - public
            for name in self.fields.keys() - set(self.changed_data):
                if self.fields[name].show_hidden_initial:
                    self.errors.pop(name, None)
                    cleaned[name] = self._as_it_is(name)
            for name in self._sets & set(self.changed_data) & cleaned.keys():
                cleaned[name] = self._with_the_difference(name, cleaned[name])
        return cleaned

    def save(self, commit: bool = True) -> Any:  # noqa: FBT001, FBT002 - Django's signature
        """For rows edited inline on another row's page: write only the changed columns, as `ConcurrentEditsAdmin`
        does."""
        if not commit or self.instance._state.adding:  # noqa: SLF001 - public
            return super().save(commit)
        saved = super().save(commit=False)
        saved.save(update_fields=self.changed_columns())
        self.save_m2m()
        return saved

    def changed_columns(self) -> list[str]:
        """The row's columns that were changed on the page."""
        columns = {column.name for column in self._meta.model._meta.concrete_fields}  # noqa: SLF001 - public
        return [name for name in self.changed_data if name in columns]

    @cached_property
    def _sets(self) -> set[str]:
        """Many-to-many fields of this form, such as the groups of an account."""
        many = {column.name for column in self._meta.model._meta.many_to_many}  # noqa: SLF001 - public
        return many & self.fields.keys()

    def _as_it_is(self, name: str) -> Any:
        value = getattr(self.instance, name)
        return list(value.all()) if name in self._sets else value

    def _with_the_difference(self, name: str, chosen: Any) -> list[models.Model]:
        """The current related rows, plus those added on the page, minus those removed on it."""
        shown = self._shown(self[name])
        now = self._as_it_is(name)
        if shown is None:
            return list(chosen)
        added = [other for other in chosen if str(other.pk) not in shown and other not in now]
        kept = {str(other.pk) for other in chosen}
        return [other for other in now if str(other.pk) in kept or str(other.pk) not in shown] + added

    def _was_changed(self, bound: forms.BoundField) -> bool:
        field, shown = bound.field, self._shown(bound)
        if shown is None:
            return field.has_changed(bound.initial, bound.data)
        if bound.name in self._sets:
            return set(shown) != set(bound.data)
        if _text(shown) == _text(bound.data):
            return False
        try:
            return field.has_changed(field.to_python(shown), bound.data)
        except forms.ValidationError:
            return True

    def _shown(self, bound: forms.BoundField) -> Any:
        """What the page showed; None if it does not say."""
        field = bound.field
        if not field.show_hidden_initial or bound.html_initial_name not in self.data:
            return None
        return field.hidden_widget().value_from_datadict(self.data, self.files, bound.html_initial_name)


class _HiddenSet(forms.MultipleHiddenInput):
    """Sends an empty value for an empty set: otherwise it would look like a page that does not say what it showed."""

    def format_value(self, value: Any) -> list[str]:
        """The ids, or the empty value."""
        return [str(one) for one in value or [""]]

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        """The ids."""
        return [one for one in super().value_from_datadict(data, files, name) if one]


class ConcurrentEditsAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """For rows that others write, too. Its form is a ChangedFieldsForm. List it after bases that do more on save."""

    form: type[ChangedFieldsForm] = ChangedFieldsForm

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """For a POST, the row under a lock that does not block new references to it."""
        row = super().get_object(request, object_id, from_field)
        if row is None or request.method != "POST":
            return row
        rows: models.QuerySet[Any] = self.model._base_manager.all()  # noqa: SLF001 - public
        rows.select_for_update(no_key=True).filter(pk=row.pk).first()  # nothing if it was deleted meanwhile
        return super().get_object(request, object_id, from_field)

    def save_model(
        self,
        request: HttpRequest,
        obj: models.Model,
        form: Any,
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Write only the columns that were changed on the page."""
        if change:
            obj.save(update_fields=form.changed_columns())
        else:
            super().save_model(request, obj, form, change)


def _text(value: Any) -> Any:
    """Text as a browser sends it back."""
    if isinstance(value, list):
        return [str(part) for part in value]
    return "" if value is None else str(value).replace("\r\n", "\n").strip()
