"""Tokens issued under this machine's other name: every document says so, and earlier tokens stay valid."""

from urllib.parse import urlsplit

import pytest

from apps.sandbox import scenarios
from tests.sandbox.smart.literal import WILLOW

pytestmark = pytest.mark.django_db

ROOT = f"/b/myrecord/r4/{WILLOW}"
OFFLINE = "launch/patient patient/Patient.read offline_access"
HERE, THERE = "127.0.0.1:8900", "localhost:8900"


@pytest.fixture(autouse=True)
def _has_two_names(settings, client):
    settings.SANDBOX_ORIGIN = f"http://{HERE}"
    client.defaults["HTTP_HOST"] = HERE
    yield
    scenarios.reset()


@pytest.fixture
def refresh(post_token, exchange):
    """Refreshes under a name what was given under the first one."""
    token = exchange(scope=OFFLINE, aud=f"http://{HERE}{ROOT}/").json()["refresh_token"]
    return lambda host: post_token({"grant_type": "refresh_token", "refresh_token": token}, headers={"host": host})


def announced(client) -> dict[str, str]:
    """Under which name each address is announced."""
    told = client.get(f"{ROOT}/.well-known/smart-configuration").json()
    return {name: urlsplit(url).netloc for name, url in told.items() if name.endswith(("_endpoint", "_uri"))}


class TestTokensThatMoved:
    @pytest.mark.parametrize("scenario", ["tokens-moved", "tokens-moved-away"])
    def test_are_announced_under_the_other_name_with_what_belongs_to_them(self, client, two_tenants, scenario):
        assert set(announced(client).values()) == {HERE}
        scenarios.play(scenario)
        told = announced(client)
        there = {name for name, host in told.items() if host == THERE}
        assert there == {"token_endpoint", "revocation_endpoint", "introspection_endpoint"}
        assert f"http://{THERE}/b/authorization/tenants/{WILLOW}" in client.get(f"{ROOT}/metadata").content.decode()

    def test_are_given_under_both_names_for_a_while(self, refresh):
        scenarios.play("tokens-moved")
        assert [refresh(host).status_code for host in (HERE, THERE)] == [200, 200]

    def test_are_given_under_the_new_name_alone_once_the_old_one_is_gone(self, refresh):
        scenarios.play("tokens-moved-away")
        assert [refresh(host).status_code for host in (HERE, THERE)] == [404, 200]

    def test_are_neither_looked_into_nor_ended_where_they_are_gone_from(self, client, two_tenants):
        scenarios.play("tokens-moved-away")
        token = f"/b/authorization/tenants/{WILLOW}/hosts/myrecord/protocols/oauth2/profiles/smart-v1/token"
        for address in ("/b/authorization/tokeninfo", f"{token}/revoke"):
            answers = [client.post(address, headers={"host": host}).status_code for host in (HERE, THERE)]
            assert answers[0] == 404, address
            assert answers[1] != 404, address
