"""The admin with names and addresses that are as long as a published list allows."""

import re
from collections.abc import Callable

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from playwright.sync_api import Page

from apps.directory.models import AuthorizationServer, Endpoint, Provider
from tests.directory.conftest import AT

pytestmark = [pytest.mark.browser, pytest.mark.django_db]

LONG = "w" * 200


@pytest.fixture
def long_names() -> None:
    Provider.objects.create(directory="ours", directory_id="1", name=LONG, city="Portland", imported_at=AT)
    address = f"https://fhir.harbor.example/{LONG}/r4"
    Endpoint.objects.create(
        fhir_base_url=address, fhir_version="r4", interface="smart", dialect="smart", imported_at=AT
    )


def shown(page: Page, staff: Client, address: str) -> Page:
    """With the styles that it names."""
    html = staff.get(address).content.decode()
    page.set_content(re.sub(r"<link[^>]*>|<script.*?</script>|<img[^>]*>", "", html, flags=re.DOTALL))
    for name in re.findall(r'<link[^>]*href="/static/([^"]+\.css)"', html):
        page.add_style_tag(path=finders.find(name))
    return page


@pytest.mark.usefixtures("long_names")
class TestAListOfTheAdmin:
    @pytest.mark.parametrize("of", ["provider", "endpoint"])
    def test_shows_all_columns_beside_a_long_name(self, new_page: Callable[..., Page], staff: Client, of: str) -> None:
        page = shown(new_page(width=1280), staff, f"/admin/directory/{of}/")
        results = page.locator(".results")
        assert LONG in results.inner_text()
        assert results.evaluate("results => results.scrollWidth - results.clientWidth") <= 0

    def test_is_none_of_a_stranger_s(self, client: Client) -> None:
        answer = client.get("/admin/directory/provider/")
        assert (answer.status_code, LONG in answer.content.decode()) == (302, False)


@pytest.mark.usefixtures("long_names")
class TestAPageOfOne:
    def test_is_as_wide_as_a_telephone(self, new_page: Callable[..., Page], staff: Client) -> None:
        endpoint = Endpoint.objects.get()
        page = shown(new_page(width=360), staff, f"/admin/directory/endpoint/{endpoint.pk}/change/")
        assert LONG in page.locator("#content h2").first.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") == 360

    def test_says_why_it_cannot_be_deleted_on_a_telephone(self, new_page: Callable[..., Page], staff: Client) -> None:
        address = f"https://auth.harbor.example/{LONG}"
        server = AuthorizationServer.objects.create(authorize_url=address, token_url=f"{address}/token", found_at=AT)
        Endpoint.objects.update(authorization_server=server)
        page = shown(new_page(width=360), staff, f"/admin/directory/authorizationserver/{server.pk}/delete/")
        assert LONG in page.locator("#content > p").first.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
