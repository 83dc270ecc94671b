"""The demo finds out whether its ports are free before it starts anything."""

import socket

from development import ports


class TestAPort:
    def test_is_taken_while_somebody_listens(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            assert ports.is_taken(listening.getsockname()[1])

    def test_is_free_when_it_was_just_found(self):
        assert not ports.is_taken(ports.free_port())
