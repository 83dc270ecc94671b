"""`moved_addresses`: list endpoints that moved to another origin, and let their links follow."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize

from apps.audit.recording import Actor
from apps.connections import clocks, moving
from apps.connections.moving import Move, NotApproved
from apps.directory.import_waits import StillImporting
from apps.directory.management import naming
from apps.directory.models import Endpoint
from apps.directory.moving import Addresses
from apps.wire import addresses

_ACTOR = Actor.system("moved_addresses")


class Command(BaseCommand):
    """The desk does the same, with a person's name in the audit log."""

    help = (
        "List the endpoints that lead to another origin than before although patients are linked there, or show "
        "one of them; let its links follow, or take that back. Ask the provider first: whoever answers at the "
        "new address gets the patients' permissions. Exits with 1 if an endpoint waits for approval, or if "
        "nothing was approved."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One endpoint at a time: nothing is approved in bulk."""
        parser.add_argument("url", nargs="?", metavar="URL", help="one FHIR base URL, or the whole name of a provider")
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--approve",
            metavar="ORIGIN",
            nargs="+",
            help="let the links of URL follow: type the new origin where tokens are issued and, if it is another one, "
            "the new origin where patients sign in, as they were printed",
        )
        what.add_argument(
            "--withdraw",
            action="store_true",
            help="take the approval for URL back: nothing more is sent to the new address",
        )

    def handle(self, *_args: Any, url: str | None, approve: list[str] | None, withdraw: bool, **_options: Any) -> None:
        """Print the state, before or after the change."""
        if url is None:
            if approve is not None or withdraw:
                raise CommandError("Say which endpoint: one at a time.")
            self._list()
            return
        endpoint = naming.endpoint(url)
        try:
            if approve is not None:
                self._approve(endpoint, approve)
            elif withdraw:
                moving.withdraw(endpoint, actor=_ACTOR, at=clocks.now())
        except NotApproved as refusal:
            raise CommandError(f"Nothing was changed. {refusal}", returncode=1) from None
        except StillImporting:
            message = "Nothing was changed, because a list is being imported. After that, do it again."
            raise CommandError(message, returncode=1) from None
        self._tell(endpoint, is_asked_for=withdraw)

    def _list(self) -> None:
        moves = moving.waiting()
        for move in moves:
            self._write(_lines(move))
        if moves:
            raise CommandError("Staff must look at each.", returncode=1)
        self.stdout.write("No endpoint with links has moved without approval.")

    def _approve(self, endpoint: Endpoint, origins: Sequence[str]) -> None:
        move = moving.look(endpoint)
        if move is None:
            raise moving.NothingMoved("It leads to no other origin.")
        typed = [origin.rstrip("/") for origin in origins]
        if not _names_both(typed, move.named):
            raise moving.LeadsElsewhere("That is not where it leads now.")
        moving.approve(endpoint, seen=move.named, actor=_ACTOR, at=clocks.now())

    def _tell(self, endpoint: Endpoint, *, is_asked_for: bool) -> None:
        move = moving.look(endpoint)
        if move is None:
            self.stdout.write(f"{endpoint.fhir_base_url}: has not moved")
            return
        self._write(_lines(move))
        if move.awaits and not is_asked_for:
            raise CommandError("Staff must look at it.", returncode=1)

    def _write(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.stdout.write(line)


def _lines(move: Move) -> Iterator[str]:
    state = "waits for staff" if move.awaits else "and leads back; the address it had moved to is still approved"
    if move.approved_at is not None:
        state = f"approved {move.approved_at:%Y-%m-%d %H:%M} UTC"
    yield f"{move.endpoint.fhir_base_url}: moved, {state}; {move.links} link{pluralize(move.links)}"
    if move.waiting:
        yield f"  links that wait      {move.waiting}: their tokens are of an address that may not be sent them now"
    yield f"  patients signed in   {move.before.authorize_url}"
    yield f"  and sign in now      {move.named.authorize_url}"
    yield f"  tokens were given    {move.before.token_url}"
    yield f"  and are given now    {move.named.token_url}"
    yield f"  origin to approve    {' '.join(_to_approve(move.named))}"


def _to_approve(named: Addresses) -> Sequence[str]:
    """The origin of the token URL first. If both are the same, it is typed once."""
    return list(dict.fromkeys([_bare(named.token_url), _bare(named.authorize_url)]))


def _names_both(typed: Sequence[str], named: Addresses) -> bool:
    """Whether both origins were typed, in order, so that none is approved unseen."""
    if not 1 <= len(typed) <= 2:
        return False
    pairs = ((typed[0], named.token_url), (typed[-1], named.authorize_url))
    return all(origin in {addresses.origin(url), _bare(url)} for origin, url in pairs)


def _bare(url: str) -> str:
    """The origin as people write it."""
    return "/".join(url.split("/", 3)[:3])
