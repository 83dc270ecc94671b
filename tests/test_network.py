"""Tests cannot reach other machines, and these prove it."""

import http.client
import socket

import pytest
import requests

from tests.fixtures.network import LeftThisMachine, is_this_machine


class TestTheNetworkOfATest:
    def test_ends_at_this_machine(self):
        with pytest.raises(LeftThisMachine), socket.socket() as connection:
            connection.connect(("192.0.2.1", 443))

    def test_has_no_name_server(self):
        with pytest.raises(LeftThisMachine):
            socket.getaddrinfo("provider.example", 443)

    def test_ends_at_this_machine_for_libraries_too(self):
        with pytest.raises(LeftThisMachine):
            requests.get("http://192.0.2.1/", timeout=1)
        with pytest.raises(LeftThisMachine):
            http.client.HTTPConnection("2001:db8::1", timeout=1).connect()

    def test_reaches_loopback(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            socket.create_connection(listening.getsockname(), timeout=5).close()

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
    def test_knows_this_machine(self, host):
        assert is_this_machine((host, 80))

    @pytest.mark.parametrize("host", ["10.0.0.1", "0.0.0.0", "169.254.169.254", "fe80::1%eth0", "localhost.example"])
    def test_knows_another(self, host):
        assert not is_this_machine((host, 80))
