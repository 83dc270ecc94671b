"""A patient can leave out on the consent page exactly the types that the data routes serve about them."""

import pytest

from apps.sandbox.fhir.offered import OFFERED
from apps.sandbox.sign_in.shared_types import SHARED_TYPES

# Without Patient nothing works; the others are read through what refers to them.
NEVER_LEFT_OUT = {"Patient", "Binary", "Provenance", "Medication"}


class TestSharedTypes:
    @pytest.mark.conformance("X23")
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    def test_are_every_type_that_belongs_to_a_patient(self, version):
        belonging = {name for name, offered in OFFERED[version].items() if offered.has_patient}
        assert set(SHARED_TYPES[version]) == belonging - NEVER_LEFT_OUT
