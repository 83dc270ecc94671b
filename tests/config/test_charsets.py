"""A request in an encoding that cannot be read gets status 400 and a page of the site."""

import encodings
import pkgutil
from io import BytesIO

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.urls import path, reverse

from config import charsets, urls, wsgi

CODECS = sorted({module.name for module in pkgutil.iter_modules(encodings.__path__)} - {"aliases", "utf_8"})
PART = b'--B\r\nContent-Disposition: form-data; name="login"%b\r\n\r\n\xc3\xa9\xff\r\n--B--\r\n'


def send(client, said, *, form="multipart/form-data; boundary=B", body=PART % b""):
    return client.generic("POST", reverse("account_login"), body, content_type=f"{form}; {said}")


def fails(_request):
    return b"\xff".decode()


urlpatterns = [path("ours/", fails), *urls.urlpatterns]
handler400, handler500 = urls.handler400, urls.handler500


@pytest.mark.django_db
class TestAForm:
    @pytest.mark.parametrize("form", ["multipart/form-data; boundary=B", "application/x-www-form-urlencoded"])
    def test_is_not_read_in_any_other_charset(self, client, form):
        for codec in (*CODECS, "rot13", "base64", "hex"):
            answer = send(client, f"charset={codec}", form=form)
            if answer.status_code != 200:  # what this machine does not know is as if nothing were said
                assert answer.status_code == 400, codec
                assert "We could not read what your browser sent" in answer.content.decode()
            else:
                assert codec in {"mbcs", "oem"}

    @pytest.mark.parametrize("said", ["charset=utf-8", 'charset="UTF8"', "charset=unheard-of", "x=y"])
    def test_is_read_in_utf_8_and_where_nothing_is_said_that_is_known(self, client, said):
        assert send(client, said).status_code == 200

    @pytest.mark.parametrize("debug", [True, False])
    def test_is_answered_in_debug_as_well(self, client, settings, debug):
        settings.DEBUG = debug
        answer = send(client, "charset=idna")
        assert answer.status_code == 400
        assert "400.html" in [template.name for template in answer.templates]

    @pytest.mark.parametrize("name", [b"; filename*=idna''%C3%A9%FF", b"; filename*=rot13''a"])
    def test_may_have_a_part_whose_name_is_none(self, client, name):
        assert send(client, "x=y", body=PART % name).status_code == 200


@pytest.mark.django_db
class TestAnotherRequest:
    @pytest.mark.parametrize("charset", ["ascii", "latin-1"])
    def test_has_its_query_read_in_utf_8_whatever_it_says(self, client, charset):
        address = f"{reverse('account_login')}?next=%C3%A9%FF"
        answer = client.get(address, headers={"Content-Type": f"text/plain; charset={charset}"})
        assert answer.status_code == 200
        assert answer.wsgi_request.GET["next"] == "é\ufffd"


@pytest.mark.django_db
class TestAnErrorOfOurs:
    def test_is_no_matter_of_what_was_sent(self, client, settings):
        settings.ROOT_URLCONF = __name__
        client.raise_request_exception = False
        answer = client.generic("POST", "/ours/", PART % b"", content_type="multipart/form-data; boundary=B")
        assert answer.status_code == 500


@pytest.mark.django_db
class TestAContentTypeThatNobodyCanRead:
    """As WSGI servers hand it over: Django's client for tests makes requests of its own class."""

    @pytest.mark.parametrize(
        "said",
        [
            *("charset*=idna''%FF", "x*=idna''%FF", "charset*=unheard-of''x", 'charset="a\0b"'),
            *("charset=idna", "charset=hex"),
        ],
    )
    @pytest.mark.parametrize("method", ["GET", "POST"])
    def test_is_answered_so(self, rf, said, method):
        handler = WSGIHandler()
        handler.request_class = charsets.Request
        body = PART % b""
        environ = {
            **rf.generic(method, f"{reverse('account_login')}?next=%C3%A9%FF").environ,
            "CONTENT_TYPE": f"multipart/form-data; boundary=B; {said}",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": BytesIO(body),
        }
        statuses = []

        def begin(status, _headers, *_error):
            statuses.append(status)
            return statuses.append

        answer = b"".join(handler(environ, begin))
        assert statuses == ["400 Bad Request"]
        assert b"We could not read what your browser sent" in answer

    def test_has_none_of_it_thrown_at_the_server(self):
        assert wsgi.application.request_class is charsets.Request
