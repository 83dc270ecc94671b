"""Texts for operators about findings, in the admin and in commands: what each is, and what to do about it."""

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.connections.link_health.findings import Finding, Level, What, Who
from apps.connections.link_health.site_certificate import Outlook

LEVELS: Mapping[Level, Promise] = MappingProxyType(
    {Level.WELL: _("All is well"), Level.ATTENTION: _("Look at it today"), Level.ACT: _("Act now")}
)

WHO: Mapping[Who, Promise] = MappingProxyType(
    {
        Who.OPERATOR: _("staff here"),
        Who.ORGANIZATION: _("the provider's own staff"),
        Who.PROVIDER: _("the provider"),
        Who.US: _("whoever runs this installation"),
    }
)

WHAT: Mapping[What, Promise] = MappingProxyType(
    {
        What.TROUBLE: _(
            "Its server does not accept our client registration. Fix it at the registration desk: its links then "
            "resume on their own."
        ),
        What.REGISTRATION_OFF: _("It is switched off: its links are not renewed. Switch it on before they end."),
        What.REGISTRATION_UNKNOWN: _(
            "This release does not know its value for “token parameters”: its links are not renewed. Deploy the "
            "release that does, or correct the value."
        ),
        What.SYSTEM_REFUSED: _(
            "Its server does not accept our system account; no link is affected. Compare the account's id and how it "
            "proves itself, then try system access at the registration desk: the next token clears this."
        ),
        What.ENDPOINT_OFF: _("It is switched off: its links are not renewed. Switch it on before they end."),
        What.ENDPOINT_UNKNOWN: _(
            "This release does not know its dialect: its links are not renewed. Deploy the release that does, or "
            "correct the dialect."
        ),
        What.ENDPOINT_MOVED: _(
            "It moved to another origin: its links keep working only as long as the old address answers. Look at "
            "both addresses at the registration desk."
        ),
        What.NOT_ENABLED: _("The organization does not let our application in. Ask its staff to enable it."),
        What.WAITING: _(
            "It does not answer, or asks us to wait. We keep trying on our own; if this goes on, ask the provider."
        ),
        What.REFUSING: _(
            "It says that several patients ended their permission, and since then has renewed no older permission; "
            "or it renews theirs but does not open their records. That looks like a fault on the provider's side: "
            "tell them now. We keep asking for half a day; after that, those patients must sign in."
        ),
        What.SILENT: _(
            "It opens no records to any patient who is linked there. We keep trying on our own; if this goes on, ask "
            "the provider."
        ),
        What.OVERDUE: _("Renewals are late. Check that the scheduler and the workers are running, and add workers."),
        What.STUCK: _(
            "A worker died and no other has taken over its work. Check that the scheduler and the workers are running."
        ),
        What.BROKE_OFF: _(
            "Renewal broke off in a way nobody foresaw, and is tried again at growing intervals. The log says where."
        ),
        What.FAILING: _(
            "Several times in a row, it answered renewals with something we do not recognize. The log says with "
            "what. Check that its addresses are still right, and ask the provider; its links end when their time "
            "limits run out."
        ),
        What.REVOCATIONS: _(
            "It has not confirmed for hours that permissions have ended. Nothing is lost; tell the provider."
        ),
        What.CERTIFICATE: _("The certificate of our own site:"),
        What.KEY_MISSING: _(
            "A key that wraps data keys is missing. Nothing those data keys seal can be opened until it is put back. "
            "Nothing is lost, but providers' time limits keep running."
        ),
        What.CLOCK: _(
            "This machine's clock and the database's differ. Providers refuse what this machine signs, as if our "
            "registration were wrong, and codes from authenticator apps are refused here. Keep both clocks right."
        ),
    }
)

OUTLOOKS: Mapping[Outlook, Promise] = MappingProxyType(
    {
        Outlook.WELL: _("it is valid."),
        Outlook.NOT_WATCHED: _("it is not watched."),
        Outlook.UNSEEN: _(
            "it has not been seen in the last three days. Check whether this machine can reach our own address."
        ),
        Outlook.ENDS_SOON: _("it expires within 21 days. Renew it."),
        Outlook.ENDS_VERY_SOON: _("it expires within 7 days. Renew it now."),
        Outlook.ENDED: _("it has expired. Renew it now: providers may end permissions in the meantime."),
        Outlook.REFUSED: _("browsers refuse it. Fix it now: providers may end permissions in the meantime."),
    }
)


def sentence(finding: Finding) -> str:
    """What it is, and what to do."""
    words = str(WHAT[finding.what])
    return f"{words} {OUTLOOKS[Outlook(finding.code)]}" if finding.what is What.CERTIFICATE else words
