"""A patient's links: the attempt to link, the connection, and the tokens that keep it alive."""

from apps.connections.models.authorization_request import AuthorizationRequest
from apps.connections.models.connection import Connection, MoveNotAllowed
from apps.connections.models.endpoint_silence import EndpointSilence
from apps.connections.models.lapse_warning import LapseWarning
from apps.connections.models.pending_launch import PendingLaunch
from apps.connections.models.pending_revocation import PendingRevocation
from apps.connections.models.refresh_pace import RefreshPace
from apps.connections.models.refresh_tally import RefreshTally
from apps.connections.models.site_certificate import SiteCertificate
from apps.connections.models.stored_token_set import StoredTokenSet
from apps.connections.models.trial import Trial

__all__ = [
    "AuthorizationRequest",
    "Connection",
    "EndpointSilence",
    "LapseWarning",
    "MoveNotAllowed",
    "PendingLaunch",
    "PendingRevocation",
    "RefreshPace",
    "RefreshTally",
    "SiteCertificate",
    "StoredTokenSet",
    "Trial",
]
