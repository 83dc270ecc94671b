"""What may happen in the life of shares: to Alice, who has two browsers and up to two sources of one record, to two
visitors and a program. Each event goes through the views, as people come; its number chooses among cases.

What must hold is in `life_cycle_machine`.
"""

import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.audit.recording import Actor
from apps.connections.models import Connection
from apps.directory.models import ClientRegistration
from apps.portal import closing, disconnection
from apps.records import shelving, syncing
from apps.records.models import Attachment, Record, SyncRun
from apps.sharing import ending, lockout_mail, making
from apps.sharing.models import Share
from apps.vault import renewing
from apps.vault.renewing import Chosen
from tests.fixtures.cast import PASSWORD
from tests.records.linked import give_tokens, make_connection, make_endpoint
from tests.records.several_people import CHILDS, HERS, is_of
from tests.sharing import receiving
from tests.sharing.giving import terms_of
from tests.sharing.life_cycle_record import GRAVE, KINDS, NEW, OLD, SUBJECTS, Provider, Row
from tests.sharing.life_cycle_shares import Given, Opened, Source, is_named
from tests.sharing.receiving import Refused
from tests.sharing.test_fetching import link_of

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
COOKIE_LASTS = timedelta(minutes=30)
EVENTS = (
    *("make", "make", "end", "look", "look", "look", "guess", "guess_by_program", "fetch", "fetch_by_location"),
    *("replay", "leave", "own_visit"),
    *("add", "add", "change", "change", "change", "copy", "copy", "copy", "shelve", "break_row"),
    *("disconnect", "link", "goes_down", "damage_file", "renew_keys", "is_of_another"),
    *("tell", "purge", "close", "use_up_tries"),
)


def count_anew() -> None:
    """Visits and tries are counted in the cache, which other tests use at the same time: count under another prefix."""
    cache.key_prefix = uuid.uuid4().hex


