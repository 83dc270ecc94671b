"""How a client authenticates, and that it sends nothing if it cannot."""

import json

import pytest
from joserfc.jwk import ECKey

from apps.wire import token_endpoint
from apps.wire.addresses import AddressPolicy
from apps.wire.client_authentication import Authentication, Client, SigningAlgorithm, SigningKey
from apps.wire.dialects import DIALECTS
from apps.wire.errors import ClientRejected, Code
from apps.wire.secret import Secret
from tests.wire.servers import http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)


class TestAClient:
    @pytest.mark.parametrize("authentication", [Authentication.PRIVATE_KEY_JWT, Authentication.BEARER_JWT])
    def test_refuses_a_method_it_has_no_key_for(self, authentication):
        with pytest.raises(ClientRejected) as error:
            Client("our-id", Secret("s"), authentication)
        assert error.value.code is Code.UNSUPPORTED_AUTHENTICATION

    @pytest.mark.parametrize(
        ("algorithm", "jwk"),
        [
            (SigningAlgorithm.ES384, "no JSON"),
            (SigningAlgorithm.ES384, "7"),
            (SigningAlgorithm.ES384, "null"),
            (SigningAlgorithm.ES384, '["a"]'),
            (SigningAlgorithm.ES384, "{}"),
            (SigningAlgorithm.ES384, '{"kty": "oct", "k": "c2VjcmV0"}'),
            (SigningAlgorithm.ES384, json.dumps(ECKey.generate_key("P-256").as_dict(private=True))),
            (SigningAlgorithm.ES384, json.dumps(ECKey.generate_key("P-384").as_dict(private=False))),
            (SigningAlgorithm.RS384, json.dumps(ECKey.generate_key("P-384").as_dict(private=True))),
        ],
    )
    def test_sends_nothing_with_a_key_that_is_not_one_for_its_algorithm(self, algorithm, jwk):
        key = SigningKey("our-key", algorithm, Secret(jwk))
        client = Client("our-id", None, Authentication.PRIVATE_KEY_JWT, key)
        with serving(http(200, {"access_token": "a"})) as server:
            where = token_endpoint.TokenEndpoint(server.url("/token"), client, DIALECTS["smart"], LOOPBACK)
            with pytest.raises(ClientRejected) as refused:
                token_endpoint.refresh(where, refresh_token=Secret("r"))
        assert refused.value.code is Code.UNSUPPORTED_AUTHENTICATION
        assert (refused.value.__cause__, refused.value.__context__) == (None, None)
        assert not server.requests

    @pytest.mark.parametrize("authentication", [Authentication.QUERY, Authentication.BASIC, Authentication.BODY])
    def test_refuses_a_confidential_client_without_a_secret(self, authentication):
        with pytest.raises(ClientRejected):
            Client("our-id", None, authentication)
