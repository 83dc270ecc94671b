"""Take the key that wraps everything out of VAULT_KEYS, and put it back."""

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from tests.vault.keys import entry

Loses = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def without_key(settings: Any) -> Loses:
    """`with without_key():` the operator left out the key of everything there is; afterwards it is back."""

    @contextmanager
    def lost():
        before = settings.VAULT_KEYS
        settings.VAULT_KEYS = [entry("another")]
        try:
            yield
        finally:
            settings.VAULT_KEYS = before

    return lost
