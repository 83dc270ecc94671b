"""Whatever a hostile or careless provider wrote into a record is shown as text, or not at all, in a real browser. No
script of it runs, no request is sent, and no page breaks.

Every string tries to leave a mark: a variable, the title of the page, a request to a server that listens.
"""

import json
import re
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from apps.connections.models import Connection
from apps.records import shelving
from apps.records.models import Record
from apps.records.subjects import LISTED
from apps.records.syncing.received_rows import storing
from apps.vault import sealing
from apps.vault.sealing import Holder
from apps.wire.fhir import Resource
from tests.records.linked import AT, make_connection
from tests.records.people import PATIENT_ID
from tests.wire.servers import Server, http, serving

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# What may not be on any page of a record, whoever wrote it.
LOOK = """() => {
  const all = [...document.querySelectorAll('*')];
  const leads = /^\\s*(javascript|data|vbscript|file|blob):/i;
  return {
    ran: window.hostile === true || document.title.includes('hostile'),
    handlers: all.filter(one => [...one.attributes].some(given => /^on/i.test(given.name))).length,
    styled: all.filter(one => one.hasAttribute('style') || one.tagName === 'STYLE').length,
    foreign: document.querySelectorAll('iframe, object, embed, base, meta[http-equiv], math, template').length,
    scripts: [...document.scripts].filter(one => !one.src.startsWith(location.origin + '/static/')).length,
    leads: all.filter(one => ['href', 'src', 'action', 'formaction', 'xlink:href']
      .some(name => leads.test(one.getAttribute(name) || ''))).length,
    elsewhere: all.filter(one => /^https?:/.test(one.getAttribute('href') || one.getAttribute('src') || '')).length,
    turned: /[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText),
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth > 0,
  };
}"""
NOTHING = dict.fromkeys(("ran", "turned", "sideways"), False) | dict.fromkeys(
    ("handlers", "styled", "foreign", "scripts", "leads", "elsewhere"), 0
)


@pytest.fixture
def listener() -> Iterator[Server]:
    """A server that hostile markup tries to reach."""
    with serving(http(body=b"window.hostile = true", content_type="text/javascript")) as server:
        yield server


@pytest.fixture
def connection(alice: Any) -> Connection:
    """Alice's link to the hostile provider."""
    return make_connection(alice)


@pytest.fixture
def visitor(live_server: LiveServer, alice: Any, new_page: Callable[..., Page]) -> Page:
    """Alice's browser, a phone's width, signed in; a dialog fails the test."""
    client = Client()
    client.force_login(alice, backend="allauth.account.auth_backends.AuthenticationBackend")
    page = new_page(width=360)
    cookie = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    return page


def nasty(url: str) -> str:
    """Text that is markup wherever somebody forgets to escape it: in text, attributes, scripts and styles."""
    act = f"window.hostile=true;document.title='hostile';fetch('{url}/hostile')"
    return (
        f"'\"><script>{act}</script><script src={url}/hostile.js></script><img src={url}/hostile.png onerror={act}>"
        f"<svg onload={act}><style>*{{background:url({url}/hostile.css)}}</style></svg><iframe src=javascript:{act}>"
        f"</iframe>\u202etxt.exe\u2066 {{{{ request }}}} </title></textarea></script> javascript:{act}"
    )


def narrative(url: str) -> dict[str, str]:
    """A narrative as FHIR forbids it."""
    return {
        "status": "generated",
        "div": f'<div xmlns="http://www.w3.org/1999/xhtml">{nasty(url)}<a href="javascript:window.hostile=true">Read on'
        f'</a><form action="{url}"><button formaction="javascript:hostile=1">Go</button></form></div>',
    }


