"""Where a page may redirect somebody: only to paths of our own."""

from typing import Final

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

# The library's pages from the sign-in page until somebody is signed in. It redirects between them without `next`.
_ON_THE_WAY: Final = (
    "account_login", "account_signup", "account_email_verification_sent", "mfa_authenticate", "account_reset_password",
    "account_confirm_password_reset_code", "account_complete_password_reset",
)  # fmt: skip


def own_path(unverified_next: str, *, otherwise: str) -> str:
    """`unverified_next` if it is a path of ours, else `otherwise`. Never a host or a scheme."""
    is_path = unverified_next.startswith("/") and url_has_allowed_host_and_scheme(unverified_next, allowed_hosts=None)
    return unverified_next if is_path else otherwise


def on_the_way(request: HttpRequest, page: str) -> str:
    """The address of a sign-in page, by its URL name, with the `next` of this request."""
    going_to = own_path(request.POST.get("next") or request.GET.get("next", ""), otherwise="")
    if not going_to or going_to.partition("?")[0] in _addresses():
        return reverse(page)
    query = QueryDict(mutable=True)
    query["next"] = going_to
    return f"{reverse(page)}?{query.urlencode(safe='/')}"


def keep(request: HttpRequest, response: HttpResponse) -> None:
    """Add `next` if this response redirects to a sign-in page. The library adds it to the first page, and drops it when
    something is refused, cancelled or comes too late."""
    page = _addresses().get(response.get("Location", ""))
    if page:
        response["Location"] = on_the_way(request, page)


def _addresses() -> dict[str, str]:
    return {reverse(name): name for name in _ON_THE_WAY}
