"""A renewal of data keys in a separate process that is killed."""

import os
import signal
import subprocess
import sys

import pytest
from django.db import connections

from apps.vault.models import DataKey
from tests.portal import sealed_everywhere
from tests.vault import retiring

pytestmark = pytest.mark.django_db(transaction=True)


class TestAProcessThatIsKilled:
    def test_leaves_what_the_next_goes_on_with(self, alice, endpoint, provider):
        """SIGKILL, in the middle of a transaction."""
        sealed_everywhere.fill(alice, endpoint, provider)
        retiring.make_old()
        before = sealed_everywhere.readings(alice)
        for writes in (1, 4):
            assert renews(dies_after=writes) == -signal.SIGKILL
            assert sealed_everywhere.readings(alice) == before
        assert renews(dies_after=0) == 0
        assert DataKey.objects.filter(unused_since__isnull=False).count() == 2
        assert sealed_everywhere.readings(alice) == before


def renews(*, dies_after: int) -> int:
    """The command in a process of its own, over this test's database; how it ended."""
    database_of_test = connections["default"].settings_dict
    url = f"postgres://{database_of_test['USER']}@/{database_of_test['NAME']}?host={database_of_test['HOST']}"
    program = f"""
import django, os, signal
django.setup()
from django.core.management import call_command
from apps.vault import sealed_columns
column, left = sealed_columns.SealedColumn, [{dies_after}]
sealed_columns._MOST_ROWS = 1
store = column.store
def dies(self, changed):
    store(self, changed)
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
column.store = dies
call_command("renew_data_keys", "--made-before", "2026-01-01T00:00Z")
"""
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings.test"}
    return subprocess.run([sys.executable, "-c", program], env=environment, check=False, timeout=60).returncode
