"""The sandbox's deployments of interface B, Alice in a browser, and a provider that may be called often."""

import pytest

from apps.directory.models import ClientRegistration
from tests.connections.deployments import deploy, patient

__all__ = ["deploy", "patient"]


@pytest.fixture
def unhurried(linked):
    ClientRegistration.objects.update(requests_per_minute=1000)
