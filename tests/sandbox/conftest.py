"""Every test of the sandbox begins with nothing switched, nothing recorded and the right time."""

import pytest

from apps.sandbox import bearer, clock, faults, recorder, scenarios


@pytest.fixture(autouse=True)
def usual():
    """What lives in the process and not in the database is put back, before and after."""
    _forget()
    yield
    _forget()


def _forget():
    scenarios.reset()
    faults.disarm()
    recorder.clear()
    bearer.forget()
    clock.forget()
