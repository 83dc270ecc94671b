"""The command, the hourly run, and what staff read about each key: what was done, what comes next, and when."""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.directory import key_outlook, published_keys, registering, rotating, signing, tasks
from apps.directory.models import ClientRegistration, SigningKey
from config import celery
from tests.directory.conftest import AT
from tests.directory.key_holders import ACTOR, registered

pytestmark = pytest.mark.django_db

ADDRESS = "Our key set: http://testserver/.well-known/jwks.json"
UPLOAD = "Give its provider our key set, then choose “The provider has the new key” in the admin."


@pytest.fixture
def key(db) -> SigningKey:
    """Made so long ago that its successor is due."""
    return signing.make(actor=ACTOR, at=timezone.now() - timedelta(days=91))


def run(*arguments: str) -> list[str]:
    out = io.StringIO()
    call_command("rotate_signing_keys", *arguments, stdout=out)
    return out.getvalue().splitlines()


def travel(key: SigningKey, ago: timedelta) -> None:
    """As if everything about the key had happened so much earlier."""
    row = SigningKey.objects.get(pk=key.pk)
    row.created_at, row.signs_from_at = row.created_at - ago, row.signs_from_at - ago
    row.superseded_at = row.superseded_at and row.superseded_at - ago
    row.save()


class TestTheCommand:
    def test_takes_the_steps_one_after_the_other_and_says_what_comes_next(self, key):
        registration = registered(key)
        lines = run()
        made = SigningKey.objects.latest("created_at")
        sign_at = key_outlook.moment(made.signs_from_at)
        assert lines[0] == f"published: {made}"
        assert f"{key}: signing. Registrations move to {made.kid} from {sign_at}." in lines
        assert lines[-2].startswith(f"{made}: published, not signing yet. Registrations sign with it from {sign_at}.")
        assert lines[-1] == ADDRESS
        assert run()[0] == "Nothing is due."
        travel(made, published_keys.SPREADS_WITHIN)
        lines = run()
        assert lines[:2] == [f"moved: {registration} signs with {made}", f"out of use: {key}"]
        key.refresh_from_db()
        left_at = key_outlook.moment(signing.leaves_at(key) or AT)
        assert f"{key}: leaving: still published, no longer signing. It is retired on {left_at}." in lines[2]
        travel(key, signing.LEAVES_WITHIN)
        assert run()[0] == f"retired: {key}"

    def test_begins_at_once_where_it_is_forced(self):
        registered(signing.make(actor=ACTOR, at=timezone.now()))
        registered(signing.make("RS384", actor=ACTOR, at=timezone.now()))
        SigningKey.objects.update(signs_from_at=timezone.now())
        assert run()[0] == "Nothing is due."
        assert (
            len([line for line in run("--force", "--algorithm", "ES384") if line.startswith("published: ES384")]) == 1
        )
        assert run("--force", "--algorithm", "ES384")[0] == "Nothing is due."

    def test_changes_nothing_where_it_only_tries(self, key):
        registered(key)
        before = list(SigningKey.objects.values()), AuditEvent.objects.count()
        lines = run("--dry-run")
        assert lines[0] == "Nothing was changed. This would be done:"
        assert lines[1].startswith("published: ES384")
        lines = run("--dry-run", "--compromised", key.kid)
        assert lines[1].startswith(f"{key} would be retired")
        assert not any("is retired" in line for line in lines)
        assert (list(SigningKey.objects.values()), AuditEvent.objects.count()) == before

    def test_names_those_that_wait_for_staff(self, key):
        registration = registered(key, label="Riverside", key_set_is_fetched=False)
        lines = run()
        assert f"Riverside is waiting for you. {UPLOAD}" in lines
        assert any("1 registration is waiting for you: give its provider our key set" in line for line in lines)
        successor = rotating.successor(registration)
        assert successor is not None
        rotating.hand_over(registration, successor, actor=ACTOR, at=timezone.now())
        assert not any("is waiting for you" in line for line in run())

    def test_writes_down_that_it_was_the_command(self, key):
        registered(key)
        run()
        assert AuditEvent.objects.latest("pk").actor_name == "rotate_signing_keys"


class TestTheCommandForACompromisedKey:
    def test_says_who_may_be_refused_until_when_and_who_has_no_proof(self, key):
        fetching = registered(key, label="Willow Creek")
        copying = registered(key, label="Riverside", key_set_is_fetched=False)
        lines = run("--compromised", key.kid)
        made = SigningKey.objects.latest("created_at")
        assert lines[0] == f"{key} is retired: nothing is signed with it, and our key set has it no more."
        assert lines[1].startswith(f"Willow Creek signs with {made}. Its provider may refuse it until ")
        assert lines[2] == f"Riverside has no proof: nobody can link there, and nothing new is copied. {UPLOAD}"
        assert lines[3].startswith("Links of patients stay.")
        fetching.refresh_from_db()
        copying.refresh_from_db()
        assert (fetching.signing_key, copying.signing_key) == (made, None)

    def test_has_no_doubt_where_providers_know_the_next_key(self, key):
        registered(key, label="Willow Creek")
        run()
        travel(SigningKey.objects.latest("created_at"), published_keys.SPREADS_WITHIN)
        made = SigningKey.objects.latest("created_at")
        assert run("--compromised", key.kid)[1] == f"Willow Creek signs with {made}."

    def test_knows_no_other_key(self):
        with pytest.raises(CommandError, match="no signing key with this id"):
            run("--compromised", "nobody-s")

    def test_does_not_rotate_instead_where_the_key_is_named_by_nothing(self, key):
        with pytest.raises(CommandError, match="--compromised: is empty"):
            run("--compromised", "")
        assert SigningKey.objects.count() == 1


