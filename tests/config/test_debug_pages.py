"""Django's debug page shows where an error happened, but no values of variables."""

import pytest
from django.urls import path

CANARY = f"CANARY-{0xB71F:x}"  # the page shows source lines: none of them may spell it


def fails(request):
    secret_in_play = f"{CANARY} {request.GET.get('code')}"
    raise RuntimeError(f"no answer from https://provider.example/token?client_secret={secret_in_play[:11]}")


@pytest.fixture
def site(client, settings):
    settings.DEBUG = True
    settings.ROOT_URLCONF = (path("fails/", fails),)
    settings.MIDDLEWARE = ["config.request_logging.RequestLoggingMiddleware"]
    settings.CELERY_BROKER_URL = f"redis://:{CANARY}@redis.example/0"
    client.raise_request_exception = False
    return client


class TestDebugPage:
    @pytest.mark.parametrize("accept", ["text/html", "text/plain"])
    @pytest.mark.parametrize("method", ["get", "post"])
    def test_shows_where_it_happened_and_no_value(self, site, method, accept):
        site.cookies["session"] = CANARY
        answer = getattr(site, method)(
            f"/fails/?code={CANARY}&state={CANARY}" if method == "get" else "/fails/",
            {"password": CANARY} if method == "post" else None,
            headers={"accept": accept, "authorization": f"Bearer {CANARY}", "referer": f"https://a.example/?{CANARY}"},
        )
        page = answer.content.decode()
        assert answer.status_code == 500
        assert "test_debug_pages.py" in page
        assert "RuntimeError" in page
        assert "no answer from https://provider.example/token?[removed]" in page
        assert CANARY not in page
