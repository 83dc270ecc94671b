"""The sandbox's deployments of interface B, and Alice in a browser."""

from tests.connections.deployments import deploy, patient

__all__ = ["deploy", "patient"]