class TestTheHourlyRun:
    def test_is_on_the_schedule(self):
        (row,) = [row for row in celery.SCHEDULE if row.task == "apps.directory.tasks.rotate_signing_keys"]
        assert row.every == timedelta(hours=1)

    def test_rotates_and_says_once_a_day_each_what_waits_for_staff(self, key, caplog):
        registered(key)
        copying = registered(key, key_set_is_fetched=False)
        tasks.rotate_signing_keys()
        tasks.rotate_signing_keys()
        assert SigningKey.objects.count() == 2
        line = f"A provider must be given our new signing key: client registration {copying.pk}."
        assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [line]
        assert AuditEvent.objects.filter(subject="signing key").latest("pk").actor_name == "beat"


class TestWhatComesNext:
    def outlook(self, key: SigningKey, at=AT) -> key_outlook.Outlook:
        return key_outlook.of(SigningKey.objects.get(pk=key.pk), at=at)

    def test_is_a_successor_for_a_key_in_use(self):
        key = signing.make(actor=ACTOR, at=AT)
        registration = registered(key)
        found = self.outlook(key)
        assert (found.state, found.users) == ("signing", (registration,))
        assert found.sentence == f"It gets a successor on {key_outlook.moment(AT + timedelta(days=90))}."

    def test_is_nothing_for_a_key_that_nobody_uses(self):
        found = self.outlook(signing.make(actor=ACTOR, at=AT))
        assert found.state == "signing"
        assert found.sentence == "No registration uses it. The next one that needs a key will."

    def test_is_the_next_run_where_registrations_could_have_moved(self):
        key = signing.make(actor=ACTOR, at=AT)
        registered(key)
        newer = signing.make(actor=ACTOR, at=AT + timedelta(hours=1))
        found = self.outlook(key, at=newer.signs_from_at)
        assert found.sentence == f"Registrations move to {newer.kid} at the next hourly run."
        ClientRegistration.objects.update(status="retired")
        assert "Nothing signs with it." in self.outlook(key, at=newer.signs_from_at).sentence

    def test_is_nothing_at_all_for_a_retired_one(self, django_assert_num_queries):
        key = signing.make(actor=ACTOR, at=AT)
        signing.give_up(key, actor=ACTOR, at=AT)
        with django_assert_num_queries(0):
            found = key_outlook.of(key, at=AT)
        assert found.state == "retired"
        assert list(key_outlook.present(at=AT)) == []

    def test_is_said_of_a_key_that_is_used_before_every_copy_has_it(self):
        signing.make("RS384", actor=ACTOR, at=AT)
        key = signing.make(actor=ACTOR, at=AT)
        assert self.outlook(key).state == "published"
        registered(key, key_set_is_fetched=False)
        assert self.outlook(key).state == "signing"
        assert "Until then a provider may hold a copy of our key set that lacks it." in self.outlook(key).sentence


class TestACanary:
    def test_of_a_private_half_comes_out_nowhere(self, staff, key, caplog, client):
        """In what the command prints, the log, pages, columns, our key set and the audit log."""
        registered(key)
        registered(key, key_set_is_fetched=False)
        caplog.set_level("DEBUG")
        keys = [key]
        private = {}
        out = run("--force")
        keys.append(SigningKey.objects.latest("created_at"))
        for each in keys:
            opened = signing.open_key(each)
            assert opened is not None
            private[each.kid] = json.loads(opened.private_jwk.reveal())["d"]
            out += [repr(each), str(each), repr(opened), repr(published_keys.key_set())]
        tasks.rotate_signing_keys()
        out += run("--compromised", key.kid)
        for address in ("", f"{key.pk}/change/", f"{keys[1].pk}/change/", f"{key.pk}/history/"):
            out.append(staff.get(f"/admin/directory/signingkey/{address}").content.decode())
        out += [client.get("/.well-known/jwks.json").content.decode(), caplog.text]
        for model in (SigningKey, ClientRegistration, AuditEvent):
            out += [str(row) for row in model.objects.values()]
        assert all(secret not in text for secret in private.values() for text in out)


class TestARegistration:
    def test_says_by_command_how_its_provider_has_our_keys(self, root):
        server = root.discover()
        for written, is_fetched in (("uploaded", False), ("fetched", True)):
            out = io.StringIO()
            call_command(
                "register_client", "--authorization-server", server.authorize_url, "--key-set", written,
                "--authentication", "private_key_jwt", stdout=out,
            )  # fmt: skip
            assert ClientRegistration.objects.get().key_set_is_fetched is is_fetched
            assert json.loads(out.getvalue())["key_set_url"] == "http://testserver/.well-known/jwks.json"
        assert registering.standing(server) is not None
