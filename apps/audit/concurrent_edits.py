"""Rows that others write while a page of them is open: a save changes what was changed on the page, and nothing else.

Keys are replaced, discovery finds other addresses, trouble is noted; somebody sets a new password. The form says beside
each field what it showed, so that a page from before is no order to put everything back; the row is locked from when
the form reads it until the save is done, by a lock that excludes that of `amending` and of `switching` in the
directory. Here, beside `read_only_admin`, in the lowest app that has an admin, because pages above need the same.
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils.functional import cached_property


class ChangedFieldsForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """A field as the page showed it stays as the row has it now, whatever that is."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        columns = {column.name for column in self._meta.model._meta.concrete_fields}  # noqa: SLF001 - public
        for name, field in self.fields.items():
            field.show_hidden_initial = name in columns or name in self._sets
            if name in self._sets:
                field.hidden_widget = _HiddenSet

    @cached_property
    def changed_data(self) -> list[str]:
        """The fields that have another value than the page showed; of what it did not show, than the row has."""
        return [name for name in self.fields if self._was_changed(self[name])]

    def clean(self) -> dict[str, Any]:
        """What nobody changed is nobody's fault either."""
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
        """Of a row that stands within the page of another: the columns that changed, as `ConcurrentEditsAdmin` does."""
        if not commit or self.instance._state.adding:  # noqa: SLF001 - public
            return super().save(commit)
        saved = super().save(commit=False)
        saved.save(update_fields=self.changed_columns())
        self.save_m2m()
        return saved

    def changed_columns(self) -> list[str]:
        """Those of the row that changed on the page."""
        columns = {column.name for column in self._meta.model._meta.concrete_fields}  # noqa: SLF001 - public
        return [name for name in self.changed_data if name in columns]

    @cached_property
    def _sets(self) -> set[str]:
        """Fields of other rows that belong to this one, such as the groups of an account."""
        many = {column.name for column in self._meta.model._meta.many_to_many}  # noqa: SLF001 - public
        return many & self.fields.keys()

    def _as_it_is(self, name: str) -> Any:
        value = getattr(self.instance, name)
        return list(value.all()) if name in self._sets else value

    def _with_the_difference(self, name: str, chosen: Any) -> list[models.Model]:
        """What belongs to the row now, with what was added on the page and without what was taken away there."""
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
        """What the page showed; None where it does not say."""
        field = bound.field
        if not field.show_hidden_initial or bound.html_initial_name not in self.data:
            return None
        return field.hidden_widget().value_from_datadict(self.data, self.files, bound.html_initial_name)


class _HiddenSet(forms.MultipleHiddenInput):
    """Says of none that there were none, with an empty value: else nobody could tell that from a page that says
    nothing."""

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
        """Of a page that is saved: as it is under a lock, which new links need not wait for."""
        row = super().get_object(request, object_id, from_field)
        if row is None or request.method != "POST":
            return row
        rows: models.QuerySet[Any] = self.model._base_manager.all()  # noqa: SLF001 - public
        rows.select_for_update(no_key=True).filter(pk=row.pk).first()  # deleted meanwhile, it is not found
        return super().get_object(request, object_id, from_field)

    def save_model(
        self,
        request: HttpRequest,
        obj: models.Model,
        form: Any,
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Only the columns that changed on the page."""
        if change:
            obj.save(update_fields=form.changed_columns())
        else:
            super().save_model(request, obj, form, change)


def _text(value: Any) -> Any:
    """Texts as a browser sends them back."""
    if isinstance(value, list):
        return [str(part) for part in value]
    return "" if value is None else str(value).replace("\r\n", "\n").strip()
