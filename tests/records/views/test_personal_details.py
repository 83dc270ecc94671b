"""Personal details as the provider has them; if something is wrong, patients can have it corrected."""

import re

import pytest
from django.urls import reverse

from tests.records.pages import page
from tests.records.people import R4_PATIENT
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db

URL = "http://hl7.org/fhir/us/core/StructureDefinition"
SENT = {
    **R4_PATIENT,
    "maritalStatus": {"coding": [{"code": "M"}]},
    "contact": [{"name": {"text": "Ida Quill"}, "relationship": [{"coding": [{"code": "N"}, {"code": "WIFE"}]}]}],
    "extension": [
        {"url": f"{URL}/us-core-birthsex", "valueCode": "F"},
        {"url": f"{URL}/us-core-race", "extension": [{"url": "text", "valueString": "Asian <b>"}]},
    ],
}


class TestPersonalDetails:
    def test_say_what_the_provider_has_written_down(self, hers, sam, connection):
        keep(connection, SENT)
        told = re.sub(r"> <", "><", page(hers, "record", connection.pk))
        assert "<dt>Sex at birth</dt><dd>Female</dd>" in told
        assert "<dt>Race</dt><dd>Asian &lt;b&gt;</dd>" in told
        assert "<dt>Marital status</dt><dd>Married</dd>" in told
        assert "<dt>Ida Quill</dt><dd>Next of kin, Wife</dd>" in told
        hers.force_login(sam)
        assert hers.get(reverse("record", args=[connection.pk])).status_code == 404

    def test_say_nothing_of_what_was_not_sent(self, hers, connection):
        keep(connection)
        told = page(hers, "record", connection.pk)
        assert "Personal details" in told
        assert "Race" not in told
        assert "Marital" not in told
