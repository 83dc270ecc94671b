"""Texts for operators about findings, in the admin and in commands: what each is, and what to do about it."""

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.connections.overseeing.findings import Finding, Level, What, Who
from apps.connections.overseeing.site_certificate import Outlook

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
            "Its server does not accept our client registration. Mend it at the desk: its links then go on by "
            "themselves."
        ),
        What.REGISTRATION_OFF: _("It is switched off: its links are not renewed. Switch it on before they end."),
        What.REGISTRATION_UNKNOWN: _(
            "This release does not know what it says of where parameters go: its links are not renewed. Deploy the "
            "release that does, or correct it."
        ),
        What.SYSTEM_REFUSED: _(
            "Its server does not accept our system account; no link is concerned. Compare the account's id and its "
            "proof, then try system access at the desk: the next token ends this."
        ),
        What.ENDPOINT_OFF: _("It is switched off: its links are not renewed. Switch it on before they end."),
        What.ENDPOINT_UNKNOWN: _(
            "This release does not know its dialect: its links are not renewed. Deploy the release that does, or "
            "correct the dialect."
        ),
        What.ENDPOINT_MOVED: _(
            "It moved to another origin: its links go on while the address before answers, and no longer. Look at both "
            "addresses at the registration desk."
        ),
        What.NOT_ENABLED: _("The organization does not let our application in. Ask its staff to enable it."),
        What.WAITING: _("It does not answer, or asks us to wait. We try again by ourselves; ask them if it lasts."),
        What.REFUSING: _(
            "It says of several patients that they ended their permission, and has renewed none since that is older; "
            "or it renews theirs and does not open their records. That looks like a fault of theirs: tell them now. We "
            "ask again for half a day; then those patients must sign in."
        ),
        What.SILENT: _(
            "Its records answer nobody who is linked there. We try again by ourselves; ask them if it lasts."
        ),
        What.OVERDUE: _("Renewals are late. Look whether the schedule and the workers run, and add workers."),
        What.STUCK: _("A worker died and nobody takes up its work. Look whether the schedule and the workers run."),
        What.BROKE_OFF: _(
            "Renewing broke off in a way nobody foresaw, and is tried again at growing intervals. The log says where."
        ),
        What.FAILING: _(
            "It answers renewals with nothing that we know, several times in a row. The log says with what. Look "
            "whether its addresses hold, and ask them; its links end with their time limits."
        ),
        What.REVOCATIONS: _("It has not confirmed for hours that permissions are over. Nothing is lost; tell them."),
        What.CERTIFICATE: _("The certificate of our own site:"),
        What.KEY_MISSING: _(
            "A key is missing by which data keys are wrapped. Nothing of theirs opens until it is put back, nothing is "
            "lost, and providers' time limits go on."
        ),
        What.CLOCK: _(
            "This machine's clock is not that of the database. Providers refuse what it signs, as if our registration "
            "were wrong, and codes of authenticator apps are refused here. Keep both clocks right."
        ),
    }
)

OUTLOOKS: Mapping[Outlook, Promise] = MappingProxyType(
    {
        Outlook.WELL: _("it holds."),
        Outlook.NOT_WATCHED: _("it is not watched."),
        Outlook.UNSEEN: _(
            "it was not seen in the last three days. Look whether this machine can reach our own address."
        ),
        Outlook.ENDS_SOON: _("it ends within 21 days. Renew it."),
        Outlook.ENDS_VERY_SOON: _("it ends within 7 days. Renew it now."),
        Outlook.ENDED: _("it has ended. Renew it now: providers may end permissions meanwhile."),
        Outlook.REFUSED: _("browsers refuse it. Mend it now: providers may end permissions meanwhile."),
    }
)


def sentence(finding: Finding) -> str:
    """What it is, and what to do."""
    words = str(WHAT[finding.what])
    return f"{words} {OUTLOOKS[Outlook(finding.code)]}" if finding.what is What.CERTIFICATE else words
