"""What a page says about an entry that the entry itself does not say."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.utils import translation

from apps.records import presenting
from apps.records.presenters.entry import Context, Entry
from apps.records.viewing import current_status, facts
from apps.records.viewing.wording import remarks

AT = datetime(2026, 9, 1, tzinfo=UTC)
BORN = date(1980, 1, 1)


def said_of(resource_type: str, **sent: Any) -> tuple[str, ...]:
    body = json.dumps({"resourceType": resource_type, "id": "x1", **sent}).encode()
    entry: Entry = presenting.present(body, resource_type=resource_type, logical_id="x1", context=Context())[1]
    return remarks.of(entry, provider="Harbor", born=BORN, at=AT)


class TestAConditionThatIsMarkedCurrent:
    @pytest.mark.parametrize(
        ("ended", "language", "sentence"),
        [
            ({"abatementDateTime": "2015-03-04"}, "en", "Marked current, with an end date of March 4, 2015."),
            ({"abatementDateTime": "2015-03-04"}, "es", "Marcado como actual, con fecha de fin: 4 de marzo de 2015."),
            ({"abatementBoolean": True}, "en", "Marked current, and as ended."),
            ({"abatementString": "last spring"}, "en", "Marked current, and as ended."),
            ({"abatementAge": {"value": 32, "unit": "a"}}, "en", "Marked current, and as ended."),
        ],
    )
    def test_and_has_ended_says_both(self, ended, language, sentence):
        with translation.override(language):
            assert sentence in said_of("Condition", code={"text": "Asthma"}, clinicalStatus="active", **ended)

    def test_and_is_expected_to_end_is_not_called_over(self):
        sent = {"resourceType": "Condition", "id": "x1", "code": {"text": "Sprain"}, "clinicalStatus": "active"}
        body = json.dumps({**sent, "abatementDateTime": "2026-10-01"}).encode()
        context = Context(today=AT.date())
        entry = presenting.present(body, resource_type="Condition", logical_id="x1", context=context)[1]
        told = {fact.label: fact.lines for fact in facts.of(entry, provider="Harbor")}
        assert told["Status"] == ("Current",)
        assert told["Expected to end"] == ("October 1, 2026",)
        assert "Ended" not in told
        assert remarks.of(entry, provider="Harbor", born=BORN, at=AT) == ()
        later = current_status.of(entry, AT + timedelta(days=40))
        (said,) = remarks.of(later, provider="Harbor", born=BORN, at=AT + timedelta(days=40))
        assert said == "Marked current, with an end date of October 1, 2026."

    def test_and_has_no_end_needs_no_word(self):
        assert said_of("Condition", code={"text": "Asthma"}, clinicalStatus="active") == ()
