"""`refresh_tokens`: refresh one link, those that are due, or all, now instead of when scheduled."""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize

from apps.connections import clocks
from apps.connections.link_health import overview
from apps.connections.link_health.findings import OfRegistration
from apps.connections.models import Connection
from apps.connections.refreshing import early_refreshes, running
from apps.connections.refreshing.attempting import Outcome
from apps.connections.refreshing.claiming import Claim
from apps.connections.refreshing.early_refreshes import Asked, Hindrance
from apps.directory.management import arguments, naming

# The result, and who must act.
_OUTCOMES: Mapping[Outcome | None, str] = {
    Outcome.REFRESHED: "renewed",
    Outcome.WAITING: "will be tried again on its own: the provider could not answer",
    Outcome.ENDED: "ended: the patient must sign in again, and is told so",
    Outcome.OPERATOR: "refused: staff must act, the log and link_health say how; no token was lost",
    Outcome.OURS: "failed: their answer or our request was wrong, the log says how; no token was lost",
    Outcome.FORGOTTEN: "disconnected in the meantime",
    Outcome.RELEASED: "not asked: this worker was too slow, another one will",
    None: "broken off: the log says how; will be taken up again on its own",
}
_HINDRANCES: Mapping[Hindrance, str] = {
    Hindrance.NOT_ACTIVE: "it is not active: its patient must sign in at the provider, or it has ended",
    Hindrance.NO_REFRESH_TOKEN: "its provider gave no way to renew it",
    Hindrance.SWITCHED_OFF: "staff switched off its endpoint or registration, and must switch it back on",
    Hindrance.UNKNOWN: "this release does not know how to ask: staff must deploy one that does, or correct the value",
    Hindrance.TROUBLE: "its registration is refused, and staff must fix that",
    Hindrance.UNDER_WAY: "somebody is at it",
    Hindrance.TOO_SOON: "nobody may ask again yet",
}
_FOR_STAFF = frozenset({Outcome.OPERATOR, Outcome.OURS, None})
_HELD = frozenset({Hindrance.SWITCHED_OFF, Hindrance.UNKNOWN, Hindrance.TROUBLE})


class Command(BaseCommand):
    """The schedule does this each minute. Running it by hand again is harmless. It prints no token and no name."""

    help = (
        "Refresh the tokens of one link, of those that are due, or of all, within the floors and budgets of "
        "their providers. Prints for each registration what was done, what was not, and who must act. Exits with "
        "1 if staff must act."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which links."""
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("connection", nargs="?", metavar="ID", type=UUID, help="the id of one connection")
        which.add_argument("--due", action="store_true", help="the links that are due")
        which.add_argument(
            "--all",
            action="store_true",
            help="all links: they are made due, and then taken in the order of their deadlines",
        )
        parser.add_argument(
            "--registration", metavar="NAME", help="with --all: only links of this client registration, by label or id"
        )
        parser.add_argument(
            "--seconds",
            metavar="N",
            type=arguments.whole_number,
            default=600,
            help="begin nothing new after so many seconds (default: 600)",
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Refresh, and print what was done."""
        if options["registration"] is not None and not options["all"]:
            raise CommandError("--registration goes with --all.")
        if options["registration"] is not None:  # an empty name matches none, and does not mean all
            options["registration"] = naming.registration_id(options["registration"])
        if options["connection"]:
            self._one(options["connection"], is_rehearsal=options["dry_run"])
        elif options["dry_run"]:
            self._rehearse(options)
        else:
            self._many(options)

    def _one(self, connection_id: UUID, *, is_rehearsal: bool) -> None:
        act = early_refreshes.foresee if is_rehearsal else early_refreshes.refresh_one
        try:
            asked = act(connection_id, at=clocks.now())
        except Connection.DoesNotExist:
            raise CommandError("There is no connection with this id.") from None
        self.stdout.write(f"{connection_id}: {_words(asked) if asked else 'would be asked for now.'}")
        if asked and (asked.hindrance in _HELD if asked.hindrance else asked.outcome in _FOR_STAFF):
            raise CommandError("Staff must act.", returncode=1)

    def _many(self, options: Mapping[str, Any]) -> None:
        if options["all"]:
            hastened = early_refreshes.bring_forward(options["registration"], at=clocks.now())
            number = sum(hastened.values())
            self.stdout.write(f"{number:,} link{pluralize(number)} {pluralize(number, 'was,were')} made due.")
        heard: Counter[tuple[UUID, Outcome | None]] = Counter()

        def tell(claim: Claim, outcome: Outcome | None) -> None:
            heard[claim.connection.registration_id, outcome] += 1

        running.pull(clock=clocks.shared(), call_for_help=lambda: None, seconds=options["seconds"], tell=tell)
        registrations = overview.registrations(at=clocks.now())
        for line in _report(heard, registrations):
            self.stdout.write(line)
        if any(outcome in _FOR_STAFF for _of, outcome in heard) or any(map(_is_broken, registrations)):
            raise CommandError("Staff must act.", returncode=1)

    def _rehearse(self, options: Mapping[str, Any]) -> None:
        at = clocks.now()
        more = early_refreshes.count_refreshable(options["registration"], at=at) if options["all"] else {}
        registrations = overview.registrations(at=at)
        numbers = [(0 if one.is_held else one.lag.due) + more.get(one.registration.pk, 0) for one in registrations]
        who = "Of these somebody would be asked:" if any(numbers) else "Nobody would be asked."
        self.stdout.write(f"Nothing was asked and nothing changed. {who}")
        for one, number in zip(registrations, numbers, strict=True):
            if number:
                self.stdout.write(f"{one.registration}: {number}")
            if one.is_held and one.standings.active:
                self.stdout.write(_held(one))
        if any(map(_is_broken, registrations)):
            raise CommandError("Staff must act.", returncode=1)


def _report(heard: Counter[tuple[UUID, Outcome | None]], registrations: Iterable[OfRegistration]) -> Iterator[str]:
    """For each registration what was done, then what is left."""
    for one in registrations:
        for outcome, words in _OUTCOMES.items():
            if number := heard[one.registration.pk, outcome]:
                yield f"{one.registration}: {number} {words}"
        if one.is_held and one.standings.active:
            yield _held(one)
        elif one.lag.due:
            yield f"{one.registration}: {one.lag.due} still due: workers go on with them, within its budget"
    if not heard:
        yield "Nobody was asked."


def _is_broken(one: OfRegistration) -> bool:
    """Whether its links are not refreshed although nobody wanted that: it is refused, or this release cannot read it.
    What staff switched off is printed, but is no failure of this run."""
    return one.is_held and one.registration.is_switched_on and one.standings.active > 0


def _held(one: OfRegistration) -> str:
    """Why none of its links are refreshed."""
    why = "one that this release cannot read" if one.registration.is_switched_on else "switched off"
    if one.registration.trouble:
        why = f"refused ({one.registration.trouble}), fix it"
    return f"{one.registration}: {one.standings.active} not asked: the registration is {why}; staff must act"


def _words(asked: Asked) -> str:
    words = f"not asked: {_HINDRANCES[asked.hindrance]}" if asked.hindrance else _OUTCOMES[asked.outcome]
    return f"{words}. Not before {_moment(asked.until)}." if asked.until else f"{words}."


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
