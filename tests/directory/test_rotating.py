"""Replacing our signing keys: each step is taken when it is due, and no sooner."""

from datetime import timedelta

import pytest

from apps.audit.models import AuditEvent
from apps.directory import published_keys, rotating, signing
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, SigningKey
from apps.vault.errors import VaultError
from apps.wire.errors import ClientRejected
from tests.directory.conftest import AT
from tests.directory.key_holders import ACTOR, held, registered, signed, verifies
from tests.directory.smart_deployment import register

pytestmark = pytest.mark.django_db

OLD = AT + timedelta(days=90)  # when a key made at AT is to be replaced
SPREAD = OLD + published_keys.SPREADS_WITHIN
LEFT = SPREAD + signing.LEAVES_WITHIN
MOMENT = timedelta(seconds=1)


@pytest.fixture
def key(db) -> SigningKey:
    return signing.make(actor=ACTOR, at=AT)


@pytest.fixture
def registration(key) -> ClientRegistration:
    return registered(key)


def rotate(at=OLD, **options) -> rotating.Rotation:
    return rotating.rotate(actor=ACTOR, at=at, **options)


def kids() -> set[str]:
    return set(SigningKey.objects.filter(retired_at__isnull=True).values_list("kid", flat=True))


class TestAKeyInUse:
    def test_gets_a_successor_when_it_is_old(self, key, registration):
        assert rotate(OLD - MOMENT).published == ()
        (made,) = rotate(OLD).published
        assert made.algorithm == key.algorithm
        assert kids() == {key.kid, made.kid}
        assert made.signs_from_at == SPREAD

    def test_gets_one_earlier_where_staff_force_it_and_only_one(self, registration):
        soon = AT + MOMENT
        assert len(rotate(soon, is_forced=True).published) == 1
        assert rotate(soon, is_forced=True).published == ()
        assert rotate(soon + published_keys.SPREADS_WITHIN).published == ()

    def test_gets_one_at_the_age_that_is_set(self, registration, settings):
        settings.SIGNING_KEY_DAYS = 30
        assert rotate(AT + timedelta(days=30)).published

    def test_gets_none_where_another_algorithm_was_chosen(self, registration):
        assert rotate(algorithms=["RS384"]).published == ()

    def test_is_replaced_by_one_of_its_algorithm(self, key, registration):
        registered(signing.make("RS384", actor=ACTOR, at=AT))
        assert {made.algorithm for made in rotate().published} == {"ES384", "RS384"}


class TestAKeyNobodyUses:
    @pytest.mark.parametrize("status", ["rejected", "retired"])
    def test_gets_no_successor(self, registration, status):
        ClientRegistration.objects.update(status=status)
        assert rotate(is_forced=True) == rotating.Rotation((), (), (), ())

    def test_is_never_made(self):
        assert rotate(is_forced=True) == rotating.Rotation((), (), (), ())


class TestARegistrationWhoseProviderFetchesOurKeys:
    def test_moves_when_every_copy_has_the_new_one(self, key, registration):
        (made,) = rotate().published
        assert rotate(SPREAD - MOMENT).moved == ()
        assert rotate(SPREAD).moved == (registration,)
        registration.refresh_from_db()
        assert registration.signing_key == made
        assert rotate(SPREAD).moved == ()

    def test_waits_for_every_copy_where_its_own_key_is_about_to_leave(self, key):
        """Staff took the key out of use while somebody was choosing it: no other signs yet."""
        signing.supersede(key, actor=ACTOR, at=OLD)
        made = signing.make(actor=ACTOR, at=OLD)
        registration = registered(key)
        assert rotate(SPREAD - MOMENT).moved == ()
        registration.refresh_from_db()
        assert registration.signing_key == key
        assert rotate(SPREAD).moved == (registration,)
        registration.refresh_from_db()
        assert registration.signing_key == made

    def test_moves_although_it_is_over(self, registration):
        """Permissions that patients gave under it may still be ended there."""
        registered(registration.signing_key)
        ClientRegistration.objects.filter(pk=registration.pk).update(status="retired")
        rotate()
        assert registration in rotate(SPREAD).moved

    def test_stays_with_the_algorithm_it_has(self, registration):
        signing.make("RS384", actor=ACTOR, at=AT + MOMENT)
        assert rotate(AT + timedelta(days=1)).moved == ()

    def test_never_moves_back(self, key, registration):
        (made,) = rotate().published
        ClientRegistration.objects.update(signing_key=made)
        assert rotate().moved == ()
        assert ClientRegistration.objects.get().signing_key == made

    def test_is_written_down(self, registration):
        rotate()
        rotate(SPREAD)
        (event,) = AuditEvent.objects.filter(subject="client registration")
        assert (event.subject_id, event.at) == (str(registration.pk), SPREAD)
        assert event.facts == {"action": "given another key", "changed": "signing_key"}