class ShareLives:
    """Everything that is there. `servers` are for the two providers."""

    def __init__(self, servers: Any, make_user: Callable[[str], User], patch: Any) -> None:
        self._make_user = make_user
        self.elapsed = timedelta(0)
        self.number = self.people = 0
        patch(self)
        count_anew()
        self.providers = [Provider(server) for server in servers]
        self.endpoints = [make_endpoint(one.base_url, token_url=one.server.url("/token")) for one in self.providers]
        ClientRegistration.objects.update(requests_per_minute=100_000, parallel_requests=1)
        self.given: list[Given] = []
        self.gone: list[Given] = []
        self._begin()

    def _begin(self) -> None:
        self.people += 1
        self.alice = self._make_user(f"person{self.people}@example.org")
        self.hers = [Client(), Client()]
        self._sign_in()
        self.sources: list[Source] = []
        for number in range(2):
            self.providers[number].rows = []
            for kind in range(len(KINDS)):
                self._add(self.providers[number], kind)
            self.link(number)
        self.make(5)
        self.make(10)

    @property
    def at(self) -> datetime:
        return START + self.elapsed

    def wait(self, by: timedelta) -> None:
        self.elapsed += by
        if by >= timedelta(minutes=10):
            count_anew()
            self._sign_in()

    def _sign_in(self) -> None:
        for browser in self.hers:
            browser.force_login(self.alice)

    # The record

    def _add(self, provider: Provider, number: int) -> None:
        self.number += 1
        row = Row(KINDS[number % len(KINDS)], self.number, is_linked=number % 2 == 0)
        provider.rows.append(row)

    def add(self, number: int) -> None:
        self._add(self.providers[number % 2], number)

    def change(self, number: int) -> None:
        rows = [row for one in self.providers for row in one.rows]
        row = rows[number % len(rows)]
        how = number // 3 % 7
        if how < 3:
            row.reveals = how
        elif how == 3:
            row.is_withdrawn = not row.is_withdrawn
        elif how == 4:
            row.is_here = not row.is_here
        elif how == 5:
            row.day = OLD if row.day == NEW else NEW
        else:
            row.edition += 1

    def copy(self, number: int) -> None:
        """All is copied, from whoever answers."""
        for source in self.sources:
            connection = Connection.objects.get(pk=source.connection.pk)
            if connection.status != Connection.Status.ACTIVE:
                continue
            give_tokens(connection, issued_at=self.at)
            run = syncing.start(connection, cause=SyncRun.Cause.PATIENT, at=self.at)
            syncing.advance(run.pk, at=self.at)
            if not source.provider.down:
                self._note_copied(source)

    def _note_copied(self, source: Source) -> None:
        before, now = source.held, source.provider.copied()
        for number, row in now.items():
            if number not in before or before[number].resource() != row.resource():
                source.broken.discard(number)
            if row.reveals == GRAVE:
                source.once_grave.add(number)
        for number, row in before.items():
            if number not in now:
                row.is_here = False
        source.held = {**before, **now}

    def shelve(self, number: int) -> None:
        for source in self.sources:
            shelving.rebuild_all(source.connection, at=self.at)

    def break_row(self, number: int) -> None:
        """A row does not open any more."""
        if number % 5:
            return
        source = self.sources[number % len(self.sources)] if self.sources else None
        if source is None or not source.held:
            return
        chosen = sorted(source.held)[number % len(source.held)]
        Record.objects.filter(connection=source.connection, logical_id=f"n{chosen}").update(sealed_body=b"broken")
        source.broken.add(chosen)

    def damage_file(self, number: int) -> None:
        Attachment.objects.update(sealed_content=b"broken")

    def goes_down(self, number: int) -> None:
        provider = self.providers[number % 2]
        provider.down = not provider.down

    def link(self, number: int) -> None:
        at = number % 2
        if any(source.provider is self.providers[at] for source in self.sources):
            return
        provider, self.providers[at].down = self.providers[at], False
        connection = make_connection(self.alice, self.endpoints[at], created_at=self.at, confirmed_at=self.at)
        is_of(connection, HERS, "1984-03-09")
        self.sources.append(Source(connection, provider))
        self.copy(0)

    def disconnect(self, number: int) -> None:
        if not self.sources or number % 3:
            return
        source = self.sources[number // 3 % len(self.sources)]
        keeps = bool(number % 2)
        disconnection.disconnect(Connection.objects.get(pk=source.connection.pk), keeps_copy=keeps, at=self.at)
        if not keeps:
            if Connection.objects.filter(pk=source.connection.pk).exists():
                disconnection.delete_copy(source.connection, at=self.at)
            self.sources.remove(source)

    def is_of_another(self, number: int) -> None:
        """It turns out that one source is another person's, or that it is not."""
        if self.sources and number % 3 == 0:
            source = self.sources[number % len(self.sources)]
            source.name = HERS if source.name == CHILDS else CHILDS
            is_of(Connection.objects.get(pk=source.connection.pk), source.name, "1984-03-09")

    def renew_keys(self, number: int) -> None:
        chosen = Chosen(made_before=datetime.now(UTC) + timedelta(days=400))
        renewing.renew(chosen, actor=Actor.system("tests"), at=self.at, tell=lambda _step, _count: None)

    # The owner

    def make(self, number: int) -> None:
        if not self.sources:
            return
        browser = self.hers[number % 2]
        browser.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        subjects = [["allergies", "conditions"], ["documents", "results"], [one.key for one in set(SUBJECTS.values())]]
        chosen = [one for one in self.sources if one.name == self.sources[0].name] if number % 3 else self.sources[:1]
        sent: dict[str, Any] = {
            "sources": [str(one.connection.pk) for one in chosen],
            "subjects": [*subjects[number % 3]],
            "span": "5-years" if number % 2 else "all",
            "lasting": ["1-day", "7-days", "30-days"][number % 3],
            "purpose": f"Note{len(self.given)}",
        }
        sent |= {"sensitive": "on"} if number // 2 % 2 else {}
        sent |= {"with_files": "on"} if number // 3 % 2 or number % 3 == 2 else {}
        answer = browser.post(reverse("make_share"), sent)
        if answer.status_code == 422:
            assert len([one for one in self.given if self.opens(one)]) >= making.MOST_OPEN, answer.content.decode()
            return
        assert answer.status_code == 302, answer.status_code
        share = Share.objects.get(pk=answer["Location"].rstrip("/").rpartition("/")[2])
        self.given.append(Given(share, terms_of(share), link_of(share)))

    def end(self, number: int) -> None:
        if number % 2 and (one := self.one(number)):
            assert self.hers[0].post(reverse("end_share", args=[one.share.pk])).status_code == 302
            if self.opens(one):
                one.is_ended = True

    def close(self, number: int) -> None:
        if number % 7:
            return
        closing.close(self.alice, at=self.at)
        self.gone += self.given
        self.given = []
        assert not Share.objects.exists()
        self._begin()

    def purge(self, number: int) -> None:
        ending.purge(at=self.at)
        kept = set(Share.objects.values_list("pk", flat=True))
        self.gone += [one for one in self.given if one.share.pk not in kept]
        for one in self.given:
            if one.share.pk not in kept:
                assert not self.opens(one)
        self.given = [one for one in self.given if one.share.pk in kept]

    def tell(self, number: int) -> None:
        lockout_mail.tell(at=self.at)

    def own_visit(self, number: int) -> None:
        """She types the passcode herself."""
        one = self.one(number)
        if one is None:
            return
        answer = self.hers[0].post(one.address, {"name": "Me", "passcode": one.terms.passcode})
        if self.shows(one):
            assert answer.status_code == 302
            one.owner_opened += 1
        else:
            assert answer.status_code == 404

    # Visitors

    def one(self, number: int) -> Given | None:
        return self.given[-1 - number % len(self.given)] if self.given else None

    def opens(self, one: Given) -> bool:
        """Whether link and passcode open it."""
        return not one.is_ended and one.tries > 0 and self.at < one.share.expires_at and one not in self.gone

    def look(self, number: int) -> None:
        """A visitor comes with the passcode."""
        one = self.one(number)
        if one is None:
            return
        who = number % 2
        name = f"Dr. {'AB'[who]}{number}"
        answer = one.browsers[who].post(one.address, {"name": name, "passcode": one.terms.passcode})
        if self.shows(one):
            assert answer.status_code == 302
            one.opened.append(Opened(name, "page", self.at))
            one.visits[who] = one.opened[-1]
        else:
            assert answer.status_code == 404

    def leave(self, number: int) -> None:
        one = self.one(number)
        if one is not None:
            one.browsers[number % 2].post(reverse("leave_shared", args=[one.terms.token]))
            one.visits.pop(number % 2, None)

    def guess(self, number: int) -> None:
        if (one := self.one(number)) is None:
            return
        wrong = f"{(int(one.terms.passcode) + 1 + number % 4) % 1_000_000:06d}"
        answer = Client().post(one.address, {"name": "Mallory", "passcode": wrong})
        if not self.shows(one):
            assert answer.status_code == 404
            return
        if wrong not in one.typed:
            one.typed.add(wrong)
            one.tries -= 1
            one.refused += 1
        assert answer.status_code == (422 if one.tries else 404)

    def guess_by_program(self, number: int) -> None:
        if (one := self.one(number)) is None:
            return
        try:
            receiving.manifest(one.link, receiving.by(Client()), passcode="x")
        except Refused as refused:
            if not self.shows(one) and refused.status == 404:
                return
            one.tries -= 1
            one.refused += 1
            if (refused.status, refused.remaining) != (401, one.tries):
                raise

    def use_up_tries(self, number: int) -> None:
        for _ in range(11 if number % 4 == 0 else 2):
            self.guess_by_program(number)

    def fetch(self, number: int) -> None:
        if (one := self.one(number)) is not None:
            self.fetched(one)

    def fetched(self, one: Given) -> str | None:
        """What a program gets now."""
        try:
            (got,) = receiving.receive(one.link, receiving.by(Client()), passcode=one.terms.passcode)
        except Refused as refused:
            if refused.status != 404 or self.shows(one):
                raise
            return None
        assert self.shows(one)
        one.opened.append(Opened("Harbor Clinic", "program", self.at))
        return str(got.content.decode())

    def fetch_by_location(self, number: int) -> None:
        if (one := self.one(number)) is None or not self.shows(one):
            return
        told = receiving.manifest(
            one.link, receiving.by(Client()), passcode=one.terms.passcode, embedded_length_max=number % 2
        )
        one.opened.append(Opened("Harbor Clinic", "program", self.at))
        one.locations.append((self.at, told["files"][0]["location"]))

    def replay(self, number: int) -> None:
        """Old addresses of files are followed again."""
        for one in [*self.given, *self.gone]:
            for at, location in one.locations:
                with suppress(Refused):
                    receiving.fetched(location, receiving.by(Client()))
                    assert self.shows(one)
                    assert self.at <= at + timedelta(hours=1)

    # What should be shown

    def shows(self, one: Given) -> bool:
        """Whether a reader with the passcode gets anything."""
        return self.opens(one) and self.is_of_somebody(one)

    def is_of_somebody(self, one: Given) -> bool:
        """Whether something is left of it, and that is of one person."""
        return len({source.name for source in self.shared(one)}) == 1

    def shared(self, one: Given) -> list[Source]:
        return [source for source in self.sources if source.connection.pk in one.terms.connections]

    def rows(self, one: Given) -> dict[str, Row]:
        """The rows that a page names, by their words."""
        found = {}
        for source in self.shared(one):
            of_grave = {row.brings for row in source.held.values()}
            for row in source.held.values():
                is_told = one.terms.tells_sensitive or row.kind != "Observation" or row.number not in of_grave
                if is_told and is_named(one.terms, row):
                    found[row.word] = row
        return found

    def broken(self) -> set[str]:
        """Of these nobody knows whether they are shown: a shelf may have them."""
        return {source.held[number].word for source in self.sources for number in source.broken}

    def may_open(self, one: Given, source: Source, row: Row) -> bool:
        """Whether a visitor may open the row's file."""
        return (
            self.shows(one)
            and one.terms.with_files
            and row.has_file
            and row.word in self.rows(one)
            and row.number not in source.once_grave | source.broken
        )
