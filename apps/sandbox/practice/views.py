"""The front desk: enrol a patient, end an enrolment. Whoever sits at this machine is the front desk."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from apps.sandbox import enrolment
from apps.sandbox.models import Account
from apps.sandbox.practice.practices import PRACTICES


@require_http_methods(["GET", "POST"])
def desk(request: HttpRequest) -> HttpResponse:
    """Everybody enrolled, and the form to enrol somebody else."""
    problem = ""
    if request.method == "POST":
        try:
            account = enrolment.enrol(
                request.POST.get("username", ""),
                request.POST.get("password", ""),
                request.POST.get("display_name", "") or request.POST.get("username", ""),
                {version: request.POST.get(version, "").split() for version in enrolment.VERSIONS},
                practice=request.POST.get("practice", ""),
                show_password=False,
            )
            messages.success(request, _("%(name)s can sign in now.") % {"name": account.display_name})
            return redirect("practice")
        except enrolment.EnrolmentRefused as refused:
            problem = str(refused)
    names = {practice.id: practice.name for practice in PRACTICES}
    context = {
        "accounts": [(row, names.get(row.practice, "")) for row in Account.objects.order_by("username")],
        "practices": PRACTICES,
        "problem": problem,
        "given": request.POST,
    }
    return render(request, "sandbox/practice.html", context)


@require_POST
def end(request: HttpRequest, pk: int) -> HttpResponse:
    """Disable the account's sign-in. What it allowed before stays allowed."""
    account = get_object_or_404(Account, pk=pk)
    enrolment.end(account)
    messages.success(request, _("%(name)s cannot sign in any more.") % {"name": account.display_name})
    return redirect("practice")
