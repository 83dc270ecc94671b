"""What somebody takes along: from which providers, in which format, and for a page to read, which part."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final, cast
from uuid import UUID

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.records.exporting import choosing, portions
from apps.records.exporting.admitting import Format
from apps.records.exporting.choosing import Choice
from apps.records.exporting.pdf import making
from apps.records.exporting.portions import WHOLE, Portion, Span
from apps.records.subjects import LISTED, Subject

# A page or document in one of these formats is about one person.
_ABOUT_ONE_PERSON = frozenset({Format.PDF, Format.SUMMARY, Format.IPS})
_OF_ANY_PART = frozenset({Format.PDF, Format.SUMMARY})
_ALL = WHOLE.subjects, Span.ALL
_FORMATS: Final = (
    (Format.PDF.value, gettext_lazy("A PDF to read, print or keep")),
    (Format.SUMMARY.value, gettext_lazy("The same, as a page to read here")),
    (Format.IPS.value, gettext_lazy("A patient summary for a doctor's computer or another app (IPS)")),
    (Format.BUNDLE.value, gettext_lazy("Everything as received, one file per provider (FHIR Bundle)")),
    (Format.LINES.value, gettext_lazy("Everything as received, one entry per line (NDJSON)")),
)
_PAGE_ALONE: Final = (Format.SUMMARY.value, gettext_lazy("A page to read, print or save as PDF"))

KIND_ERRORS: Final = {
    "required": gettext_lazy("Choose at least one kind of entry."),
    "invalid_choice": gettext_lazy("One of these kinds does not exist. Please choose again."),
}


def kinds_field(**others: Any) -> forms.MultipleChoiceField:
    """The kinds of entries to choose from."""
    return forms.MultipleChoiceField(
        choices=[(subject.key, subject.name) for subject in LISTED],
        widget=forms.CheckboxSelectMultiple,
        error_messages=KIND_ERRORS,
        **others,
    )


def span_field(**others: Any) -> forms.ChoiceField:
    """How far back events are included."""
    return forms.ChoiceField(
        label=gettext_lazy("How far back?"),
        help_text=gettext_lazy(
            "For results, vitals, visits and documents. Medicines, allergies, surgeries and everything else that "
            "stays current are always included in full."
        ),
        widget=forms.RadioSelect,
        choices=[
            (Span.ALL.value, gettext_lazy("All of it")),
            (Span.THREE_MONTHS.value, gettext_lazy("The last three months")),
            (Span.YEAR.value, gettext_lazy("The last year")),
            (Span.FIVE_YEARS.value, gettext_lazy("The last five years")),
        ],
        error_messages=dict.fromkeys(("required", "invalid_choice"), gettext_lazy("Choose how far back.")),
        **others,
    )


def _sources_field(choices: Sequence[Choice]) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=_("Which records?"),
        choices=[(str(choice.connection.pk), choosing.label(choice)) for choice in choices],
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": _("Choose at least one record."),
            "invalid_choice": _("One of these records is no longer here. Please choose again."),
        },
    )


class SourcesForm(forms.Form):
    """Made with the choices of one person's account: anybody else's connection is not among them."""

    def __init__(self, choices: Sequence[Choice], *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._choices = {str(choice.connection.pk): choice for choice in choices}
        self.fields["sources"] = _sources_field(choices)
        self.order_fields(self.field_order)

    @property
    def chosen(self) -> tuple[Choice, ...]:
        """The sources that were ticked, in the order in which they were offered. Requires valid sources."""
        ticked = set(self.cleaned_data["sources"])
        return tuple(choice for key, choice in self._choices.items() if key in ticked)

    def refuse_several_people(self) -> None:
        """Add an error if the records are of several people: an allergy of one would be read as another's."""
        if "sources" in self.cleaned_data and not choosing.are_one_person(self.chosen):
            self.add_error("sources", _("These records belong to different people. Choose the records of one person."))


