"""The owner's form: what others may see, and how long; and the visitor's form: name and passcode."""

from collections.abc import Sequence
from datetime import date, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.records.exporting import choosing, offered_files, portions
from apps.records.exporting.choosing import Choice
from apps.records.exporting.forms import SourcesForm, kinds_field, span_field
from apps.records.exporting.portions import Span
from apps.records.subjects import (
    ALLERGIES,
    CONDITIONS,
    DEVICES,
    DOCUMENTS,
    HISTORY,
    INSURANCE,
    MEDICINES,
    OTHER,
    PLANS,
    PROCEDURES,
    RESULTS,
    TEAM,
    VACCINES,
    VISITS,
    VITALS,
    Subject,
)
from apps.sharing.visiting import LONGEST_NAME

# Not ticked in advance: what says something about other people or about a way of life (patient experience 5.4, X5), and
# what no treatment needs, such as member numbers or the names of other doctors. Other entries may be anything.
NOT_UNLESS_TICKED: Final = (DOCUMENTS, HISTORY, TEAM, INSURANCE, OTHER)
# Ticked in advance: what is needed for treatment. A test fails for a subject that is in neither list.
USUAL: Final = (
    RESULTS, MEDICINES, ALLERGIES, CONDITIONS, VITALS, VACCINES, VISITS, PROCEDURES, PLANS, DEVICES,
)  # fmt: skip


class Lasting(StrEnum):
    """How long a share is open."""

    DAY = "1-day"
    WEEK = "7-days"
    MONTH = "30-days"


_DAYS: Final = {Lasting.DAY: 1, Lasting.WEEK: 7, Lasting.MONTH: 30}


class ShareForm(SourcesForm):
    """What others may see, and how long."""

    field_order = ("sources", "subjects", "sensitive", "with_files", "span", "lasting", "purpose")
    subjects = kinds_field(
        label=gettext_lazy("What may they see?"),
        help_text=gettext_lazy(
            "Left out unless you tick them: documents and notes, family and social history, care team, insurance, "
            "other entries."
        ),
    )
    sensitive = forms.BooleanField(
        label=gettext_lazy("Also include what many people keep to themselves"),
        help_text=gettext_lazy(
            "Mental health, alcohol, drugs and tobacco, HIV and other sexually transmitted infections, pregnancies, "
            "violence, and answers about how you live. Unless you tick this, we leave out what we recognize, but we "
            "may miss some. Look at what they will see before you send the link. Medicines, allergies and vaccines "
            "are never left out, although they may reveal the same things."
        ),
        required=False,
    )
    with_files = forms.BooleanField(
        label=gettext_lazy("Let them open files, too"),
        help_text=gettext_lazy(
            "The letters, reports and pictures that belong to documents and results they may see. We do not check what "
            "is in a file: it may mention what you leave out, and other people. If we do not have a file yet, we get "
            "it from your provider when they open it."
        ),
        required=False,
    )
    span = span_field()
    lasting = forms.ChoiceField(
        label=gettext_lazy("For how long?"),
        widget=forms.RadioSelect,
        choices=[
            (Lasting.DAY.value, gettext_lazy("One day")),
            (Lasting.WEEK.value, gettext_lazy("Seven days")),
            (Lasting.MONTH.value, gettext_lazy("Thirty days")),
        ],
        initial=Lasting.WEEK.value,
        error_messages={
            "required": gettext_lazy("Choose for how long."),
            "invalid_choice": gettext_lazy("Choose for how long."),
        },
    )
    purpose = forms.CharField(
        label=gettext_lazy("Who is it for?"),
        help_text=gettext_lazy("A note for yourself. They do not see it. You can leave it empty."),
        max_length=LONGEST_NAME,
        required=False,
    )

    def __init__(self, choices: Sequence[Choice], *arguments: Any, **keywords: Any) -> None:
        super().__init__(sorted(choices, key=lambda choice: choice.whose), *arguments, **keywords)
        if not choosing.are_one_person(choices):
            self.fields["sources"].help_text = _(
                "Choose the records of one person. For someone else's, make another link."
            )

    @classmethod
    def of(
        cls,
        choices: Sequence[Choice],
        *,
        only: Subject | None = None,
        source: UUID | None = None,
        person: UUID | None = None,
    ) -> "ShareForm":
        """With every record ticked if all belong to one person, or else those requested. The subjects are the usual
        ones, of the years that a doctor reads; or all of the one requested."""
        ticked = choosing.asked_for(choices, source=source, person=person)
        if not ticked and choosing.are_one_person(choices):
            ticked = list(choices)
        initial = {
            "sources": [str(choice.connection.pk) for choice in ticked],
            "subjects": [subject.key for subject in ([only] if only else USUAL)],
            "span": (Span.ALL if only else Span.FIVE_YEARS).value,
        }
        return cls(choices, initial=initial)

    @property
    def connections(self) -> list[UUID]:
        """The chosen sources. Only for a valid form."""
        return [choice.connection.pk for choice in self.chosen]

    @property
    def has_files(self) -> bool:
        """Whether files can be opened: that was ticked, and so was something that may have some. Only for a valid
        form."""
        may_have_some = not offered_files.SUBJECTS.isdisjoint(self.cleaned_data["subjects"])
        return may_have_some and bool(self.cleaned_data["with_files"])

    @property
    def lasts(self) -> timedelta:
        """How long the share stays open. Only for a valid form."""
        return timedelta(days=_DAYS[Lasting(self.cleaned_data["lasting"])])

    def since(self, *, today: date) -> date | None:
        """From which date on dated entries are shown; None for all. Only for a valid form."""
        return portions.since(Span(self.cleaned_data["span"]), today=today)

    def clean(self) -> dict[str, Any]:
        """Refuse records of two people behind one link."""
        cleaned = super().clean() or {}
        self.refuse_several_people()
        return cleaned


class PasscodeForm(forms.Form):
    """What a visitor enters. The name is not checked: the person who shared reads it."""

    name = forms.CharField(
        label=gettext_lazy("Your name"),
        help_text=gettext_lazy("The person who shared this sees that you opened it."),
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
        error_messages={"required": gettext_lazy("Enter your name.")},
    )
    passcode = forms.CharField(
        label=gettext_lazy("Passcode"),
        help_text=gettext_lazy("Six digits. You got them separately from the link."),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
        error_messages={"required": gettext_lazy("Enter the passcode.")},
    )

    def refuse(self, tries_left: int) -> None:
        """Say at the field that the passcode is wrong."""
        said = ngettext(
            "That passcode is not right. %(n)s try is left. Ask the person who sent it.",
            "That passcode is not right. %(n)s tries are left. Ask the person who sent it.",
            tries_left,
        )
        self.add_error("passcode", said % {"n": tries_left})
