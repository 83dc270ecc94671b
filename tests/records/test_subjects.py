"""Subjects are the same for every reader."""

from django.utils import translation

from apps.records.subjects import LISTED, MEDICINES


class TestASubject:
    def test_is_found_in_every_language(self):
        kept = {subject: subject.key for subject in LISTED}
        with translation.override("es"):
            assert str(MEDICINES.name) == "Medicamentos"
            assert kept[MEDICINES] == "medicines"