def files(url: str) -> list[dict[str, str]]:
    """Files of each kind that a browser would run, and some that say they are another."""
    markup = f"<html><body><h1>Letter</h1>{nasty(url)}</body></html>"
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg"><script>{nasty(url)}</script><text>Drawn</text></svg>'
    rich = '{\\rtf1 Hello {\\object\\objdata 0105}{\\field{\\*\\fldinst HYPERLINK "javascript:hostile"}} there}'
    clinical = (
        '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="' + url + '/hostile.xsl"?>'
        f'<!DOCTYPE x [<!ENTITY e SYSTEM "{url}/hostile.dtd">]><ClinicalDocument xmlns="urn:hl7-org:v3"><title>'
        "Visit &e;</title><component><structuredBody><component><section><text><paragraph onclick='hostile=1'>Words"
        "</paragraph></text></section></component></structuredBody></component></ClinicalDocument>"
    )
    kinds = [
        ("text/html", markup),
        ("application/xhtml+xml", markup),
        ("image/svg+xml", drawing),
        ("image/png", drawing),
        ("application/rtf", rich),
        ("application/xml", clinical),
        ("text/xml", clinical),
        ("text/plain", markup),
        ("text/javascript", nasty(url)),
        ("application/pdf", markup),
        ("", markup),
        (nasty(url)[:200], markup),
    ]
    return [
        {"contentType": kind, "title": nasty(url), "data": b64encode(content.encode()).decode()}
        for kind, content in kinds
    ]


def record(url: str) -> list[dict[str, Any]]:
    """One resource of each subject, every text of it hostile."""
    bad = nasty(url)
    concept = {"text": bad, "coding": [{"system": bad, "code": bad, "display": bad}]}
    person, day = {"display": bad, "reference": f"javascript:fetch('{url}')"}, "2024-03-09"
    amount = {"value": 5.1, "unit": bad}
    common = {"text": narrative(url), "note": [{"text": bad}], "subject": {"reference": f"Patient/{PATIENT_ID}"}}
    result = {
        "status": "final",
        "code": concept,
        "effectiveDateTime": day,
        "valueQuantity": amount,
        "interpretation": [concept],
        "referenceRange": [{"text": bad, "low": {"value": 1, "unit": bad}}],
    }
    told: dict[str, dict[str, Any]] = {
        "AllergyIntolerance": {"code": concept, "reaction": [{"manifestation": [concept], "description": bad}]},
        "Appointment": {"description": bad, "start": day},
        "CarePlan": {"title": bad, "description": bad, "activity": [{"detail": {"description": bad}}]},
        "CareTeam": {"name": bad, "participant": [{"member": person, "role": [concept]}]},
        "Condition": {"code": concept, "recordedDate": day, "asserter": person},
        "Coverage": {"type": concept, "payor": [person], "subscriberId": bad, "class": [{"name": bad, "value": bad}]},
        "Device": {"type": concept, "deviceName": [{"name": bad}], "udiCarrier": [{"carrierHRF": bad}]},
        "DiagnosticReport": {"status": "final", "code": concept, "conclusion": bad, "effectiveDateTime": day},
        "DocumentReference": {
            "status": "current",
            "type": concept,
            "description": bad,
            "content": [{"attachment": one} for one in files(url)],
        },
        "Encounter": {
            "status": "finished",
            "type": [concept],
            "location": [{"location": person}],
            "period": {"start": day},
        },
        "FamilyMemberHistory": {"status": "completed", "relationship": concept, "condition": [{"code": concept}]},
        "Goal": {"description": concept, "target": [{"detailString": bad}]},
        "Immunization": {"vaccineCode": concept, "occurrenceDateTime": day, "lotNumber": bad},
        "MedicationRequest": {"medicationCodeableConcept": concept, "dosageInstruction": [{"text": bad}]},
        "Procedure": {"status": "completed", "code": concept, "performedDateTime": day},
        "QuestionnaireResponse": {"item": [{"text": bad, "answer": [{"valueString": bad}]}]},
    }
    made = [{"resourceType": kind, "id": kind.lower(), **common, **told[kind]} for kind in told]
    made += [
        {
            "resourceType": "Observation",
            "id": f"o{number}",
            **common,
            **result,
            "effectiveDateTime": f"202{number}-03-09",
            "category": [{"coding": [{"code": category}]}],
        }
        for number, category in enumerate(("laboratory", "laboratory", "vital-signs", "social-history"))
    ]
    huge = {"text": f"{'W' * 300_000}{bad}"}
    made.append({"resourceType": "Condition", "id": "huge", **common, "code": huge})
    name = [{"text": bad, "family": bad, "given": [bad]}]
    made.append({"resourceType": "Patient", "id": PATIENT_ID, "text": narrative(url), "name": name, "gender": bad})
    return made


