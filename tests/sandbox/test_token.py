"""The token endpoint of interface A: literal requests from the specification, and every refusal."""

import threading

import pytest
from django.db import connection
from django.test import Client

from apps.sandbox import bearer, clock, scenarios
from apps.sandbox.bearer import Unauthorized
from apps.sandbox.models import AuthorizationCode, Grant
from apps.sandbox.patient_access import exchanging, granting
from apps.sandbox.patient_access.refusing import Refusal

pytestmark = pytest.mark.django_db
FORM = "application/x-www-form-urlencoded"
HOURS_48 = 48 * 3_600


class TestCodeExchange:
    @pytest.mark.conformance("X8", "X11")
    def test_reads_the_query_of_a_post(self, client, allowed_code):
        code = allowed_code()
        response = client.generic(
            "POST",
            "/a/r4/auth/token?grant_type=authorization_code"
            "&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
            "&client_id=app&client_secret=the%20secret%20of%20the%20app&code=" + code,
            CONTENT_TYPE="application/x-www-form-urlencoded",
        )
        assert response.status_code == 200
        assert response["Content-Type"] == "application/json"
        assert response["Cache-Control"] == "no-store"
        assert response["Pragma"] == "no-cache"
        answer = response.json()
        assert answer.keys() == {"access_token", "refresh_token", "token_type", "expires_in", "scope"}
        assert answer["token_type"] == "Bearer"
        assert answer["expires_in"] == 3600

    @pytest.mark.conformance("X8")
    @pytest.mark.parametrize("content_type", ["", "application/json", "multipart/form-data; boundary=x", "text/plain"])
    def test_refuses_another_content_type(self, client, allowed_code, content_type):
        address = (
            "/a/r4/auth/token?grant_type=authorization_code&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
            "&client_id=app&client_secret=the%20secret%20of%20the%20app&code=" + allowed_code()
        )
        response = client.generic("POST", address, CONTENT_TYPE=content_type)
        assert response.status_code == 400
        assert response.json()["error"] == "invalid_request"
        charset = "application/x-www-form-urlencoded; charset=utf-8"
        assert client.generic("POST", address, CONTENT_TYPE=charset).status_code == 200

    @pytest.mark.conformance("X8")
    @pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
    def test_is_a_post_alone(self, client, allowed_code, method):
        address = (
            "/a/r4/auth/token?grant_type=authorization_code&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
            "&client_id=app&client_secret=the%20secret%20of%20the%20app&code=" + allowed_code()
        )
        response = client.generic(method, address, CONTENT_TYPE="application/x-www-form-urlencoded")
        assert response.status_code == 405
        assert response["Allow"] == "POST"

    @pytest.mark.conformance("X8")
    def test_does_not_read_the_body(self, client, allowed_code):
        body = (
            "grant_type=authorization_code&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
            "&client_id=app&client_secret=the%20secret%20of%20the%20app&code=" + allowed_code()
        )
        assert (
            client.generic("POST", "/a/r4/auth/token", body.encode(), content_type=FORM, CONTENT_TYPE=FORM).status_code
            == 401
        )
        scenarios.choose("body_credentials", "accepted")
        assert (
            client.generic("POST", "/a/r4/auth/token", body.encode(), content_type=FORM, CONTENT_TYPE=FORM).status_code
            == 200
        )

    def test_refuses_a_parameter_in_both_places_where_both_count(self, client, application):
        scenarios.choose("body_credentials", "accepted")
        response = client.generic("POST", "/a/r4/auth/token?client_id=app", b"client_id=app", content_type=FORM)
        assert response.json()["error"] == "invalid_request"

    def test_refuses_a_repeated_parameter(self, client, allowed_code):
        response = client.generic(
            "POST",
            "/a/r4/auth/token?grant_type=authorization_code&grant_type=authorization_code"
            "&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
            "&client_id=app&client_secret=the%20secret%20of%20the%20app&code=" + allowed_code(),
            CONTENT_TYPE="application/x-www-form-urlencoded",
        )
        assert (response.status_code, response.json()["error"]) == (400, "invalid_request")

    @pytest.mark.conformance("X9")
    @pytest.mark.parametrize(
        "credentials",
        [
            "&client_id=app&client_secret=wrong",
            "&client_id=app&client_secret=",
            "&client_id=app",
            "&client_id=nobody&client_secret=the%20secret%20of%20the%20app",
            "&client_secret=the%20secret%20of%20the%20app",
        ],
    )
    def test_tells_a_wrong_client_with_401(self, client, allowed_code, credentials):
        response = client.generic(
            "POST",
            "/a/r4/auth/token?grant_type=authorization_code&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
            + credentials
            + "&code="
            + allowed_code(),
            CONTENT_TYPE="application/x-www-form-urlencoded",
        )
        assert response.status_code == 401
        assert response.json()["error"] == "invalid_client"

    @pytest.mark.conformance("X9")
    def test_refuses_another_redirect_address(self, exchange, allowed_code):
        code = allowed_code()
        refused = exchange(code=code, redirect_uri="https://app.example/back/7Q/")
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")

    @pytest.mark.conformance("X9")
    def test_refuses_a_code_of_another_application(self, exchange, allowed_code, install):
        install("other", secret="of the other")
        refused = exchange(code=allowed_code(), client_id="other", client_secret="of the other")
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")

    @pytest.mark.conformance("X9")
    @pytest.mark.parametrize(("seconds", "status"), [(59, 200), (61, 400)])
    def test_refuses_an_expired_code(self, exchange, allowed_code, seconds, status):
        code = allowed_code()
        clock.move(seconds)
        response = exchange(code=code)
        assert response.status_code == status
        assert response.json().get("error") == (None if status == 200 else "invalid_grant")

    @pytest.mark.conformance("X10")
    def test_happens_once_and_a_second_use_kills_the_tokens(self, exchange, allowed_code, access, ask_token):
        code = allowed_code()
        tokens = exchange(code=code).json()
        assert access(tokens["access_token"]).patient_ids == ("r-ada", "r-son")
        again = exchange(code=code)
        assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
        with pytest.raises(Unauthorized):
            access(tokens["access_token"])
        refreshed = ask_token(grant_type="refresh_token", refresh_token=tokens["refresh_token"])
        assert refreshed.json()["error"] == "invalid_grant"

    @pytest.mark.conformance("X10")
    def test_kills_the_tokens_as_well_when_the_code_comes_again_late(self, exchange, allowed_code, access):
        code = allowed_code()
        token = exchange(code=code).json()["access_token"]
        clock.move(600)
        exchange(code=code)
        with pytest.raises(Unauthorized):
            access(token)

    def test_refuses_a_code_whose_access_was_taken_away_meanwhile(self, exchange, allowed_code):
        code = allowed_code()
        granting.end(Grant.objects.all(), reason="staff", at=clock.now())
        assert exchange(code=code).json()["error"] == "invalid_grant"

    @pytest.mark.conformance("X1")
    def test_refuses_a_code_of_the_other_version(self, exchange, allowed_code):
        refused = exchange("dstu2", code=allowed_code("r4"))
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")

    @pytest.mark.conformance("X4")
    def test_is_refused_in_a_version_that_is_not_added(self, ask_token, install):
        install(versions=["r4"])
        refused = ask_token("dstu2", grant_type="refresh_token", refresh_token="any")
        assert (refused.status_code, refused.json()["error"]) == (400, "unauthorized_client")

    @pytest.mark.conformance("X3")
    @pytest.mark.parametrize("status", ["requested", "provisional", "retired"])
    def test_does_not_work_before_or_after_approval(self, exchange, allowed_code, install, status):
        code = allowed_code()
        install(status=status)
        refused = exchange(code=code)
        assert (refused.status_code, refused.json()["error"]) == (401, "invalid_client")
        install(status="approved")
        assert exchange(code=code).status_code == 200

    def test_keeps_digests_only(self, exchange, allowed_code):
        code = allowed_code()
        tokens = exchange(code=code).json()
        with connection.cursor() as cursor:
            for table in ("grant", "authorizationcode", "accesstoken", "refreshtoken", "application"):
                cursor.execute(f"SELECT t::text FROM sandbox_{table} t")
                rows = str(cursor.fetchall())
                assert rows != "[]"
                for secret in (code, tokens["access_token"], tokens["refresh_token"], "the secret of the app"):
                    assert secret not in rows


