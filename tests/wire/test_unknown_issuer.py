"""The issuer of an ID token that is not on the allow list is reported to staff, if it is written as an address."""

import pytest

from apps.wire.errors import IdentityRefused
from tests.wire.id_tokens import PUBLISHED, Issuer, issuing
from tests.wire.servers import serving


@pytest.fixture(scope="module")
def issuer():
    with serving(issuing(PUBLISHED)) as server:
        yield Issuer(server.url("/idsps/one/"))


class TestAnUnknownIssuer:
    @pytest.mark.parametrize(
        ("named", "shown"),
        [
            ("https://idp.example/tenants/7/", "https://idp.example/tenants/7/"),
            ("javascript:alert(1)", ""),
            ("https://idp.example/<script>", ""),
            ("https://idp.example/\u202e", ""),
            ("https://idp.example/ two", ""),
            ("https://idp.example/" + "x" * 1000, ""),
            (["https://idp.example/"], ""),
            (None, ""),
        ],
    )
    def test_says_which_issuer_it_names_where_that_is_an_address(self, issuer, named, shown):
        with pytest.raises(IdentityRefused) as error:
            issuer.verify(issuer.token(iss=named))
        assert error.value.unverified_issuer == shown
        assert "idp.example" not in f"{error.value!s}{error.value!r}"
