"""The question whose record it is."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.connections.candidates import Candidate
from apps.records.presenters import dates


class CandidateForm(forms.Form):
    """Which of several people. The browser gets their places in the list, never the provider's ids."""

    candidate = forms.TypedChoiceField(
        label=_("Choose one person"),
        widget=forms.RadioSelect,
        coerce=int,
        error_messages={
            "required": _("Choose the person whose record you want."),
            "invalid_choice": _("Choose the person whose record you want."),
        },
    )

    def __init__(self, people: Sequence[Candidate], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["candidate"]
        assert isinstance(field, forms.TypedChoiceField)  # noqa: S101 - tells the type checker which field it is
        field.choices = [(place, description(person)) for place, person in enumerate(people)]


def description(person: Candidate) -> str:
    """A person in a line: Wren Quillfeather, born March 9, 1984."""
    name = person.name or gettext("Name not given")
    if not person.birth_date:
        return gettext("%(name)s, date of birth not given") % {"name": name}
    return gettext("%(name)s, born %(date)s") % {"name": name, "date": dates.sent_date(person.birth_date)}
