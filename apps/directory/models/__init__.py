"""The directory: whom patients recognize, where their records are, and our registrations."""

from apps.directory.models.approved_origin import ApprovedOrigin
from apps.directory.models.authorization_server import AuthorizationServer
from apps.directory.models.client_registration import ClientRegistration
from apps.directory.models.enablement import Enablement
from apps.directory.models.endpoint import Endpoint
from apps.directory.models.endpoint_check import EndpointCheck
from apps.directory.models.known_origins import KnownOrigins
from apps.directory.models.link_day import LinkDay
from apps.directory.models.provider import Provider
from apps.directory.models.provider_portal import ProviderPortal
from apps.directory.models.published_list import PublishedList
from apps.directory.models.search_word import SearchWord, WordNeighbours
from apps.directory.models.signing_key import SigningKey
from apps.directory.models.system_account import SystemAccount
from apps.directory.models.wish import WantedProvider, Wish

__all__ = [
    "ApprovedOrigin",
    "AuthorizationServer",
    "ClientRegistration",
    "Enablement",
    "Endpoint",
    "EndpointCheck",
    "KnownOrigins",
    "LinkDay",
    "Provider",
    "ProviderPortal",
    "PublishedList",
    "SearchWord",
    "SigningKey",
    "SystemAccount",
    "WantedProvider",
    "Wish",
    "WordNeighbours",
]
