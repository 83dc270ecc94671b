"""Which hosts the tokens of a server may go to that we are registered at: those staff know, not those a file names.

A directory file pairs FHIR base URLs with authorization servers. A hostile one pairs a host of its own with a server
that patients trust: they would sign in there, and their tokens would travel to that host.
"""

from apps.directory import reaching, registering
from apps.directory.models import Endpoint
from apps.wire.addresses import parse_address


def is_stranger(endpoint: Endpoint) -> bool:
    """Whether staff should switch the endpoint on first: we are registered at its authorization server, and it has the
    origin neither of that server nor of an endpoint of it that is switched on. Its addresses passed the guard."""
    server = endpoint.authorization_server
    if server is None or registering.standing(server) is None:
        return False
    others = Endpoint.objects.filter(authorization_server=server, is_switched_on=True).exclude(pk=endpoint.pk)
    policy = reaching.address_policy()
    trusted = [server.authorize_url, server.token_url, *others.values_list("fhir_base_url", flat=True)]
    origins = {parse_address(url, policy).origin for url in trusted}
    return parse_address(endpoint.fhir_base_url, policy).origin not in origins
