"""How operators name things in commands: addresses with or without a slash, and names as pages show them."""

import pytest
from django.core.management import CommandError

from apps.directory.management import naming
from apps.directory.models import ClientRegistration, Endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def harbor(make_provider, make_endpoint):
    """A provider with two endpoints: R4, whose address ends in a slash, and DSTU2."""
    provider = make_provider("Harbor Family Practice")
    return [
        make_endpoint(provider, host=host, version=version, fhir_base_url=f"https://{host}/{version}{end}")
        for host, version, end in (("r4.example", "r4", "/"), ("dstu2.example", "dstu2", ""))
    ]


class TestAnEndpoint:
    @pytest.mark.parametrize("given", ["https://r4.example/r4/", "https://r4.example/r4"])
    def test_is_found_by_its_address_with_and_without_a_slash(self, harbor, given):
        assert naming.endpoint(given) == harbor[0]

    def test_is_the_one_that_is_written_so_where_two_differ_by_a_slash_alone(self, harbor):
        Endpoint.objects.filter(pk=harbor[1].pk).update(fhir_base_url="https://r4.example/r4")
        assert naming.endpoint("https://r4.example/r4") == harbor[1]

    def test_is_found_by_the_whole_name_of_its_provider(self, make_provider, make_endpoint):
        bay = make_endpoint(make_provider("Bay Clinic"))
        assert naming.endpoint("bay clinic") == bay

    def test_is_asked_for_by_address_where_its_provider_has_several(self, harbor):
        with pytest.raises(CommandError, match=r"https://dstu2\.example/dstu2 \(DSTU2\)"):
            naming.endpoint("Harbor Family Practice")
        assert set(naming.endpoints("Harbor Family Practice")) == set(harbor)

    @pytest.mark.parametrize("given", ["", "Harbor", "https://elsewhere.example/r4", "r4.example"])
    def test_is_not_guessed(self, harbor, given):
        with pytest.raises(CommandError, match="no endpoint of this address or name"):
            naming.endpoint(given)

    def test_is_only_one_of_those_a_command_is_about(self, harbor):
        with pytest.raises(CommandError, match="no endpoint of this address or name"):
            naming.endpoints("https://r4.example/r4", among=Endpoint.objects.filter(interface="smart"))


class TestAnAuthorizationServer:
    @pytest.mark.parametrize(
        "given", ["https://r4.example/r4/authorize", "HARBOR R4", "https://r4.example/r4", "https://r4.example/r4/"]
    )
    def test_is_found_by_address_label_and_endpoint(self, harbor, given):
        ClientRegistration.objects.filter(authorization_server=harbor[0].authorization_server).update(label="Harbor R4")
        assert naming.authorization_servers(given) == [harbor[0].authorization_server]

    def test_is_not_several_of_one_label(self, harbor):
        """What is stored there would be stored at all of them, a secret for instance."""
        with pytest.raises(CommandError, match="Several registrations are called so"):
            naming.authorization_servers("ours")

    def test_is_not_guessed(self, harbor):
        with pytest.raises(CommandError, match="no such authorization server"):
            naming.authorization_servers("Harbor")


class TestARegistrationAndAProvider:
    def test_are_found_by_id_or_name(self, make_provider, make_endpoint):
        provider = make_provider("Bay Clinic")
        made = ClientRegistration.objects.get(authorization_server=make_endpoint(provider).authorization_server)
        assert naming.provider_id("BAY clinic") == naming.provider_id(str(provider.pk)) == provider.pk
        assert naming.registration_id("Ours") == naming.registration_id(str(made.pk)) == made.pk

    def test_are_asked_for_by_id_where_two_are_called_so(self, harbor):
        with pytest.raises(CommandError, match="give the id of the client registration"):
            naming.registration_id("ours")
