"""The privacy notice: to read, and to agree to."""

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts import consenting, destinations, notices
from apps.accounts.current_user import current_user
from apps.accounts.models import Consent


class AgreeForm(forms.Form):
    """The version that was read, who agrees, and a box that is not ticked in advance."""

    notice_version = forms.CharField(widget=forms.HiddenInput, max_length=20)
    declaration = forms.ChoiceField(
        label=_("Who are you?"),
        choices=Consent.Declaration.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose who you are."), "invalid_choice": _("Choose who you are.")},
    )
    is_agreed = forms.BooleanField(
        label=_("I have read this and agree"),
        error_messages={"required": _("Check the box if you agree. If you do not agree, nothing is copied.")},
    )

    def clean_notice_version(self) -> str:
        """Refuse a version that is no longer in force: the notice changed while the page was open."""
        version = str(self.cleaned_data["notice_version"])
        if version != notices.current_notice().version:
            raise forms.ValidationError(_("The notice has changed since you opened this page. Please read it again."))
        return version


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """The notice in force, for anybody."""
    return render(
        request, "accounts/notice.html", {"notice": notices.current_notice(), "support_email": settings.SUPPORT_EMAIL}
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def agree(request: HttpRequest) -> HttpResponse:
    """Read the notice and agree; then continue to `next`, if that is a path of ours."""
    user = current_user(request)
    asked_next = request.POST.get("next") or request.GET.get("next") or ""
    destination = destinations.own_path(asked_next, otherwise=reverse("settings"))
    if request.method == "POST":
        form = AgreeForm(request.POST)
        if form.is_valid():
            consenting.agree(
                user,
                notice_version=form.cleaned_data["notice_version"],
                declaration=form.cleaned_data["declaration"],
                language=translation.get_language() or "en",
                at=timezone.now(),
            )
            return HttpResponseRedirect(destination)
    elif not consenting.needs_consent(user):
        return HttpResponseRedirect(destination)
    else:
        form = AgreeForm(initial={"notice_version": notices.current_notice().version})
    earlier = consenting.latest_consent(user)
    context = {
        "form": form,
        "notice": notices.current_notice(),
        "earlier": earlier,
        "newer": notices.newer_than(earlier.notice_version) if earlier else (),
        "next": destination,
        "support_email": settings.SUPPORT_EMAIL,
    }
    return render(request, "accounts/agree.html", context, status=422 if form.errors else 200)
