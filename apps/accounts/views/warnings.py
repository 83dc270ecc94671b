"""Choices about mail that warns of connections which end, about mail that reports news, and the time zone of times."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from apps.accounts import preferences, time_zones
from apps.accounts.current_user import current_user
from apps.accounts.models import User


def _hours() -> list[tuple[int, str]]:
    return [
        (number, ngettext("%(count)d hour before", "%(count)d hours before", number) % {"count": number})
        for number in preferences.HOURS_OFFERED
    ]


class WarningsForm(forms.Form):
    """The choices are independent; with no hour ticked there is no mail of that kind."""

    hours_before = forms.TypedMultipleChoiceField(
        label=gettext_lazy("When we know that a connection will end, remind me"),
        help_text=gettext_lazy(
            "Choose as many as you like, or none. We write only when the connection cannot continue by itself."
        ),
        coerce=int,
        choices=_hours,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    tells_of_ends = forms.BooleanField(
        label=gettext_lazy("Tell me when a connection has ended unexpectedly"), required=False
    )
    names_providers = forms.BooleanField(
        label=gettext_lazy("Name my providers in e-mails"),
        help_text=gettext_lazy(
            "Left out unless you check this box. E-mail is not private, and a clinic's name can give something away."
        ),
        required=False,
    )
    tells_of_news = forms.BooleanField(
        label=gettext_lazy("Tell me when something new came into my record"),
        help_text=gettext_lazy(
            "We do this only if you check this box. You get at most one e-mail a day, in the morning. It says only "
            "that there is something new: not what it is, and not who sent it."
        ),
        required=False,
    )
    time_zone = forms.ChoiceField(
        label=gettext_lazy("Show times for this time zone"),
        help_text=gettext_lazy(
            "In e-mails and on our pages. Between 9 p.m. and 8 a.m. in this time zone, we send no e-mails if we can "
            "avoid it."
        ),
        required=False,
    )

    def __init__(self, *args: Any, zone: str = "", **kwargs: Any) -> None:
        """`zone` is the time zone chosen last, which stays selectable even if its name is old."""
        super().__init__(*args, **kwargs)
        cast("forms.ChoiceField", self.fields["time_zone"]).choices = time_zones.choices(zone)

    @classmethod
    def of(cls, user: User) -> "WarningsForm":
        """Filled with this person's choices."""
        chosen = preferences.choices_of(user)
        return cls(
            zone=user.time_zone,
            initial={
                "hours_before": chosen.hours_before,
                "tells_of_ends": chosen.tells_of_ends,
                "names_providers": chosen.names_providers,
                "tells_of_news": chosen.tells_of_news,
                "time_zone": user.time_zone,
            },
        )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest) -> HttpResponse:
    """Show the choices, and store what is sent. Every mail about ends or news links here."""
    user = current_user(request)
    if request.method != "POST":
        return render(request, "accounts/warnings.html", {"form": WarningsForm.of(user)})
    form = WarningsForm(request.POST, zone=user.time_zone)
    if not form.is_valid():
        return render(request, "accounts/warnings.html", {"form": form}, status=422)
    preferences.choose(user, **form.cleaned_data, at=timezone.now())
    messages.success(request, _("Saved. From now on, we will e-mail you as you chose."))
    return redirect("warnings")
