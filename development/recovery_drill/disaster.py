"""The drill, step by step: before the backup, after it, the loss, the restore, and what became of everybody.

Every person has one link. After the backup one closes the account, one disconnects, one also deletes the copy, and one
links for the first time. Later steps need the earlier ones.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.core.management import call_command
from django.utils import timezone

from apps.accounts.models import User
from apps.audit import deletion_ledger
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.reasons import Reason
from apps.portal import closing, disconnection
from apps.records.models import Record
from apps.vault import sealing
from apps.vault.errors import Shredded
from apps.vault.sealing import Holder
from development.control import Sandbox
from development.recovery_drill import keys, links, looking, running
from development.recovery_drill.database import Database
from development.recovery_drill.links import Server

Step = tuple[str, Callable[[], None]]
_LATER = timedelta(hours=2)  # every access token has run out by then


class Disaster:
    """One drill, with its own `folder`, which has the sandbox's directory file."""

    def __init__(self, sandbox: Sandbox, database: Database, folder: Path, *, ledger: Path) -> None:
        self._sandbox = sandbox
        self._database = database
        self._folder = folder
        self._ledger = ledger
        self._servers: dict[str, Server] = {}
        self._links: dict[str, UUID] = {}
        self._began_at = timezone.now()

    def steps(self) -> Iterator[Step]:
        """All of them, in their order."""
        yield "an empty site knows the providers, and has registrations there", self._prepare
        yield "seven people link a record, at servers of every kind, and two copies are made", self._link
        yield "the database is backed up", self._database.back_up
        yield "afterwards every link is refreshed: rotating servers give new tokens and drop the old", self._refresh
        yield (
            "one closes the account, one disconnects, one deletes the copy too: the ledger has all three",
            self._delete,
        )
        yield "one more links for the first time", self._link_one_more
        yield "the keys are rotated, and nothing in the database needs the old one", keys.rotate
        yield "the database is lost", self._lose
        yield "the backup is restored: what was deleted is back, so nobody may be let in yet", self._restore
        yield "the check says that the backup needs the old key, until it is put back", keys.put_back
        yield "replay_deletions says what it would delete, then deletes it", self._replay
        yield "the closed account is gone, and its key opens nothing", self._find_nobody
        yield "the ended links hold no token; the copy that was kept is there, the deleted one is not", self._find_ended
        yield "replayed again, nothing more happens", self._replay_again
        yield "the site starts, and is ready", lambda: running.starts(self._folder)
        yield "where a server does not rotate, the link holds", lambda: self._holds("steady")
        yield "where a rotating server takes the last token again for a while, the link holds", self._is_repeated
        yield "a SMART link holds", lambda: self._holds("smart")
        yield (
            "where a rotating server does not, it refuses: the patient is asked to sign in, and why is true",
            self._asks,
        )
        yield "nothing of that record was lost, and a new sign-in repairs the same link", self._is_repaired
        yield "the link made since is unknown here, its permission still stands there: docs say so", self._is_unknown

    def _prepare(self) -> None:
        call_command("migrate", verbosity=0)
        running.quietly("import_endpoints", self._folder / "directory.json")
        at = self._began_at
        self._servers = {
            "steady": links.patient_access(self._sandbox, at=at),
            "spent": links.patient_access(self._sandbox, at=at, rotation="on"),
            "repeated": links.patient_access(self._sandbox, at=at, rotation="on", rotation_grace="120"),
            "smart": links.smart(self._sandbox, at=at),
        }

    def _link(self) -> None:
        of = {"closed": "steady", "parted": "steady", "forgotten": "steady"}
        for name in (*self._servers, *of):
            self._links[name] = self._servers[of.get(name, name)].link(name, at=self._began_at).pk
        for name in ("spent", "parted", "forgotten"):
            running.copy(self._connection(name), at=self._began_at)
        assert all(self._records(name) for name in ("spent", "parted", "forgotten")), "a copy is empty"

    def _refresh(self) -> None:
        self._sandbox.post("/control/clock", move_seconds=_LATER.total_seconds())
        for name in self._links:
            before = self._generation(name)
            looking.refreshed(self._connection(name), at=self._now())
            assert self._generation(name) == before + 1, name

    def _delete(self) -> None:
        at = self._now()
        closing.close(self._connection("closed").user, at=at)
        disconnection.disconnect(self._connection("parted"), keeps_copy=True, at=at)
        disconnection.disconnect(self._connection("forgotten"), keeps_copy=False, at=at)
        told = list(deletion_ledger.read(self._ledger))
        # a link that ends is one line, with its copy two; an account one more
        assert len(told) == 6, f"the ledger has {len(told)} lines"

    def _link_one_more(self) -> None:
        self._links["late"] = self._servers["steady"].link("late", at=self._now()).pk

    def _lose(self) -> None:
        self._database.lose()
        assert not self._database.is_there()

    def _restore(self) -> None:
        self._database.restore()
        call_command("migrate", verbosity=0)
        assert User.objects.filter(email="closed@example.org").exists()
        assert self._records("forgotten")
        assert self._connection("parted").status == Connection.Status.ACTIVE

    def _replay(self) -> None:
        would = running.quietly("replay_deletions", "--dry-run")
        assert "accounts would be deleted: 1" in would, would
        assert self._records("forgotten"), "the rehearsal deleted something"
        done = running.quietly("replay_deletions", "--restored")
        assert "accounts deleted again: 1; connections deleted again, or their copies: 3." in done, done

    def _find_nobody(self) -> None:
        assert not User.objects.filter(email="closed@example.org").exists()
        assert not Connection.objects.filter(pk=self._links["closed"]).exists()
        (account,) = {one.user_id for one in looking.deleted(self._ledger) if one.connection_id is None}
        try:
            sealing.keyed_digest(b"anything", holder=Holder.user(account))
        except Shredded:
            return
        raise AssertionError("its key opens")

    def _find_ended(self) -> None:
        ended = [self._links["parted"], self._links["forgotten"]]
        assert not StoredTokenSet.objects.filter(pk__in=ended).exists()
        assert self._connection("parted").status == Connection.Status.DISCONNECTED
        assert self._records("parted")
        assert not Connection.objects.filter(pk=self._links["forgotten"]).exists()
        assert not self._records("forgotten")

    def _replay_again(self) -> None:
        said = running.quietly("replay_deletions")
        assert "accounts deleted again: 0; connections deleted again, or their copies: 0." in said, said

    def _holds(self, name: str) -> None:
        looking.refreshed(self._connection(name), at=self._now())
        assert self._connection(name).status == Connection.Status.ACTIVE
        assert "Sign in to get updates" not in looking.connections_page(self._connection(name).user)

    def _is_repeated(self) -> None:
        """Within the time allowed: a real restore takes longer, so more links are refreshed there than here."""
        self._holds("repeated")

    def _asks(self) -> None:
        assert not looking.is_refreshed(self._connection("spent"), at=self._now())
        connection = self._connection("spent")
        assert connection.status == Connection.Status.NEEDS_REAUTHORIZATION
        assert connection.reason == Reason.EARLIER_COPY, connection.reason
        page = looking.connections_page(connection.user)
        assert "We had to go back to an earlier copy of our data" in page, "the page says something else"

    def _is_repaired(self) -> None:
        connection, kept = self._connection("spent"), self._records("spent")
        assert kept
        self._servers["spent"].sign_in_again(connection, at=self._now())
        self._sandbox.post("/control/clock", move_seconds=_LATER.total_seconds())
        looking.refreshed(self._connection("spent"), at=self._now() + _LATER)
        assert self._records("spent") == kept

    def _is_unknown(self) -> None:
        assert not Connection.objects.filter(pk=self._links["late"]).exists()
        assert not User.objects.filter(email="late@example.org").exists()
        assert self._servers["steady"].live_grants() > 1

    def _now(self) -> datetime:
        """The time of the sandbox's clock, which was moved."""
        return timezone.now() + _LATER

    def _connection(self, name: str) -> Connection:
        related = ("user", "provider", "endpoint__authorization_server", "registration__authorization_server")
        return Connection.objects.select_related(*related).get(pk=self._links[name])

    def _generation(self, name: str) -> int:
        return StoredTokenSet.objects.get(pk=self._links[name]).generation

    def _records(self, name: str) -> int:
        return Record.objects.filter(connection_id=self._links[name]).count()
