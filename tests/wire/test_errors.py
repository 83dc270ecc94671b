"""Errors say who must act, in fixed words."""

import pickle

import pytest

from apps.wire import errors
from apps.wire.errors import Actor, Code, WireError


def tree(root=WireError):
    """The errors of the wire itself; what other apps derive from them is theirs to tell."""
    ours = [child for child in root.__subclasses__() if child.__module__ == errors.__name__]
    return [root, *(below for child in ours for below in tree(child))]


class TestEveryError:
    @pytest.mark.parametrize("kind", tree())
    def test_has_a_constant_text_and_no_arguments(self, kind):
        error = kind(code=Code.INVALID_GRANT, status=400, error_uri="https://login.example/x")
        assert str(error) == kind.__doc__.strip().splitlines()[0]
        assert str(error).endswith(".")
        assert error.args == ()
        assert "login.example" not in repr(error)

    @pytest.mark.parametrize("kind", tree())
    def test_survives_the_way_to_another_process(self, kind):
        error = pickle.loads(pickle.dumps(kind(code=Code.INVALID_GRANT, status=400)))
        assert (type(error), error.code, error.status) == (kind, Code.INVALID_GRANT, 400)

    def test_says_who_must_act(self):
        assert {kind.__name__: kind.actor for kind in tree()[1:]} == {
            "Unavailable": Actor.WAIT,
            "Throttled": Actor.WAIT,
            "AuthorizationExpired": Actor.PATIENT,
            "AuthorizationDenied": Actor.PATIENT,
            "AccessRefused": Actor.PATIENT,
            "NotFound": Actor.PATIENT,
            "ClientRejected": Actor.OPERATOR,
            "OrganizationNotEnabled": Actor.OPERATOR,
            "EndpointMisconfigured": Actor.OPERATOR,
            "UnsafeAddress": Actor.OPERATOR,
            "ForeignAddress": Actor.OPERATOR,
            "IdentityRefused": Actor.OPERATOR,
            "RequestRefused": Actor.US,
            "UnexpectedAnswer": Actor.US,
        }

    def test_is_drawn_in_the_tree_of_the_module(self):
        assert all(kind.__name__ in errors.__doc__ for kind in tree())


class TestACode:
    @pytest.mark.parametrize(
        ("written", "code"),
        [
            ("invalid_grant", Code.INVALID_GRANT),
            ("Invalid Grant", Code.INVALID_GRANT),
            (" INVALID-GRANT ", Code.INVALID_GRANT),
            ("access_denied", Code.ACCESS_DENIED),
            ("bad_audience", Code.UNRECOGNIZED),
            ("", Code.UNRECOGNIZED),
            (None, Code.UNRECOGNIZED),
            ({"code": "invalid_grant"}, Code.UNRECOGNIZED),
            (7, Code.UNRECOGNIZED),
        ],
    )
    def test_is_read_from_what_the_far_end_calls_it(self, written, code):
        assert Code.named(written) is code

    @pytest.mark.parametrize("ours", [Code.TIMED_OUT, Code.UNSAFE_ADDRESS, Code.TOO_LARGE])
    def test_of_our_own_observation_cannot_be_claimed_by_the_far_end(self, ours):
        assert Code.named(ours.value) is Code.UNRECOGNIZED
