"""Whatever happens between the steps of a rotation, every provider can verify everything that we sign.

The clock is moved by hand. A provider may use any copy of our key set that is no older than we allow, and may verify an
assertion at any time while it is valid. A worker may have read its registration a minute before it signs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.directory import published_keys, rotating, signing
from apps.directory.models import ClientRegistration, SigningKey
from apps.wire.client_authentication import Client
from tests.directory.conftest import AT
from tests.directory.key_holders import ACTOR, ALIVE, KEPT, Publication, held, registered, signed, verifies
from tests.faults.at_once import results, together

pytestmark = pytest.mark.django_db

A_WHILE = timedelta(minutes=1)  # between reading a registration and signing, and between reading the clock and writing
STEPS = (
    rotating.publish_successors,
    rotating.move_registrations,
    rotating.supersede_unused,
    rotating.retire_superseded,
)
SECOND = timedelta(seconds=1)
PAUSES = st.sampled_from(
    [
        *(
            timedelta(0),
            SECOND,
            timedelta(seconds=30),
            ALIVE,
            KEPT,
            KEPT + SECOND,
            timedelta(days=1),
            timedelta(days=90),
        ),
        *(published_keys.SPREADS_WITHIN - SECOND, published_keys.SPREADS_WITHIN, published_keys.SPREADS_WITHIN),
        *(signing.LEAVES_WITHIN - SECOND, signing.LEAVES_WITHIN, signing.LEAVES_WITHIN),
    ]
)
Event = Callable[["Installation"], None]


@dataclass
class Uploaded:
    """A provider that holds a copy of our key set, and what it has held."""

    registration: ClientRegistration
    copies: Publication = field(default_factory=Publication)


@dataclass
class Installation:
    """Ours, with a clock moved by hand. `signed` is everything that was, by whom and when."""

    now: datetime = AT
    publication: Publication = field(default_factory=Publication)
    in_hand: list[tuple[ClientRegistration, Client]] = field(default_factory=list)
    signed: list[tuple[ClientRegistration, str, datetime]] = field(default_factory=list)

    def __post_init__(self) -> None:
        key = signing.make(actor=ACTOR, at=AT)
        registered(key, label="fetches")
        self.uploaded = Uploaded(registered(key, label="has a copy", key_set_is_fetched=False))
        self.publication.note(at=AT)
        self.uploaded.copies.note(at=AT)

    def live(self, pause: timedelta, event: Event) -> None:
        """Let time pass, let something happen, and sign: also by whoever read a registration before it happened."""
        self.now += pause
        before = [(row, held(row)) for row in self.holders()]
        event(self)
        self.publication.note(at=self.now)
        self.sign(before, self.now + A_WHILE)
        self.sign([(row, held(row)) for row in self.holders()], self.now)

    def rotate(self) -> None:
        """A run of the schedule or the command."""
        rotating.rotate(actor=ACTOR, at=self.now, algorithms=["ES384"])

    def rotate_late(self) -> None:
        """A run that read the clock a while ago."""
        rotating.rotate(actor=ACTOR, at=self.now - A_WHILE, algorithms=["ES384"])

    def force_a_rotation(self) -> None:
        """A run that begins a rotation where none is under way."""
        rotating.rotate(actor=ACTOR, at=self.now, algorithms=["ES384"], is_forced=True)

    def die_after_one_step(self) -> None:
        """A run that ended with its process."""
        self.steps(1)

    def die_after_two_steps(self) -> None:
        """A run that ended with its process."""
        self.steps(2)

    def die_after_three_steps(self) -> None:
        """A run that ended with its process."""
        self.steps(3)

    def steps(self, count: int) -> None:
        """The first steps of a run."""
        for step in STEPS[:count]:
            step(actor=ACTOR, at=self.now, algorithms=["ES384"])

    def register(self) -> None:
        """At another provider."""
        registered(signing.current(at=self.now))

    def end_one(self) -> None:
        """A registration is retired; permissions under it may still be ended."""
        last = ClientRegistration.objects.filter(status="approved", label="ours").last()
        if last is not None:
            ClientRegistration.objects.filter(pk=last.pk).update(status="retired")

    def upload(self) -> None:
        """Staff give the provider that holds a copy our key set as it is."""
        self.uploaded.copies.note(at=self.now)

    def take_out_of_use(self) -> None:
        """By staff, in the admin: whichever keys nobody needs."""
        for key in SigningKey.objects.filter(retired_at__isnull=True):
            if not signing.is_in_use(key):
                signing.supersede(key, actor=ACTOR, at=self.now)

    def hand_over(self) -> None:
        """Staff know that the provider has the key, because they uploaded it."""
        registration = self.uploaded.registration
        registration.refresh_from_db()
        key = rotating.successor(registration)
        if key is not None and key.kid.encode() in self.uploaded.copies.documents[-1][1]:
            rotating.hand_over(registration, key, actor=ACTOR, at=self.now)

    def holders(self) -> list[ClientRegistration]:
        """Registrations with which somebody may sign: also those that are over, to end a permission."""
        return list(ClientRegistration.objects.filter(signing_key__retired_at__isnull=True))

    def sign(self, holders: list[tuple[ClientRegistration, Client]], at: datetime) -> None:
        """An assertion of each."""
        self.signed += [(row, signed(client, at=at), at) for row, client in holders]

    def unverified(self) -> list[str]:
        """Whose assertions some provider could not verify, and when."""
        return [
            f"{row.label} at {at}"
            for row, token, at in self.signed
            if not (
                self.publication.always_verifies(token, at=at)
                if row.key_set_is_fetched
                else all(verifies(token, copy) for copy in self.uploaded.copies.copies(at, at + ALIVE))
            )
        ]


EVENTS = st.sampled_from(
    [
        *(Installation.rotate, Installation.rotate, Installation.rotate, Installation.rotate_late),
        *(Installation.force_a_rotation, Installation.force_a_rotation),
        *(Installation.die_after_one_step, Installation.die_after_two_steps, Installation.die_after_three_steps),
        *(Installation.register, Installation.end_one, Installation.take_out_of_use),
        *(Installation.upload, Installation.hand_over),
    ]
)


class TestWhatIsSigned:
    @given(st.lists(st.tuples(PAUSES, EVENTS), min_size=3, max_size=16))
    @settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
    def test_is_verified_by_whatever_copy_a_provider_may_have(self, events):
        with transaction.atomic():
            installation = Installation()
            for pause, event in events:
                installation.live(pause, event)
            for _ in range(3):
                installation.live(timedelta(days=1), Installation.rotate)
            assert installation.unverified() == []
            transaction.set_rollback(True)

    def test_is_verified_at_every_moment_of_a_rotation(self):
        """However often somebody runs the command, in the hope that it goes faster."""
        installation = Installation()
        installation.live(timedelta(days=1), Installation.force_a_rotation)
        installation.live(A_WHILE, Installation.upload)
        installation.live(A_WHILE, Installation.hand_over)
        for _ in range(60):
            installation.live(timedelta(minutes=5), Installation.rotate)
        assert installation.unverified() == []
        (first, second) = SigningKey.objects.order_by("created_at")
        assert first.retired_at is not None
        assert {row.signing_key for row in installation.holders()} == {second}

    def test_is_verified_through_two_whole_rotations(self):
        """The path that the schedule takes."""
        installation = Installation()
        for _ in range(200):
            installation.live(timedelta(days=1), Installation.rotate)
            if installation.now.day == 1:
                installation.live(timedelta(hours=1), Installation.upload)
                installation.live(timedelta(hours=1), Installation.hand_over)
        assert installation.unverified() == []
        assert SigningKey.objects.filter(retired_at__isnull=False).count() == 2
        assert len({row.signing_key_id for row in installation.holders()}) == 1


class TestTheWait:
    def test_is_longer_than_a_copy_and_a_minute_of_ours(self):
        assert KEPT + A_WHILE < published_keys.SPREADS_WITHIN
        assert KEPT + ALIVE + A_WHILE < signing.LEAVES_WITHIN


@pytest.mark.django_db(transaction=True)
class TestTwoWorkers:
    def test_make_one_successor(self):
        registered(signing.make(actor=ACTOR, at=AT))
        at = AT + rotating.lasts()
        done = results(together(*[lambda: rotating.rotate(actor=ACTOR, at=at)] * 4))
        assert sum(len(each.published) for each in done) == 1
        assert SigningKey.objects.count() == 2

    def test_move_retire_and_write_down_once(self):
        key = signing.make(actor=ACTOR, at=AT)
        rows = [registered(key) for _ in range(5)]
        at = AT + rotating.lasts()
        rotating.rotate(actor=ACTOR, at=at)
        at += published_keys.SPREADS_WITHIN
        done = results(together(*[lambda: rotating.rotate(actor=ACTOR, at=at)] * 4))
        assert sorted(row.pk for each in done for row in each.moved) == sorted(row.pk for row in rows)
        rotating.rotate(actor=ACTOR, at=at)
        later = at + signing.LEAVES_WITHIN
        done = results(together(*[lambda: rotating.rotate(actor=ACTOR, at=later)] * 4))
        assert [row for each in done for row in each.retired] == [key]
        assert SigningKey.objects.filter(retired_at__isnull=False).count() == 1