class TestARegistrationWithAnUploadedCopy:
    @pytest.fixture
    def registration(self, key) -> ClientRegistration:
        return registered(key, key_set_is_fetched=False)

    def test_waits_for_staff_for_however_long(self, key, registration):
        assert rotating.waiting_for_staff() == []
        (made,) = rotate().published
        for at in (SPREAD, LEFT, LEFT + timedelta(days=365)):
            done = rotate(at, algorithms=["ES384"])
            assert (done.moved, done.superseded, done.retired) == ((), (), ())
        assert rotating.waiting_for_staff() == [registration]
        assert key.kid in kids()
        assert rotating.successor(registration) != made

    def test_moves_when_staff_say_so(self, key, registration):
        (made,) = rotate().published
        ClientRegistration.objects.update(trouble="invalid_client", trouble_at=OLD)
        rotating.hand_over(registration, made, actor=ACTOR, at=OLD)
        assert (registration.signing_key, registration.trouble) == (made, "")
        assert rotating.waiting_for_staff() == []
        assert rotate(SPREAD).superseded == (key,)

    def test_moves_to_no_key_that_is_not_its_next(self, key, registration):
        (made,) = rotate().published
        other = signing.make("RS384", actor=ACTOR, at=OLD)
        leaving = signing.make(actor=ACTOR, at=OLD)
        signing.supersede(leaving, actor=ACTOR, at=OLD)
        gone = signing.make(actor=ACTOR, at=OLD)
        signing.give_up(gone, actor=ACTOR, at=OLD)
        for wrong in (key, other, leaving, gone):
            with pytest.raises(rotating.NotTheSuccessor):
                rotating.hand_over(registration, wrong, actor=ACTOR, at=SPREAD)
        ClientRegistration.objects.update(key_set_is_fetched=True)
        with pytest.raises(rotating.NotTheSuccessor):
            rotating.hand_over(registration, made, actor=ACTOR, at=OLD)
        assert ClientRegistration.objects.get().signing_key == key

    def test_waits_for_nothing_where_it_signs_nothing(self, registration):
        rotate()
        ClientRegistration.objects.update(authentication="client_secret_basic")
        assert rotating.waiting_for_staff() == []


class TestTheOldKey:
    def test_leaves_when_nobody_signs_with_it_and_goes_when_nobody_needs_it(self, key, registration):
        (made,) = rotate().published
        assert rotate(SPREAD).superseded == (key,)
        assert rotate(LEFT - MOMENT).retired == ()
        assert kids() == {key.kid, made.kid}
        assert rotate(LEFT).retired == (key,)
        key.refresh_from_db()
        assert (key.retired_at, key.sealed_private_jwk) == (LEFT, None)
        assert kids() == {made.kid}

    def test_that_was_taken_up_again_leaves_anew(self, key, registration):
        rotate()
        rotate(SPREAD)
        late = registered(key)  # chosen while it was not leaving yet, saved afterwards
        assert rotate(LEFT).retired == ()
        late.refresh_from_db()
        assert late.signing_key != key
        key.refresh_from_db()
        assert key.superseded_at == LEFT
        assert rotate(LEFT + signing.LEAVES_WITHIN).retired == (key,)

    def test_that_staff_gave_to_an_uploaded_one_stays(self, key, registration):
        rotate()
        rotate(SPREAD)
        registered(key, key_set_is_fetched=False)
        assert rotate(LEFT).retired == ()
        key.refresh_from_db()
        assert key.superseded_at is None

    def test_verifies_what_it_signed_until_it_goes(self, key, registration):
        client = held(registration)
        rotate()
        rotate(SPREAD)
        assert verifies(signed(client, at=SPREAD), published_keys.key_set().body)
        rotate(LEFT)
        assert not verifies(signed(client, at=SPREAD), published_keys.key_set().body)


