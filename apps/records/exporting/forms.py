"""What somebody takes along: of which providers, and as what."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.records.exporting import choosing
from apps.records.exporting.choosing import Choice
from apps.records.exporting.granting import Format

# Of these, one page or document tells of one person.
_ABOUT_ONE_PERSON = frozenset({Format.SUMMARY, Format.IPS})


class CopyForm(forms.Form):
    """Made for the choices of one person: a connection of anybody else's is none of them."""

    field_order = ("sources", "format", "answers")
    format = forms.ChoiceField(
        label=gettext_lazy("As what?"),
        widget=forms.RadioSelect,
        choices=[
            (Format.SUMMARY.value, gettext_lazy("A page to read, print or save as PDF")),
            (Format.IPS.value, gettext_lazy("A patient summary for a doctor's computer or another app (IPS)")),
            (Format.BUNDLE.value, gettext_lazy("Everything as received, one file per provider (FHIR Bundle)")),
            (Format.LINES.value, gettext_lazy("Everything as received, one entry per line (NDJSON)")),
        ],
        error_messages={
            "required": gettext_lazy("Choose what to download."),
            "invalid_choice": gettext_lazy("Choose what to download."),
        },
    )

    answers = forms.BooleanField(
        label=gettext_lazy("In the patient summary: also what I answered about how I live and feel"),
        help_text=gettext_lazy(
            "Home, work, safety, pregnancy, tobacco, alcohol, questionnaires. The other formats have it anyway."
        ),
        required=False,
    )

    def __init__(self, choices: Sequence[Choice], *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._choices = {str(choice.connection.pk): choice for choice in choices}
        self.fields["sources"] = forms.MultipleChoiceField(
            label=_("Which records?"),
            choices=[(key, _label(choice)) for key, choice in self._choices.items()],
            widget=forms.CheckboxSelectMultiple,
            error_messages={
                "required": _("Choose at least one record."),
                "invalid_choice": _("One of these records is no longer here. Please choose again."),
            },
        )

    @classmethod
    def of(cls, choices: Sequence[Choice]) -> "CopyForm":
        """With every record ticked."""
        return cls(choices, initial={"sources": [str(choice.connection.pk) for choice in choices]})

    @property
    def chosen(self) -> tuple[Choice, ...]:
        """What was ticked, in the order it was offered. Of a valid form."""
        ticked = set(self.cleaned_data["sources"])
        return tuple(choice for key, choice in self._choices.items() if key in ticked)

    def clean(self) -> dict[str, Any]:
        """Never two people on one page: an allergy of one would be read as the other's."""
        cleaned = super().clean() or {}
        is_about_one = cleaned.get("format") in _ABOUT_ONE_PERSON
        if is_about_one and "sources" in cleaned and not choosing.are_one_person(self.chosen):
            self.add_error("sources", _("These records are of different people. Choose those of one person."))
        return cleaned


def _label(choice: Choice) -> str:
    """The provider, and whose record it is."""
    name = choice.person.name if choice.person is not None else ""
    if not name:
        return choice.source.provider
    return _("%(provider)s: record of %(name)s") % {"provider": choice.source.provider, "name": name}
