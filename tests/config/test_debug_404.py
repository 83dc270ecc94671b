"""The demo runs with DEBUG on, but still shows the site's own error pages."""

import pytest
from django.core.exceptions import SuspiciousOperation
from django.http import Http404
from django.urls import path

from config import urls

CANARY = f"CANARY-{0x51DE:x}"


def knows_nothing(request):
    raise Http404(CANARY)


def makes_nothing_of_it(request):
    raise SuspiciousOperation(CANARY)


def breaks(request):
    raise RuntimeError("broken")


urlpatterns = [
    path("known/", knows_nothing),
    path("odd/", makes_nothing_of_it),
    path("broken/", breaks),
    *urls.urlpatterns,
]
handler400, handler404 = urls.handler400, urls.handler404


@pytest.fixture
def site(client, settings):
    settings.DEBUG = True
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "config.debug_404.SitePagesMiddleware"]
    client.raise_request_exception = False
    return client


@pytest.mark.django_db
class TestAWrongAddress:
    @pytest.mark.parametrize(("address", "status"), [(f"/nowhere/{CANARY}/", 404), ("/known/", 404), ("/odd/", 400)])
    def test_shows_the_sites_own_page(self, site, address, status):
        answer = site.get(address)
        assert answer.status_code == status
        assert f"{status}.html" in [template.name for template in answer.templates]
        assert CANARY not in answer.content.decode()


@pytest.mark.django_db
class TestWhatBreaks:
    def test_still_says_where(self, site):
        answer = site.get("/broken/")
        assert answer.status_code == 500
        assert "RuntimeError" in answer.content.decode()