class _Formats(forms.RadioSelect):
    """Says for each format that is a file that it is one (docs/pages.md)."""

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(*args, **kwargs)
        if option["value"] != Format.SUMMARY:
            option["attrs"]["data-file"] = True
        return option


class CopyForm(SourcesForm):
    """The form for a copy to take along, for oneself."""

    field_order = ("sources", "format", "answers", "subjects", "span")
    format = forms.ChoiceField(
        label=gettext_lazy("In which format?"),
        widget=_Formats,
        choices=_FORMATS,
        error_messages={
            "required": gettext_lazy("Choose what to download."),
            "invalid_choice": gettext_lazy("Choose what to download."),
        },
    )

    answers = forms.BooleanField(
        label=gettext_lazy("In the patient summary, also include what I answered about how I live and feel"),
        help_text=gettext_lazy(
            "Home, work, safety, pregnancy, tobacco, alcohol, questionnaires. The other formats always include these."
        ),
        required=False,
    )

    subjects = kinds_field(label=gettext_lazy("Which kinds of entries?"), required=False)
    span = span_field(required=False)

    def __init__(self, choices: Sequence[Choice], *arguments: Any, **keywords: Any) -> None:
        super().__init__(choices, *arguments, **keywords)
        self.offers_pdf = making.is_here()
        if not self.offers_pdf:
            formats = cast("forms.ChoiceField", self.fields["format"])
            formats.choices = [_PAGE_ALONE, *(one for one in _FORMATS if one[0] not in _OF_ANY_PART)]

    @classmethod
    def of(
        cls,
        choices: Sequence[Choice],
        *,
        only: Subject | None = None,
        source: UUID | None = None,
        person: UUID | None = None,
    ) -> "CopyForm":
        """A form with every record ticked, or with only that of `source` if it is offered, or all records of the person
        to whom `person` belongs, and with every kind of entry. With `only`, for a page with one kind of entry, no
        record is ticked if they cannot all be on one page."""
        wanted = LISTED if only is None else (only,)
        ticked = choosing.asked_for(choices, source=source, person=person)
        if not ticked and (only is None or choosing.are_one_person(choices)):
            ticked = list(choices)
        initial = {
            "sources": [str(choice.connection.pk) for choice in ticked],
            "subjects": [subject.key for subject in wanted],
            "span": Span.ALL.value,
        }
        to_read = Format.PDF if making.is_here() else Format.SUMMARY
        return cls(choices, initial=initial if only is None else {**initial, "format": to_read.value})

    def portion(self, *, today: date) -> Portion:
        """The portion of the record that a page to read includes. Requires a valid form."""
        keys, span = self._asked
        return Portion(keys, portions.since(span, today=today))

    @property
    def is_of_a_part(self) -> bool:
        """Whether something would be left out, or a field that decides this has an error."""
        if not self.is_bound:
            return set(self.initial["subjects"]) != WHOLE.subjects
        return self._asked != _ALL or not {"subjects", "span"}.isdisjoint(self.errors)

    @property
    def _asked(self) -> tuple[frozenset[str], Span]:
        if "span" not in self.data:  # the page was rendered by an earlier release
            return _ALL
        return frozenset(self.cleaned_data.get("subjects", ())), Span(self.cleaned_data.get("span") or Span.ALL)

    def clean(self) -> dict[str, Any]:
        """Never two people on one page, nor a part if the format only has the whole."""
        cleaned = super().clean() or {}
        if cleaned.get("format") in _ABOUT_ONE_PERSON:
            self.refuse_several_people()
        keys, _span = self._asked
        if not keys and "subjects" not in self.errors:
            self.add_error("subjects", str(KIND_ERRORS["required"]))
        elif self._asked != _ALL and cleaned.get("format", Format.SUMMARY) not in _OF_ANY_PART:
            self.add_error(
                "format",
                _(
                    "Only a format that is for reading can hold just a part of the record. Choose one of those, or "
                    "include everything."
                ),
            )
        return cleaned
