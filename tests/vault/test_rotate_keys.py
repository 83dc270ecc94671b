"""The command `rotate_keys`, and the check that reports a missing key."""

import io
import logging

import pytest
from django.core.checks import Tags, run_checks
from django.core.management import CommandError, call_command

from apps.audit.models import AuditEvent
from apps.vault.holders import Holder
from apps.vault.models import DataKey
from tests.vault.keys import entry, opened_for, people, sealed_for

pytestmark = pytest.mark.django_db

OLD, NEW = entry("2025-a"), entry("2026-a")
RETIRED = (
    "Nothing in this database needs it. A new key: put it in front once every process has it. An old one: take it out "
    "of VAULT_KEYS once every process has the first key in front. Backups made before now need an old one: keep it "
    "apart from them until the last of them is gone."
)


def run(*arguments: str) -> list[str]:
    """The lines it prints."""
    said = io.StringIO()
    call_command("rotate_keys", *arguments, stdout=said)
    return said.getvalue().splitlines()


def missing() -> list[str]:
    """What the start-up check of the database says about keys."""
    found = run_checks(tags=[Tags.database], databases=["default"])
    return [message.msg for message in found if message.id == "holdfast.W001"]


@pytest.fixture
def rotated_in(settings):
    """Three people and the installation under the old key, with the new one in front since."""
    settings.VAULT_KEYS = [OLD]
    people(3)
    sealed_for(Holder.installation())
    settings.VAULT_KEYS = [NEW, OLD]


class TestRotateKeys:
    def test_says_what_is_still_needed_and_by_what(self, rotated_in):
        assert run() == [
            "  4 of 4",
            "4 data keys wrapped anew.",
            "2026-a: wraps 4 data keys. It is the first of VAULT_KEYS and wraps what is new.",
            "2025-a: wraps 0 data keys. " + RETIRED,
        ]

    def test_does_not_have_a_key_taken_out_that_is_about_to_be_put_in_front(self, rotated_in, settings):
        settings.VAULT_KEYS = [OLD, NEW]
        said = run("--dry-run")[-1]
        assert said.startswith("2026-a: wraps 0 data keys. ")
        assert "A new key: put it in front once every process has it." in said

    def test_can_be_rehearsed(self, rotated_in):
        before = list(DataKey.objects.order_by("pk").values_list("wrapped", "wrapping_key_id"))
        assert run("--dry-run") == [
            "Nothing was changed. 4 data keys would be wrapped anew.",
            "2026-a: wraps 0 data keys. It is the first of VAULT_KEYS and wraps what is new.",
            "2025-a: wraps 4 data keys. Keep it in VAULT_KEYS.",
        ]
        assert list(DataKey.objects.order_by("pk").values_list("wrapped", "wrapping_key_id")) == before
        assert not AuditEvent.objects.exists()

    @pytest.mark.parametrize("arguments", [(), ("--dry-run",)])
    def test_fails_where_a_needed_key_is_missing(self, rotated_in, settings, arguments):
        settings.VAULT_KEYS = [NEW]
        said = io.StringIO()
        with pytest.raises(CommandError, match="lacks a key"):
            call_command("rotate_keys", *arguments, stdout=said)
        assert "2025-a: wraps 4 data keys. It is NOT in VAULT_KEYS: put it back." in said.getvalue()

    def test_fails_where_the_first_is_another_under_the_same_id(self, rotated_in, settings):
        settings.VAULT_KEYS = [entry("2025-a")]
        said = io.StringIO()
        with pytest.raises(CommandError, match="lacks a key"):
            call_command("rotate_keys", stdout=said)
        assert "2025-a: wraps 4 data keys. VAULT_KEYS has ANOTHER key under this id: put it back." in said.getvalue()

    def test_fails_where_something_does_not_open(self, rotated_in):
        row = DataKey.objects.filter(holder_kind="user")[0]
        DataKey.objects.filter(pk=row.pk).update(wrapped=bytes(60))
        complained = io.StringIO()
        with pytest.raises(CommandError, match="1 data key left to do"):
            call_command("rotate_keys", stdout=io.StringIO(), stderr=complained)
        assert complained.getvalue().startswith("1 data key did not open")

    def test_refuses_keys_that_cannot_be_used(self, settings):
        settings.VAULT_KEYS = ["no-key"]
        with pytest.raises(CommandError, match=r"run `manage.py check`"):
            run()


class TestMissingKey:
    def test_is_a_warning_so_that_the_rest_of_the_site_starts(self, rotated_in, settings):
        settings.VAULT_KEYS = [NEW]
        assert missing() == ["VAULT_KEYS lacks keys that data keys are wrapped by: 2025-a (4 data keys)."]
        call_command("migrate", verbosity=0, stdout=io.StringIO(), stderr=io.StringIO())
        settings.VAULT_KEYS = [NEW, OLD]
        assert missing() == []

    def test_counts_one_data_key_as_one(self, settings):
        settings.VAULT_KEYS = [OLD]
        people(1)
        settings.VAULT_KEYS = [NEW]
        assert missing() == ["VAULT_KEYS lacks keys that data keys are wrapped by: 2025-a (1 data key)."]

    def test_is_one_that_gave_its_id_to_another(self, rotated_in, settings):
        settings.VAULT_KEYS = [entry("2025-a")]
        assert missing() == ["VAULT_KEYS lacks keys that data keys are wrapped by: 2025-a (4 data keys)."]
        DataKey.objects.filter(pk=DataKey.objects.order_by("pk")[0].pk).update(wrapped=bytes(60))
        settings.VAULT_KEYS = [OLD]
        assert missing() == []

    def test_is_not_looked_for_without_a_database(self, rotated_in, settings):
        settings.VAULT_KEYS = [NEW]
        assert "holdfast.W001" not in {message.id for message in run_checks(include_deployment_checks=True)}

    def test_leaves_unusable_keys_to_the_check_of_keys(self, rotated_in, settings):
        settings.VAULT_KEYS = ["no-key"]
        assert missing() == []

    def test_costs_only_what_it_wraps(self, rotated_in, settings):
        settings.VAULT_KEYS = [NEW]
        (holder,) = people(1)
        assert opened_for(holder, sealed_for(holder)) == b"x"


class TestCanaries:
    def test_no_key_and_nothing_wrapped_is_said_or_written_down(self, rotated_in, settings, caplog, capfd):
        caplog.set_level(logging.DEBUG)
        wrapped = {bytes(row.wrapped or b"") for row in DataKey.objects.all()}
        said = run()
        wrapped |= {bytes(row.wrapped or b"") for row in DataKey.objects.all()}
        settings.VAULT_KEYS = [NEW]
        said += missing()
        settings.VAULT_KEYS = [OLD]
        said += missing()
        events = str(list(AuditEvent.objects.values()))
        everything = "\n".join([*said, caplog.text, *capfd.readouterr(), events])
        secrets = [given.partition(":")[2] for given in (OLD, NEW)]
        for secret in (*secrets, *(value.hex() for value in wrapped)):
            assert secret not in everything
        assert "2026-a" in everything
