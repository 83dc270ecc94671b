"""OperationOutcomes in search results, which may say that rows are missing."""

import json
from typing import Any

import pytest

from apps.wire import bundles
from apps.wire.errors import AccessRefused, RequestRefused, Throttled, Unavailable

BASE = "https://provider.example/fhir/r4/"


def failure(*issues: Any) -> object:
    outcome = {"resourceType": "OperationOutcome", "issue": list(issues)}
    page = {"resourceType": "Bundle", "entry": [{"resource": outcome, "search": {"mode": "outcome"}}]}
    found = bundles.read_page(json.dumps(page).encode(), base_url=BASE)
    assert (found.resources, found.unreadable) == ((), 0)
    return found.failure


class TestARemark:
    @pytest.mark.parametrize(
        "issue",
        [
            {"severity": "warning", "code": "processing", "diagnostics": "no results"},
            {"severity": "information", "code": "informational"},
            {"severity": "warning", "code": "suppressed"},
            {"severity": "warning"},
            {"severity": "error", "code": "not-found"},
        ],
    )
    def test_is_no_failure_where_it_only_warns_or_finds_nothing(self, issue):
        assert failure(issue) is None

    @pytest.mark.parametrize(
        ("issue", "kind"),
        [
            ({"severity": "error", "code": "forbidden"}, AccessRefused),
            ({"severity": "fatal", "code": "security"}, AccessRefused),
            ({"severity": "error", "code": "required"}, RequestRefused),
            ({"severity": "error", "code": "processing"}, Unavailable),
            ({"severity": "fatal"}, Unavailable),
            ({"severity": "warning", "code": "incomplete"}, Unavailable),
            ({"code": "timeout"}, Unavailable),
            ({"severity": "warning", "code": "throttled"}, Throttled),
        ],
    )
    def test_is_one_where_rows_may_be_missing(self, issue, kind):
        told = failure({"severity": "warning", "code": "processing"}, issue)
        assert isinstance(told, kind)
        assert told.status == 200  # it was an answer

    @pytest.mark.parametrize("issue", [None, 7, "x", [], {"severity": 7}, {"severity": ["error"], "code": {}}])
    def test_is_passed_over_where_it_is_odd(self, issue):
        assert failure(issue) is None

    @pytest.mark.parametrize("issues", [None, 7, {}, "error"])
    def test_is_passed_over_where_it_has_no_list_of_issues(self, issues):
        body = json.dumps(
            {"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "OperationOutcome", "issue": issues}}]}
        )
        assert bundles.read_page(body.encode(), base_url=BASE).failure is None
