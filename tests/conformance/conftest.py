"""A provider for each interface of the sandbox, and Alice, who links her record there."""

from tests.connections.deployments import deploy, patient
from tests.faults.conftest import place

__all__ = ["deploy", "patient", "place"]
