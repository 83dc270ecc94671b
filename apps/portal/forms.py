"""The form on which the user says whose record it is."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.connections.authorization_responses.candidates import Candidate
from apps.records.presenters.datatypes import dates


class CandidateForm(forms.Form):
    """Choose one of several people. The browser gets their positions in the list, never the provider's ids."""

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
        choices = [(place, described(person)) for place, person in enumerate(people)]
        cast("forms.TypedChoiceField", self.fields["candidate"]).choices = choices


def described(person: Candidate) -> str:
    """Name and birth date on one line."""
    return f"{name(person)}, {born(person)}"


def name(person: Candidate) -> str:
    """The name as sent."""
    return person.name or gettext("Name not given")


def born(person: Candidate) -> str:
    """The birth date in words."""
    if not person.birth_date:
        return gettext("date of birth not given")
    return gettext("born %(date)s") % {"date": dates.sent_date(person.birth_date)}
