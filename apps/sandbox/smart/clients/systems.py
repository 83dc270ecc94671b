"""Which system account sent a request, authenticated by Basic or by an assertion (specification S5, S6, 5.2.5; X55,
X57).

The account's id is the client id. It has system access while an approved application names it in its GUID field;
without one it is not recognized as authorized for FHIR (specification 5.2.7).
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.http import HttpRequest

from apps.sandbox.models import ApplicationStatus, ClientAuthentication, SmartApplication, SystemAccount
from apps.sandbox.smart import refusing
from apps.sandbox.smart.clients import assertions, authenticating
from apps.sandbox.smart.clients.authenticating import Shown


def account_of(
    request: HttpRequest, given: dict[str, str], *, audiences: Collection[str], at: datetime
) -> SystemAccount:
    """The account. Raises Refusal: 401 with a challenge, the same for every failure (RFC 6749 section 5.2)."""
    shown = authenticating.shown_by(request, given)
    account = SystemAccount.known(shown.client_id) if shown is not None else None
    if shown is None or account is None or given.get("client_id", shown.client_id) != shown.client_id:
        raise refusing.invalid_client(challenges=True)
    if not account.is_approved:
        raise refusing.invalid_client("oauth2:token:terminated-client", challenges=True)
    if not _is_proven(account, shown, audiences, at):
        raise refusing.invalid_client(challenges=True)
    return account


def applications_of(account: SystemAccount) -> Sequence[SmartApplication]:
    """The approved applications that name it. Raises Refusal if there is none."""
    rows = SmartApplication.objects.filter(
        guid=account.client_id, developer=account.developer_id, status=ApplicationStatus.APPROVED
    )
    found = tuple(rows.order_by("pk"))
    if not found:
        raise refusing.invalid_client("oauth2:token:client-without-system-account", challenges=True)
    return found


def _is_proven(account: SystemAccount, shown: Shown, audiences: Collection[str], at: datetime) -> bool:
    match shown.method:
        case ClientAuthentication.BASIC:
            return bool(account.secret_sha256) and shown.is_secret(account.secret_sha256)
        case ClientAuthentication.PRIVATE_KEY_JWT:
            return assertions.is_good_of_system(shown.secret, account, audiences=audiences, at=at)
        case _:
            return False