class TestARotation:
    def test_writes_every_step_down(self, key, registration):
        for at in (OLD, SPREAD, LEFT):
            rotate(at)
        events = AuditEvent.objects.filter(subject="signing key").order_by("pk")
        assert [event.facts["action"] for event in events] == ["made", "made", "superseded", "retired"]
        assert [event.at for event in events] == [AT, OLD, SPREAD, LEFT]
        assert {event.actor_name for event in events} == {"test"}

    def test_does_nothing_twice(self, registration):
        for at in (OLD, SPREAD, LEFT):
            rotate(at)
            before = AuditEvent.objects.count()
            assert rotate(at) == rotating.Rotation((), (), (), ())
            assert AuditEvent.objects.count() == before


class TestGivingAKeyUp:
    def test_ends_it_at_once(self, key, registration):
        client = held(registration)
        done = rotating.give_up(key, actor=ACTOR, at=OLD)
        assert (key.retired_at, key.sealed_private_jwk) == (OLD, None)
        assert not verifies(signed(client, at=OLD), published_keys.key_set().body)
        assert done.successor is not None
        assert kids() == {done.successor.kid}

    def test_gives_those_that_fetch_another_key_at_once(self, key, registration):
        done = rotating.give_up(key, actor=ACTOR, at=OLD)
        assert (done.moved, done.without_proof) == ((registration,), ())
        assert verifies(signed(held(registration), at=OLD), published_keys.key_set().body)

    def test_takes_the_key_that_providers_know_where_there_is_one(self, key, registration):
        (made,) = rotate().published
        older = rotating.give_up(made, actor=ACTOR, at=OLD)
        assert (older.successor, older.moved) == (key, ())
        (made,) = rotate(OLD + MOMENT).published
        newer = rotating.give_up(key, actor=ACTOR, at=OLD + MOMENT)
        assert (newer.successor, newer.moved) == (made, (registration,))
        made.refresh_from_db()
        assert made.signs_from_at == OLD + MOMENT

    def test_leaves_those_with_a_copy_without_proof_until_staff_say_so(self, key):
        registration = registered(key, key_set_is_fetched=False)
        done = rotating.give_up(key, actor=ACTOR, at=OLD)
        assert (done.moved, done.without_proof) == ((), (registration,))
        with pytest.raises(ClientRejected):
            held(registration)
        assert rotating.waiting_for_staff() == [registration]
        successor = rotating.successor(registration)
        assert successor is not None
        assert successor == done.successor
        rotating.hand_over(registration, successor, actor=ACTOR, at=OLD)
        assert signed(held(registration), at=OLD)

    def test_tells_patients_that_nobody_can_link_without_proof(self, root):
        key = signing.make(actor=ACTOR, at=AT)
        registration = register(root.discover())
        columns = {"authentication": "private_key_jwt", "signing_key": key, "key_set_is_fetched": False}
        ClientRegistration.objects.filter(pk=registration.pk).update(**columns)
        assert root.obstacle() is None
        rotating.give_up(key, actor=ACTOR, at=AT)
        assert root.obstacle() == Obstacle.NO_CREDENTIALS

    def test_makes_none_where_nobody_needs_it(self, key):
        assert rotating.give_up(key, actor=ACTOR, at=OLD) == rotating.GivenUp(None, (), ())
        assert kids() == set()

    def test_is_done_once(self, key, registration):
        rotating.give_up(key, actor=ACTOR, at=OLD)
        before = AuditEvent.objects.count()
        assert rotating.give_up(key, actor=ACTOR, at=SPREAD).moved == ()
        assert AuditEvent.objects.count() == before

    def test_needs_no_vault_to_take_it_out(self, key, settings):
        settings.VAULT_KEYS = []
        rotating.give_up(key, actor=ACTOR, at=OLD)
        assert kids() == set()
        with pytest.raises(VaultError):
            signing.make(actor=ACTOR, at=OLD)
