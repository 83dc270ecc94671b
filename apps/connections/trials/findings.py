"""For each finding of an endpoint check: whose turn it is, and what to do. The finding's own label says what it is."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.connections.trials.turns import Turn
from apps.directory.models import EndpointCheck

Finding = EndpointCheck.Finding

_COMPARE = (Turn.STAFF, _("Compare the FHIR address of this endpoint with the one they publish."))
_CERTIFICATE = (Turn.PROVIDER, _("Tell the provider's support. Nothing of ours is sent there until it is fixed."))
_CERTIFICATE_SOON = (Turn.PROVIDER, _("Tell the provider's support before it ends."))

FINDINGS: Mapping[str, tuple[Turn, str | Promise]] = {
    Finding.INTERFACE_NOT_SPOKEN: (Turn.US, _("The developers must teach the app this kind of server.")),
    Finding.UNSAFE_ADDRESS: (
        Turn.STAFF,
        _("It must be https and public. Any port other than 443 has to be approved in the admin."),
    ),
    Finding.NO_ANSWER: (
        Turn.WAIT,
        _("Try again in a few minutes. If that does not help, compare the address with the one they publish."),
    ),
    Finding.REDIRECTED: _COMPARE,
    Finding.TOO_LARGE: (Turn.US, _("Tell the developers, and the provider's support.")),
    Finding.NO_METADATA: _COMPARE,
    Finding.UNKNOWN_VERSION: (Turn.STAFF, _("Ask for their R4 or DSTU2 address.")),
    Finding.OTHER_VERSION: (
        Turn.STAFF,
        _("Each version has addresses of its own. Compare this one with those they publish."),
    ),
    Finding.NO_SMART_CONFIGURATION: _COMPARE,
    Finding.ADDRESSES_MOVED: (
        Turn.STAFF,
        _("We do not follow to another host. Ask the organization; in the admin, the endpoint shows the disagreement."),
    ),
    Finding.NOT_ENABLED: (
        Turn.PROVIDER,
        _("Only its own staff can turn the application on. Ask them, then try again."),
    ),
    Finding.NOT_DISCOVERED: (Turn.WAIT, _("Try again in a few minutes.")),
    Finding.CERTIFICATE_EXPIRED: _CERTIFICATE,
    Finding.CERTIFICATE_NOT_YET: _CERTIFICATE,
    Finding.CERTIFICATE_OTHER_HOST: _CERTIFICATE,
    Finding.CERTIFICATE_UNTRUSTED: _CERTIFICATE,
    Finding.OLD_TLS: _CERTIFICATE,
    Finding.NO_SIGN_IN: (Turn.WAIT, _("Try again in a few minutes. If that does not help, compare the addresses.")),
    Finding.CERTIFICATE_ENDS_SOON: _CERTIFICATE_SOON,
    Finding.CERTIFICATE_ENDS_VERY_SOON: _CERTIFICATE_SOON,
    Finding.DOCUMENTS_DISAGREE: (Turn.STAFF, _("In the admin, the endpoint's page shows how they disagree.")),
    Finding.NOTHING_OFFERED: (Turn.PROVIDER, _("Ask whether this is their address for patients' records.")),
}
