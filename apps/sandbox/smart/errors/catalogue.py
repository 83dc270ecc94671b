"""Every error of the SMART authorization server: its URN, and the text of its page. Interface facts section 5.7."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

NAMESPACE = "urn:sandbox:error:authorization-server:"

_PATIENT_CANCELLED = _("You chose not to share. Nothing was shared.")
_NOT_SIGNED_IN = _("Signing in did not work. Nothing was shared. Go back to the application and start again.")
_ADDRESS = _("The application asked us to send you to an address it has not registered with us. Nothing was shared.")
_LAUNCH = _("The application was not started the way it says it was. Close it, and start it from the portal again.")
_CODE = _("The application came with a code that does not work, or no longer works. Start again from the application.")
_CLIENT = _("The application could not prove who it is. Its makers have to look into this.")
_ENDED = _("The application may no longer read, because its time is up. Sign in again from the application.")
_TENANT = _("We do not know the organization this was meant for, or it does not offer this service.")

ERRORS: Mapping[str, str | Promise] = {
    "oauth2:grant:unknown-client": _("We do not know the application that sent you here. Nothing was shared."),
    "oauth2:grant:invalid-redirect-uri": _ADDRESS,
    "oauth2:grant:invalid-redirect-uri-trailing-slash": _ADDRESS,
    "oauth2:grant:redirect-uri-not-absolute": _ADDRESS,
    "oauth2:grant:redirect-uri-not-registered": _ADDRESS,
    "oauth2:grant:invalid-request": _("The application asked in a way we do not understand. Its makers can fix it."),
    "oauth2:grant:unsupported-response-type": _("The application asked for an answer that we do not give."),
    "oauth2:grant:invalid-scope": _("The application asked for something that we do not offer."),
    "oauth2:grant:unknown-tenant": _TENANT,
    "oauth2:grant:tenant-not-configured": _TENANT,
    "oauth2:grant:unauthorized-client-for-tenant": _(
        "This organization has not enabled the application. Ask the organization whether it will."
    ),
    "oauth2:grant:denied-by-user": _PATIENT_CANCELLED,
    "oauth2:grant:denied-by-server": _("Nothing that the application asked for may be shared with it."),
    "oauth2:grant:invalid-patient-id": _("There is no such record among those you may see."),
    "oauth2:grant:csrf-security-failure": _NOT_SIGNED_IN,
    "oauth2:grant:server-error": _("Something broke here. It is not your fault. Try again later."),
    "oauth2:grant:temporarily-unavailable": _("We are busy or under repair. Try again later."),
    "oauth2:grant:consent-required": _("The application asked to read while you are away without asking you again."),
    "session-service:authentication:cancelled": _PATIENT_CANCELLED,
    "session-service:authentication:error": _NOT_SIGNED_IN,
    "smart-v1:grant:launch:audience-required": _(
        "The application did not say which record service it would read from."
    ),
    "smart-v1:grant:launch:audience-not-white-listed": _("The application named a record service that is not ours."),
    "smart-v1:grant:launch:unknown-resource-server": _("The application named a record service that is not ours."),
    "smart-v1:grant:launch:launch-code-required": _LAUNCH,
    "smart-v1:grant:launch:invalid-launch-code": _LAUNCH,
    "smart-v1:grant:launch:mismatched-identity": _(
        "You are signed in as someone other than the person who started this."
    ),
    "smart-v1:grant:launch:unsupported-version": _LAUNCH,
    "smart-v1:grant:launch:unregistered-service": _LAUNCH,
    "smart-v1:grant:launch:unspecified": _LAUNCH,
    "oauth2:token:invalid-request": _("The application asked in a way we do not understand. Its makers can fix it."),
    "oauth2:token:unsupported-grant-type": _("The application asked for access in a way that we do not offer."),
    "oauth2:token:unsupported-token-type": _("The application wanted to end an access that ends by itself."),
    "oauth2:token:invalid-redirect-uri": _CODE,
    "oauth2:token:code-invalid-or-expired": _CODE,
    "oauth2:token:code:client:mismatch": _CODE,
    "oauth2:token:code:tenant:mismatch": _CODE,
    "oauth2:token:code:tenant-terminated": _TENANT,
    "oauth2:token:code:tenant-invalid": _TENANT,
    "oauth2:token:invalid-authorization-header": _CLIENT,
    "oauth2:token:invalid-client-credentials": _CLIENT,
    "oauth2:token:terminated-client": _CLIENT,
    "oauth2:token:client-without-system-account": _(
        "The application is not authorized for FHIR: its registration names no approved system account of its makers."
    ),
    "oauth2:token:unauthorized-client-for-tenant": _(
        "This organization has not enabled the application. Ask the organization whether it will."
    ),
    "oauth2:token:empty-scopes": _("Nothing that the application asked for may be shared with it."),
    "oauth2:token:patient-scope-requires-one-patient-id": _("The application has to name one record."),
    "oauth2:token:refresh-token:token-invalid": _ENDED,
    "oauth2:token:refresh-token:session-invalid": _ENDED,
    "oauth2:token:refresh-token:tenant-terminated": _TENANT,
    "oauth2:token:throttled": _("The application asked too often. It has to wait a minute."),
}
