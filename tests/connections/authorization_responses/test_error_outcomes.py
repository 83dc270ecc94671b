"""Every cause of a failure has an outcome, and every outcome has words."""

from collections.abc import Iterator

import pytest

from apps.connections.authorization_responses import error_outcomes
from apps.connections.outcomes import Outcome
from apps.connections.presenting import attempts, wording
from apps.connections.presenting.wording import NextStep
from apps.wire import errors
from apps.wire.errors import Code, WireError

# Interface facts 5.1 and 5.2, copied by hand.
AT_THE_AUTHORIZATION_ENDPOINT = {
    "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
    "server_error", "temporarily_unavailable", "login_required", "consent_required", "interaction_required",
    "account_selection_required",
}  # fmt: skip
AT_THE_TOKEN_ENDPOINT = {
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "invalid_scope", "invalid_target", "temporarily_unavailable",
}  # fmt: skip


def kinds(of: type[WireError] = WireError) -> Iterator[type[WireError]]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


class TestEveryCause:
    @pytest.mark.conformance("C48")
    def test_of_an_authorization_answer_has_an_outcome(self):
        assert {code.value for code in error_outcomes.AUTHORIZATION_ANSWERS} >= AT_THE_AUTHORIZATION_ENDPOINT

    @pytest.mark.conformance("C48")
    def test_of_a_token_answer_has_an_outcome(self):
        assert {code.value for code in error_outcomes.TOKEN_ANSWERS} >= AT_THE_TOKEN_ENDPOINT

    @pytest.mark.parametrize("kind", sorted(set(kinds()), key=str))
    def test_of_any_kind_and_code_has_an_outcome_in_words(self, kind):
        for code in Code:
            error = kind(code=code)
            for outcome in (error_outcomes.of_exchange(error), error_outcomes.of_finding(error)):
                assert outcome in wording.OUTCOMES

    def test_that_is_unavailable_is_never_told_as_ours_or_the_patients(self):
        for code in (Code.TIMED_OUT, Code.UNREACHABLE, Code.UNRECOGNIZED):
            assert error_outcomes.of_exchange(errors.Unavailable(code=code)) is Outcome.PROVIDER_DOWN


class TestEveryOutcome:
    @pytest.mark.parametrize("outcome", list(Outcome))
    def test_has_words_of_the_right_length(self, outcome):
        words = wording.OUTCOMES[outcome]
        assert 0 < len(str(words.title).format(provider="")) <= 50
        assert not str(words.title).endswith(".")
        assert str(words.text).endswith(":" if words.may_ask else ".")

    @pytest.mark.parametrize("outcome", [one for one in Outcome if wording.OUTCOMES[one].is_stop])
    def test_that_stops_somebody_says_what_became_of_the_record_or_the_way_on(self, outcome):
        assert wording.OUTCOMES[outcome].steps

    @pytest.mark.parametrize("outcome", [Outcome.FORGED, Outcome.OTHER_BROWSER, Outcome.OTHER_ACCOUNT])
    def test_without_a_request_names_nobody_and_leads_somewhere(self, outcome):
        page = attempts.page_without_request(outcome)
        assert "{" not in page.title + page.text
        assert page.steps

    def test_of_a_provider_that_refuses_leads_to_what_to_ask_it(self, client):
        step = attempts.page_without_request(Outcome.DENIED_BY_PROVIDER).steps[-1]
        page, _, place = step.url.partition("#")
        assert step.label == "What to ask them"
        assert f'id="{place}">My provider does not let this app in<' in client.get(page).content.decode()

    def test_leads_only_where_there_is_a_way(self):
        used = {step for words in wording.OUTCOMES.values() for step, _label in words.steps}
        assert used <= set(NextStep)


class TestARenewalThatFailed:
    @pytest.mark.parametrize(
        "outcome", [Outcome.CANCELLED, Outcome.NO_PERSON, Outcome.NOTHING_SHARED, Outcome.IDENTITY_REFUSED]
    )
    def test_is_told_not_to_have_ended_the_connection(self, outcome):
        words = wording.REAUTHORIZATIONS[outcome]
        assert 0 < len(str(words.title).format(provider="")) <= 50
        assert "The connection stays as it was, and so does your record." in str(words.text)
        assert NextStep.CONNECTION in dict(words.steps)