class TestRefresh:
    @pytest.mark.conformance("X12")
    @pytest.mark.parametrize(("seconds", "status"), [(HOURS_48 - 1, 200), (HOURS_48 + 1, 400)])
    def test_works_for_48_hours_after_issue(self, client, exchange, seconds, status):
        refresh_token = exchange().json()["refresh_token"]
        clock.move(seconds)
        response = client.generic(
            "POST",
            "/a/r4/auth/token?grant_type=refresh_token&refresh_token="
            + refresh_token
            + "&client_id=app&client_secret=the%20secret%20of%20the%20app",
            CONTENT_TYPE="application/x-www-form-urlencoded",
        )
        assert response.status_code == status
        assert response.json().get("error") == (None if status == 200 else "invalid_grant")

    @pytest.mark.conformance("X12")
    def test_does_not_prolong_the_window_without_rotation(self, exchange, ask_token):
        refresh_token = exchange().json()["refresh_token"]
        clock.move(47 * 3_600)
        assert "refresh_token" not in ask_token(grant_type="refresh_token", refresh_token=refresh_token).json()
        clock.move(2 * 3_600)
        assert ask_token(grant_type="refresh_token", refresh_token=refresh_token).status_code == 400

    @pytest.mark.conformance("X13")
    def test_is_refused_to_another_application(self, exchange, ask_token, install):
        refresh_token = exchange().json()["refresh_token"]
        install("other", secret="of the other")
        refused = ask_token(
            grant_type="refresh_token", refresh_token=refresh_token, client_id="other", client_secret="of the other"
        )
        assert refused.json()["error"] == "invalid_grant"

    @pytest.mark.conformance("X13")
    def test_rotates_when_switched(self, exchange, ask_token):
        scenarios.choose("rotation", "on")
        first = exchange().json()["refresh_token"]
        second = ask_token(grant_type="refresh_token", refresh_token=first).json()["refresh_token"]
        assert second != first
        assert ask_token(grant_type="refresh_token", refresh_token=first).json()["error"] == "invalid_grant"
        clock.move(47 * 3_600)
        third = ask_token(grant_type="refresh_token", refresh_token=second).json()["refresh_token"]
        clock.move(47 * 3_600)
        assert ask_token(grant_type="refresh_token", refresh_token=third).status_code == 200

    def test_forgives_a_lost_answer_within_the_grace(self, exchange, ask_token):
        scenarios.choose("rotation", "on")
        scenarios.choose("rotation_grace", "60")
        first = exchange().json()["refresh_token"]
        ask_token(grant_type="refresh_token", refresh_token=first)
        clock.move(59)
        assert ask_token(grant_type="refresh_token", refresh_token=first).status_code == 200
        clock.move(2)
        assert ask_token(grant_type="refresh_token", refresh_token=first).status_code == 400

    def test_forgives_nothing_without_a_grace_not_even_in_the_same_moment(self, exchange, application):
        scenarios.choose("rotation", "on")
        given = {"refresh_token": exchange().json()["refresh_token"]}
        at = clock.now()
        exchanging.refresh(application, given, version="r4", at=at)
        with pytest.raises(Refusal):
            exchanging.refresh(application, given, version="r4", at=at)

    def test_ends_everything_when_a_rotated_token_comes_again_and_the_switch_says_so(self, exchange, ask_token):
        scenarios.choose("rotation", "on")
        scenarios.choose("rotation_reuse", "ends-grant")
        first = exchange().json()["refresh_token"]
        second = ask_token(grant_type="refresh_token", refresh_token=first).json()["refresh_token"]
        ask_token(grant_type="refresh_token", refresh_token=first)
        assert ask_token(grant_type="refresh_token", refresh_token=second).json()["error"] == "invalid_grant"

    @pytest.mark.conformance("X13")
    @pytest.mark.parametrize("grant_type", ["password", "client_credentials", "implicit", "Refresh_Token"])
    def test_is_one_of_two_grant_types(self, ask_token, application, grant_type):
        refused = ask_token(grant_type=grant_type, refresh_token="any")
        assert (refused.status_code, refused.json()["error"]) == (400, "unsupported_grant_type")

    @pytest.mark.parametrize(
        "parameters",
        [{}, {"grant_type": "refresh_token"}, {"grant_type": "authorization_code"}, {"grant_type": ""}],
    )
    def test_needs_its_parameters(self, ask_token, application, parameters):
        assert ask_token(**parameters).json()["error"] == "invalid_request"

    @pytest.mark.conformance("X1")
    def test_is_refused_in_the_other_version(self, exchange, ask_token):
        refresh_token = exchange("r4").json()["refresh_token"]
        refused = ask_token("dstu2", grant_type="refresh_token", refresh_token=refresh_token)
        assert refused.json()["error"] == "invalid_grant"
        assert ask_token("r4", grant_type="refresh_token", refresh_token=refresh_token).status_code == 200

    def test_stops_when_staff_end_the_grant(self, exchange, ask_token, access):
        tokens = exchange().json()
        access(tokens["access_token"])
        assert granting.end(Grant.objects.all(), reason="test", at=clock.now()) == 1
        assert ask_token(grant_type="refresh_token", refresh_token=tokens["refresh_token"]).status_code == 400
        with pytest.raises(Unauthorized):
            access(tokens["access_token"])


