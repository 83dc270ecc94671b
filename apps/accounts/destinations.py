"""Where a page may send somebody on to: paths of our own, and nothing else."""

from typing import Final

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

# The library's pages from the sign-in page to being signed in. It leads from one to the other by these addresses alone.
_ON_THE_WAY: Final = (
    "account_login", "account_signup", "account_email_verification_sent", "mfa_authenticate", "account_reset_password",
    "account_confirm_password_reset_code", "account_complete_password_reset",
)  # fmt: skip


def own_path(unverified_next: str, *, otherwise: str) -> str:
    """The path in `unverified_next` where it is one of ours, else `otherwise`. Never a host, never a scheme."""
    is_path = unverified_next.startswith("/") and url_has_allowed_host_and_scheme(unverified_next, allowed_hosts=None)
    return unverified_next if is_path else otherwise


def on_the_way(request: HttpRequest, page: str) -> str:
    """The address of a page of signing in, by its name, with the page of ours that this request says was asked for."""
    going_to = own_path(request.POST.get("next") or request.GET.get("next", ""), otherwise="")
    if not going_to or going_to.partition("?")[0] in _addresses():
        return reverse(page)
    query = QueryDict(mutable=True)
    query["next"] = going_to
    return f"{reverse(page)}?{query.urlencode(safe='/')}"


def keep(request: HttpRequest, response: HttpResponse) -> None:
    """Have a page of signing in, to which this answer leads, know where somebody was going. The library says so at the
    first page, and forgets it over what was refused, cancelled or too late."""
    page = _addresses().get(response.get("Location", ""))
    if page:
        response["Location"] = on_the_way(request, page)


def _addresses() -> dict[str, str]:
    return {reverse(name): name for name in _ON_THE_WAY}
