"""Form fields that Django does not have, for the pages where developers register."""

from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext_lazy as _

from apps.sandbox.registration import RequestRefused

_MOST_CHARACTERS = 20_000


class WordsField(forms.CharField):
    """URLs or scopes, separated by spaces or line breaks: a list of strings."""

    def __init__(self, *, rows: int = 3, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": rows, "cols": None, "spellcheck": "false", "autocapitalize": "none"})
        super().__init__(max_length=_MOST_CHARACTERS, widget=widget, **options)

    def clean(self, value: Any) -> list[str]:
        """The words, in order."""
        return str(super().clean(value)).split()

    def prepare_value(self, value: Any) -> Any:
        """One on each line."""
        return "\n".join(value) if isinstance(value, list) else value


class YesNoField(forms.ChoiceField):
    """Yes or no, as two visible choices; no if nothing is chosen."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            choices=[("no", _("No")), ("yes", _("Yes"))],
            required=False,
            initial="no",
            widget=forms.RadioSelect,
            **options,
        )

    def clean(self, value: Any) -> bool:
        """Whether it is yes."""
        return bool(super().clean(value) == "yes")


class PlainForm(forms.Form):
    """A form whose message for a missing field is in plain words."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.error_messages["required"] = _("Please fill this in.")


def posted(request: HttpRequest) -> QueryDict | None:
    """The data to bind a form to: what was posted, even if empty; None if nothing was posted."""
    return request.POST if request.method == "POST" else None


def blame(form: forms.Form, refused: RequestRefused) -> None:
    """Add the error to the field that has to change."""
    form.add_error(refused.field if refused.field in form.fields else None, str(refused))


def blank(form: forms.Form, name: str) -> None:
    """Do not show the field's value again."""
    form.data = {**form.data.dict(), form.add_prefix(name): ""} if isinstance(form.data, QueryDict) else {}
