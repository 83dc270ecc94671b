"""A view that pages of any origin may call, as browsers ask before they call it."""

import pytest
from django.http import Http404, HttpResponse, JsonResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.test import RequestFactory

from apps.sharing.health_links.cross_origin import from_any_origin

ORIGIN = "https://viewer.example"


@from_any_origin("POST")
def manifest(request, token, *, status=200):
    """Answers with what it was given."""
    if token == "ended":
        raise Http404
    return JsonResponse({"token": token}, status=status, headers={"Retry-After": "60"})


def asked(method, view=manifest, *args, **kwargs):
    request = RequestFactory().generic(method, "/", b"{}", "application/json", headers={"Origin": ORIGIN})
    return view(request, *args, **kwargs)


class TestAView:
    def test_is_given_what_its_address_holds(self):
        response = asked("POST", manifest, "abc", status=401)
        assert (response.status_code, response.content) == (401, b'{"token": "abc"}')
        assert manifest.__name__ == "manifest"

    @pytest.mark.parametrize("status", [200, 400, 401, 404, 413, 429])
    def test_is_read_by_pages_of_any_origin_whatever_it_answers(self, status):
        response = asked("POST", manifest, "abc", status=status)
        assert response["Access-Control-Allow-Origin"] == "*"
        assert response["Access-Control-Expose-Headers"] == "Retry-After"
        assert "Access-Control-Allow-Credentials" not in response

    def test_is_read_also_where_nothing_is(self):
        response = asked("POST", manifest, "ended")
        assert (response.status_code, response["Access-Control-Allow-Origin"]) == (404, "*")

    def test_is_stored_nowhere_unless_it_says_so(self):
        @from_any_origin("GET")
        def kept(request):
            return HttpResponse(headers={"Cache-Control": "max-age=5"})

        assert asked("POST", manifest, "abc")["Cache-Control"] == "no-store"
        assert asked("GET", kept)["Cache-Control"] == "max-age=5"

    @pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
    def test_answers_no_other_method(self, method):
        response = asked(method, manifest, "abc")
        assert (response.status_code, response["Allow"]) == (405, "POST, OPTIONS")
        assert response["Access-Control-Allow-Origin"] == "*"

    def test_needs_no_token_against_forgery(self):
        request = RequestFactory(enforce_csrf_checks=True).post("/", {}, headers={"Origin": ORIGIN})
        guard = CsrfViewMiddleware(lambda _: HttpResponse())
        assert guard.process_view(request, manifest, (), {}) is None

        def other(request):
            return HttpResponse()

        assert guard.process_view(request, other, (), {}) is not None


class TestAPreflight:
    def test_is_answered_without_the_view(self):
        response = asked("OPTIONS", manifest, "ended")
        assert (response.status_code, response.content) == (204, b"")

    def test_allows_json_to_be_posted_from_anywhere(self):
        response = asked("OPTIONS", manifest, "abc")
        headers = {name.strip().lower() for name in response["Access-Control-Allow-Headers"].split(",")}
        assert response["Access-Control-Allow-Origin"] == "*"
        assert "POST" in response["Access-Control-Allow-Methods"].split(", ")
        assert {"content-type", "*"} <= headers
        assert int(response["Access-Control-Max-Age"]) > 0

    def test_allows_no_method_that_the_view_does_not_have(self):
        assert "GET" not in asked("OPTIONS", manifest, "abc")["Access-Control-Allow-Methods"]