def keep(connection: Connection, resources: list[dict[str, Any]]) -> None:
    """As a sync would."""
    rows = [Resource(one["resourceType"], one["id"], json.dumps(one).encode()) for one in resources]
    with sealing.key_ring(Holder.user(connection.user_id)) as ring:
        storing.keep(connection, rows, run_id=uuid.uuid4(), ring=ring, at=AT)
    shelving.rebuild_all(connection, at=AT)


def addresses(connection: Connection) -> list[str]:
    """Every page that shows something of the record."""
    found = [reverse("whole_record"), reverse("everything_by_date"), reverse("search_record")]
    found += [reverse("record", args=[connection.pk]), "/download/"]
    found += [reverse("subject", args=[subject.key]) for subject in LISTED]
    return found


class TestAHostileRecord:
    def test_is_shown_as_text_and_does_nothing(
        self, live_server: LiveServer, visitor: Page, connection: Connection, listener: Server
    ) -> None:
        keep(connection, record(listener.url()))
        entries: list[str] = []
        for address in addresses(connection):
            self.look(visitor, live_server.url + address)
            links = visitor.get_by_role("main").locator('a[href^="/record/"]').all()
            entries += [link.get_attribute("href") or "" for link in links]
        self.search(visitor, live_server.url)
        pages = sorted({path for path in entries if re.fullmatch(r"/record/[a-z-]+/\d+/", path)})
        assert len(pages) > len(record("")) / 2
        for path in pages:
            self.look(visitor, live_server.url + path)
            self.look(visitor, f"{live_server.url}{path}as-sent/")
        assert "<script>" in visitor.get_by_role("main").inner_text(), "it is there to be read"
        assert listener.requests == []

    def test_has_files_that_do_nothing(
        self, live_server: LiveServer, visitor: Page, connection: Connection, listener: Server
    ) -> None:
        keep(connection, record(listener.url()))
        document = Record.objects.get(resource_type="DocumentReference")
        for number in range(len(files(""))):
            self.look(visitor, live_server.url + reverse("file", args=[document.pk, number]))
            saved = visitor.request.get(live_server.url + reverse("save_file", args=[document.pk, number]))
            assert saved.headers["content-disposition"].startswith("attachment")
            assert saved.headers["content-security-policy"] == "sandbox; default-src 'none'"
            assert saved.headers["x-content-type-options"] == "nosniff"
            assert not re.match(r"text/html|image/svg|application/xhtml|text/javascript", saved.headers["content-type"])
        assert listener.requests == []

    def search(self, page: Page, site: str) -> None:
        """For a word of the scripts."""
        page.goto(site + reverse("search_record"))
        page.get_by_role("main").get_by_role("searchbox").fill("script")
        page.get_by_role("main").get_by_role("button", name="Search").click()
        page.wait_for_load_state("load")
        assert page.evaluate(LOOK) == NOTHING

    def look(self, page: Page, url: str) -> None:
        """Open a page, press what a person might press, and see that nothing came of it."""
        answer = page.goto(url)
        assert answer is not None
        assert answer.status == 200, url
        page.wait_for_load_state("load")
        assert page.evaluate(LOOK) == NOTHING, url


class TestTheLook:
    @pytest.mark.parametrize(
        ("seen", "markup"),
        [
            ("ran", "<script>window.hostile = true</script>"),
            ("handlers", "<p onclick='go()'>x</p>"),
            ("styled", "<p style='color: red'>x</p>"),
            ("foreign", "<iframe></iframe>"),
            ("scripts", "<script></script>"),
            ("leads", "<a href=' JavaScript:go()'>x</a>"),
            ("elsewhere", "<a href='http://127.0.0.1:1/'>x</a>"),
            ("turned", "<p>\u202etxt.exe</p>"),
            ("sideways", "<pre>" + "W" * 1000 + "</pre>"),
        ],
    )
    def test_sees_what_a_careless_page_would_have(self, page: Page, seen: str, markup: str) -> None:
        page.set_content(f"<title>x</title>{markup}")
        found = page.evaluate(LOOK)
        assert found[seen] != NOTHING[seen]
