"""Records with equal ids at two organizations, and tokens obtained by real sign-ins."""

import pytest

from apps.sandbox import clock
from apps.sandbox.fhir import store
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.models import StoredFile
from tests.sandbox.smart.literal import RIVERSIDE, WILLOW, token_address

R4 = f"/b/myrecord/r4/{WILLOW}"
NOOR = {"step": "sign-in", "username": "noor", "password": "clinic-1"}


def patient(logical_id, family):
    return {"resourceType": "Patient", "id": logical_id, "name": [{"family": family}], "birthDate": "1815-12-10"}


def observation(logical_id, patient_id, value):
    return {
        "resourceType": "Observation",
        "id": logical_id,
        "subject": {"reference": f"Patient/{patient_id}"},
        "category": [{"coding": [{"code": "laboratory"}]}],
        "valueQuantity": {"value": value},
    }


def document(logical_id, patient_id):
    return {
        "resourceType": "DocumentReference",
        "id": logical_id,
        "subject": {"reference": f"Patient/{patient_id}"},
        "content": [{"attachment": {"url": f"{{data-base}}/document/pdf-{patient_id}"}}],
    }


def provenance(logical_id, target):
    return {"resourceType": "Provenance", "id": logical_id, "target": [{"reference": target}]}


AT_WILLOW = {
    "r-ada": [patient("r-ada", "Byron"), observation("o-1", "r-ada", 13.2), document("d-1", "r-ada")],
    "r-grace": [patient("r-grace", "Hopper"), observation("o-2", "r-grace", 4.1)],
    "": [{"resourceType": "Organization", "id": "home", "name": "Willow Creek"}],
}
AT_RIVERSIDE = {
    "r-ada": [patient("r-ada", "Riverside"), observation("o-1", "r-ada", 99.9), provenance("v-1", "Observation/o-1")],
    "r-son": [patient("r-son", "Byron")],
    "": [{"resourceType": "Organization", "id": "home", "name": "Riverside"}],
}
AT_WILLOW_IN_DSTU2 = {"d-ada": [{**patient("d-ada", "Byron"), "name": [{"family": ["Byron"]}]}]}


@pytest.fixture
def records(two_tenants):
    for realm, by_patient in (
        (Realm("r4", WILLOW), AT_WILLOW),
        (Realm("r4", RIVERSIDE), AT_RIVERSIDE),
        (Realm("dstu2", WILLOW), AT_WILLOW_IN_DSTU2),
    ):
        for patient_id, bodies in by_patient.items():
            store.keep([store.row(realm, patient_id, body, at=clock.now()) for body in bodies])
            if patient_id:
                file = StoredFile(
                    **realm._asdict(),
                    patient_id=patient_id,
                    name=f"pdf-{patient_id}",
                    content_type="application/pdf",
                    content=b"%PDF of " + realm.tenant.encode(),
                )
                store.keep_files([file])


@pytest.fixture
def token(records, exchange):
    """An access token of Ada's, allowed on the pages and traded for a code: `token("patient/Patient.read", …)`."""

    def token(scope="launch/patient patient/Patient.read patient/Observation.read", tenant=WILLOW, **asked):
        host = asked.pop("host", "myrecord")
        version = asked.pop("version", "r4")
        aud = f"http://testserver/b/{host}/{version}/{tenant}/"
        answer = exchange(address=token_address(tenant, host), tenant=tenant, scope=scope, aud=aud, **asked)
        assert answer.status_code == 200, answer.content
        return answer.json()["access_token"]

    return token


@pytest.fixture
def ward_token(records, smart, noor, allow, post_token):
    """An access token of Noor, a clinician."""

    def ward_token(scope):
        smart("ward", persona="provider")
        aud = f"http://testserver/b/ehr/r4/{WILLOW}/"
        back = allow(sign_in=NOOR, client_id="ward", persona="provider", scope=scope, aud=aud)
        body = {"grant_type": "authorization_code", "code": back["code"], "client_id": "ward"}
        body["redirect_uri"] = "https://app.example/back/7Q"
        answer = post_token(body, token_address(host="ehr"))
        assert answer.status_code == 200, answer.content
        return answer.json()["access_token"]

    return ward_token
