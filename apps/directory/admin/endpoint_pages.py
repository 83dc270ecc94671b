"""Texts of admin pages about endpoints: their state, whether they can be linked, and how attempts to link ended."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.urls import reverse
from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from apps.directory import linkability, moving
from apps.directory.desk import hosts
from apps.directory.linkability import Obstacle
from apps.directory.models import Endpoint, EndpointCheck, KnownOrigins, Provider
from apps.directory.monitoring import comparing, link_statistics
from apps.directory.monitoring.link_statistics import Recent

NOTHING = "-"

# Why linking is off in a few words, for a column; the page of the endpoint has the sentence.
IN_SHORT = {
    Obstacle.STRANGER: _("host to look at"),
    Obstacle.SWITCHED_OFF: _("switched off"),
    Obstacle.VANISHED: _("gone from its list"),
    Obstacle.INTERFACE_NOT_SPOKEN: _("interface not spoken"),
    Obstacle.NO_ADDRESSES: _("no addresses"),
    Obstacle.NOT_DISCOVERED: _("not discovered"),
    Obstacle.ADDRESSES_MOVED: _("addresses moved"),
    Obstacle.SANDBOX_HERE: _("sandbox not allowed"),
    Obstacle.SANDBOX_MIXED: _("sandbox mixed in"),
    Obstacle.NO_REGISTRATION: _("no registration"),
    Obstacle.REGISTRATION_OVER: _("registration over"),
    Obstacle.NOT_APPROVED: _("not approved"),
    Obstacle.VERSION_NOT_ADDED: _("version not added"),
    Obstacle.NO_CREDENTIALS: _("no credentials"),
    Obstacle.TROUBLE: _("server refuses us"),
    Obstacle.NOT_ENABLED: _("not enabled there"),
}
_SHOWN_HERE = 5
_NEXT_LINE = SafeString("<br>")  # lists of the admin's own are set far to the right


def listed(sentences: Sequence[str | Promise]) -> SafeString | str:
    """Sentences, one per line."""
    if not sentences:
        return NOTHING
    return format_html_join(_NEXT_LINE, "{}", ((sentence,) for sentence in sentences))


def changes(check: EndpointCheck) -> list[str]:
    """What changed since the check before, in sentences."""
    return [comparing.words(change) for change in check.changes]


def certificates(check: EndpointCheck) -> list[str]:
    """Until when the certificate of each host is valid, and who issued it."""
    return [
        str(_("%(host)s: until %(end)s, issued by %(issuer)s, %(tls)s"))
        % {
            "host": certificate["host"],
            "end": formats.date_format(datetime.fromisoformat(certificate["ends_at"])),
            "issuer": certificate["issuer"] or NOTHING,
            "tls": certificate["tls_version"],
        }
        for certificate in check.certificates
    ]


def history(endpoint: Endpoint) -> SafeString | str:
    """The last checks that found or changed anything, and the result of the latest one."""
    rows = list(endpoint.checks.order_by("-pk"))
    told = [row for number, row in enumerate(rows) if number == 0 or row.changes or row.faults][:_SHOWN_HERE]
    sentences = [
        f"{formats.date_format(timezone.localtime(row.checked_at), 'DATETIME_FORMAT')}: "
        + " ".join([str(row.get_outcome_display()) + ".", *map(str, row.findings), *changes(row)])
        for row in told
    ]
    return listed(sentences) if rows else str(_("Never checked."))


def fared(subject: Endpoint | Provider) -> SafeString | str:
    """How attempts to link in the last 30 days ended, in numbers."""
    at = timezone.now()
    recent = (
        link_statistics.at_endpoint(subject, at=at)
        if isinstance(subject, Endpoint)
        else link_statistics.at_provider(subject, at=at)
    )
    return listed([str(sentence) for sentence in _in_numbers(recent)])


def _in_numbers(recent: Recent) -> Sequence[str | Promise]:
    last = formats.date_format(recent.last_success) if recent.last_success else NOTHING
    share = NOTHING if recent.percent is None else f"{recent.percent} %"
    return (
        _("Connected: %(count)d of %(tried)d (%(share)s)")
        % {"count": recent.completed, "tried": recent.tried, "share": share},
        _("Failed at the provider: %(count)d") % {"count": recent.failed_there},
        _("Failed here: %(count)d") % {"count": recent.failed_here},
        _("Never came back: %(count)d") % {"count": recent.abandoned},
        _("Said no there, not counted above: %(count)d") % {"count": recent.refused_by_patient},
        _("Last success: %(date)s") % {"date": last},
    )


def latest_check(endpoint: Endpoint) -> EndpointCheck | None:
    """The latest check, from those prefetched for the list, or else by a query."""
    known: list[EndpointCheck] | None = getattr(endpoint, "latest_checks", None)
    rows = known if known is not None else list(endpoint.checks.filter(is_latest=True))
    return rows[0] if rows else None


def linking(endpoint: Endpoint, provider: Provider | None = None, *, at: datetime) -> str:
    """On, or the reason why it is off."""
    obstacle = linkability.obstacle(endpoint, provider=provider, at=at)
    return str(obstacle.label) if obstacle else str(_("on"))


def linking_in_short(endpoint: Endpoint, *, at: datetime) -> str:
    """The same in a few words."""
    obstacle = linkability.obstacle(endpoint, at=at)
    return str(IN_SHORT.get(obstacle, obstacle.label)) if obstacle else str(_("on"))


def to_look_at(endpoint: Endpoint) -> SafeString:
    """For a stranger: both hosts, and a link to the page where it can be switched on."""
    stranger = hosts.of(endpoint)
    sentence = _("Off until somebody looks: records at %(records)s, signing in at %(sign_in)s.") % {
        "records": stranger.record_host,
        "sign_in": ", ".join(stranger.sign_in_hosts) or NOTHING,
    }
    look = _("Look at both at the registration desk and switch it on there")
    return format_html('{} <a href="{}">{}</a>', sentence, reverse("desk-look", args=[endpoint.pk]), look)


def move(endpoint: Endpoint) -> SafeString | str:
    """For an endpoint that moved: a link to the page where the move can be reviewed."""
    if not moving.awaits(endpoint) and endpoint.moved_from_id is None:
        return NOTHING
    said = _("Look at both addresses at the registration desk")
    return format_html('<a href="{}">{}</a>', reverse("desk-move", args=[endpoint.pk]), said)


def approval(row: KnownOrigins) -> str:
    """What was approved and when, and whether it was withdrawn."""
    said = _("%(token)s, signing in at %(sign_in)s: approved %(date)s") % {
        "token": row.token_origin,
        "sign_in": row.authorize_origin,
        "date": _moment(row.approved_at),
    }
    return (
        said
        if row.withdrawn_at is None
        else f"{said}; " + _("taken back %(date)s") % {"date": _moment(row.withdrawn_at)}
    )


def _moment(moment: datetime) -> str:
    return formats.date_format(timezone.localtime(moment), "DATETIME_FORMAT")


def linked(rows: Iterable[tuple[Endpoint, str]]) -> SafeString | str:
    """Endpoints with a sentence each, as links to their pages."""
    lines = [(reverse("admin:directory_endpoint_change", args=[row.pk]), row.fhir_base_url, said) for row, said in rows]
    if not lines:
        return NOTHING
    return format_html_join(_NEXT_LINE, '<a href="{}">{}</a>: {}', lines)


def list_of_checks(endpoint: Endpoint) -> SafeString:
    """A link to all checks that are kept."""
    address = f"{reverse('admin:directory_endpointcheck_changelist')}?endpoint__id__exact={endpoint.pk}"
    return format_html('<a href="{}">{}</a>', address, _("Show all checks that are kept"))