class TestAccessToken:
    @pytest.mark.conformance("X1")
    def test_opens_one_version_alone(self, exchange, access):
        token = exchange("r4").json()["access_token"]
        assert access(token, "r4").version == "r4"
        with pytest.raises(Unauthorized, match="other-version"):
            access(token, "dstu2")

    def test_is_looked_up_once(self, exchange, access, django_assert_num_queries):
        token = exchange().json()["access_token"]
        access(token)
        with django_assert_num_queries(0):
            access(token)

    def test_expires(self, exchange, access):
        token = exchange().json()["access_token"]
        clock.move(3_598)
        access(token)
        clock.move(3)
        with pytest.raises(Unauthorized, match="expired"):
            access(token)

    @pytest.mark.parametrize("header", ["", "Basic abc", "Bearer", "bearer"])
    def test_counts_in_the_header_alone(self, rf, header):
        with pytest.raises(Unauthorized) as caught:
            bearer.access_from(rf.get("/?access_token=x", headers={"Authorization": header}), "r4")
        assert "error=" not in caught.value.challenge

    def test_is_challenged_by_name_when_it_opens_nothing(self, access):
        with pytest.raises(Unauthorized) as caught:
            access("forged")
        assert 'error="invalid_token"' in caught.value.challenge


class TestAnswer:
    def test_can_be_bare(self, exchange):
        scenarios.choose("token_answer", "bare")
        assert exchange().json().keys() == {"access_token", "refresh_token"}

    def test_can_lack_a_refresh_token(self, exchange):
        scenarios.choose("refresh_token", "off")
        assert "refresh_token" not in exchange().json()

    def test_can_spell_things_otherwise(self, exchange):
        scenarios.choose("token_type_case", "bearer")
        scenarios.choose("expires_in_form", "text")
        answer = exchange().json()
        assert (answer["token_type"], answer["expires_in"]) == ("bearer", "3600")

    def test_can_be_huge(self, exchange, access, ask_token):
        scenarios.choose("token_size", "16k")
        answer = exchange().json()
        assert len(answer["access_token"]) == len(answer["refresh_token"]) == 16_384
        assert access(answer["access_token"]).client_id == "app"
        assert ask_token(grant_type="refresh_token", refresh_token=answer["refresh_token"]).status_code == 200

    @pytest.mark.parametrize(
        ("form", "content_type", "sign"),
        [
            ("rfc", "application/json", '"error": "invalid_grant"'),
            ("detailed", "application/json", '"error": "Invalid Grant", "detailedmessage"'),
            ("html", "text/html; charset=utf-8", "<h1>400</h1>"),
            ("text", "text/plain", "unknown"),
        ],
    )
    def test_refuses_in_several_forms(self, ask_token, application, form, content_type, sign):
        scenarios.choose("token_error_form", form)
        refused = ask_token(grant_type="refresh_token", refresh_token="none")
        assert (refused.status_code, refused["Content-Type"]) == (400, content_type)
        assert sign in refused.content.decode()
        assert refused["Cache-Control"] == "no-store"

    def test_refuses_with_nothing_at_all_when_asked(self, ask_token, application):
        scenarios.choose("token_error_form", "empty")
        assert ask_token(grant_type="refresh_token", refresh_token="none").content == b""


class TestTwoExchangesAtOnce:
    @pytest.mark.django_db(transaction=True)
    def test_give_tokens_to_one_alone(self, allowed_code):
        address = (
            "/a/r4/auth/token?grant_type=authorization_code&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
            "&client_id=app&client_secret=the%20secret%20of%20the%20app&code=" + allowed_code()
        )
        statuses, together = [], threading.Barrier(4)

        def ask():
            together.wait()
            statuses.append(Client().generic("POST", address, CONTENT_TYPE=FORM).status_code)
            connection.close()

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(statuses) == [200, 400, 400, 400]
        assert AuthorizationCode.objects.get().used_at is not None
        assert Grant.objects.get().end_reason == "its code was used twice"
