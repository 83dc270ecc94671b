"""`python -m config.probing` prints what the site in this container answers."""

import pytest
from django.conf import settings

from config import probing
from development import ports
from tests.config.test_health import deaf_broker

__all__ = ["deaf_broker"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site(live_server, monkeypatch):
    monkeypatch.setenv("SITE_ORIGIN", settings.SITE_ORIGIN)
    monkeypatch.setattr(probing, "_PORT", live_server.thread.port)


class TestAProbe:
    def test_prints_that_all_is_there(self, site, capsys):
        assert probing.main("/health/") == 0
        assert capsys.readouterr().out == '{"status": "ok"}\n'

    def test_prints_what_is_missing(self, site, deaf_broker, capsys):
        assert probing.main("/ready/") == 1
        assert '"broker": false' in capsys.readouterr().out

    def test_says_where_nobody_answers(self, monkeypatch, capsys):
        monkeypatch.setenv("SITE_ORIGIN", settings.SITE_ORIGIN)
        monkeypatch.setattr(probing, "_PORT", port := ports.free_port())
        assert probing.main("/health/") == 1
        assert capsys.readouterr().err == f"Nothing answers at 127.0.0.1:{port}.\n"
