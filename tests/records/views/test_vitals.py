"""Vital signs in lists and on pages: as sent, and in a second unit if the conversion is exact."""

import re

import pytest
from django.urls import reverse

from apps.records.models import Record
from tests.records.pages import main
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db


class TestAVitalSign:
    def weight(self, number, value, unit, *, name="Body weight"):
        sent = result(number, value=value, name=name, code="29463-7")
        return {
            **sent,
            "category": [{"coding": [{"code": "vital-signs"}]}],
            "valueQuantity": {"value": value, "unit": unit},
        }

    def test_is_told_in_a_second_unit_behind_the_one_that_was_sent(self, hers, connection):
        keep(connection, self.weight(1, 72.5, "kg"), result(2))
        assert "72.5 kg (159.8 lb)" in main(hers, "subject", "vitals")
        pk = Record.objects.get(logical_id="o1").pk
        assert "<dd>72.5 kg (159.8 lb)</dd>" in main(hers, "entry", "vitals", pk)

    def test_sent_in_two_units_is_one_test_and_each_value_keeps_its_own(self, hers, connection):
        keep(connection, self.weight(1, 160, "lb"), self.weight(2, 72.5, "kg"))
        text = main(hers, "subject", "vitals")
        assert "160 lb" in text
        assert "2 values" in text
        dated = main(hers, "subject", "vitals", by="date")
        assert dated.index("160 lb") < dated.index("72.5 kg (159.8 lb)")

    @pytest.mark.parametrize("is_newer", [True, False])
    def test_of_several_providers_is_one_row_led_by_the_newest_value(self, hers, sam, connection, other, is_newer):
        first, second = (connection, other) if is_newer else (other, connection)
        keep(first, self.weight(1, 72.5, "kg"), self.weight(5, 71, "kg"), result(2))
        keep(second, *(self.weight(number, kg, "kg", name="A weight") for number, kg in ((3, 70), (4, 70.5))))
        text = main(hers, "subject", "vitals")
        assert text.count('class="row-link"') == 1
        row, under = text.split('<div class="under">')
        assert "72.5 kg" in row
        assert "2 values" in row
        assert "70 kg" in under
        assert "2 values" in under
        assert "2 providers list this" in row
        hers.force_login(sam)
        assert "kg" not in main(hers, "subject", "vitals")

    def test_that_nothing_names_is_not_another(self, hers, connection):
        keep(connection, *({**self.weight(number, 70 + number, "kg"), "code": {}} for number in (1, 2)))
        text = main(hers, "subject", "vitals")
        assert text.count('class="row-link"') == 2
        assert "71 kg" in text
        assert "72 kg" in text

    def test_that_is_old_has_its_age_beside_it(self, hers, connection):
        old = {**self.weight(1, 72.5, "kg"), "effectiveDateTime": "2001-03-04"}
        keep(connection, old, result(2))
        assert re.search(r"March 4, 2001.{0,40}\(2[0-9] years ago\)", main(hers, "subject", "vitals"))
        assert "years ago" not in main(hers, "subject", "vitals", by="date")  # which stands under its year

    def test_is_told_to_no_stranger(self, client, sam, connection):
        keep(connection, self.weight(1, 72.5, "kg"))
        client.force_login(sam)
        assert "72.5" not in main(client, "subject", "vitals")


class TestADeviceOfTheRecord:
    def test_is_what_a_value_was_measured_with(self, hers, sam, connection):
        cuff = {"resourceType": "Device", "id": "d1", "type": {"text": "Arm cuff"}}
        keep(connection, cuff, {**result(0), "device": {"reference": "Device/d1"}})
        record = Record.objects.get(logical_id="o0").pk
        assert re.search("<dt>Measured with</dt> <dd> ?Arm cuff", main(hers, "entry", "results", record))
        hers.force_login(sam)
        assert hers.get(reverse("entry", args=["results", record])).status_code == 404

    def test_names_its_use(self, hers, connection):
        use = {"resourceType": "DeviceUseStatement", "id": "u1", "status": "active"}
        keep(
            connection,
            {"resourceType": "Device", "id": "d1", "deviceName": [{"name": "Pump 7", "type": "model-name"}]},
            {**use, "device": {"reference": "Device/d1"}},
        )
        assert main(hers, "subject", "devices").count("Pump 7") == 2
