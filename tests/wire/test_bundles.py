"""Resources are taken out of answers byte for byte."""

import json
from typing import Any

import pytest

from apps.wire import bundles, repairing_json
from apps.wire.errors import AccessRefused, Code, Throttled, Unavailable, UnexpectedAnswer
from tests.wire.pages import BASE, goal, page


class TestABody:
    @pytest.mark.parametrize(
        "body",
        [
            '{"resourceType":"Observation","id":"1","valueQuantity":{"value":13.20}}',
            '{ "id" : "1",\n  "resourceType" : "Observation", "x": 1E+2, "y": -0.0, "z": 0.10000000000000000001 }',
            '{"resourceType":"Observation","id":"1","note":"\\u00e9\\/\\ud83d\\ude00 \u00e9","dup":1,"dup":2}',
            '{"resourceType":"Observation","id":"1","big":123456789012345678901234567890}',
            '{"resourceType":"Observation","id":"1","odd":"\\u0000"}',
        ],
    )
    def test_is_kept_as_it_came(self, body):
        whole = f'{{"resourceType": "Bundle", "entry": [ {{"fullUrl": "x", "resource":  {body} , "search":{{}}}}]}}'
        (resource,) = bundles.read_page(whole.encode(), base_url=BASE).resources
        assert resource.body == body.encode()
        assert (resource.resource_type, resource.logical_id) == ("Observation", "1")
        assert bundles.read_resource(body.encode(), resource_type="Observation").body == body.encode()

    @pytest.mark.parametrize(
        ("received", "kept"),
        [
            (r"cut \ud83d", r"cut \ufffd"),
            (r"\uDE00 first", r"\ufffd first"),
            (r"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00"),
            (r"\ud83dx\ude00", r"\ufffdx\ufffd"),
            (r"\\ud83d", r"\\ud83d"),
            (r"\\\ud83d", r"\\\ufffd"),
            (r"\ud83d\ude00", r"\ud83d\ude00"),
        ],
    )
    def test_is_mended_where_half_a_character_would_cost_the_page(self, received, kept):
        def goal_with(text):
            return f'{{"resourceType":"Goal","id":"1","note":"{text}","n":1.50}}'

        whole = f'{{"resourceType":"Bundle","entry":[{{"resource":{goal_with(received)}}}]}}'
        (resource,) = bundles.read_page(whole.encode(), base_url=BASE).resources
        assert resource.body.decode() == goal_with(kept)
        assert bundles.read_resource(goal_with(received).encode(), resource_type="Goal").body == resource.body
        json.loads(resource.body)["note"].encode()


class TestAPage:
    def test_holds_its_rows_in_order(self):
        found = page([goal("2"), goal("1"), {"resource": {"resourceType": "Provenance", "id": "p"}}])
        assert [(row.resource_type, row.logical_id) for row in found.resources] == [
            ("Goal", "2"),
            ("Goal", "1"),
            ("Provenance", "p"),
        ]
        assert (found.next_url, found.total, found.unreadable) == (None, None, 0)

    @pytest.mark.parametrize(
        "body", ['{"resourceType":"Bundle"}', '{"resourceType":"Bundle","entry":null,"link":null}']
    )
    def test_may_be_empty(self, body):
        assert bundles.read_page(body.encode(), base_url=BASE).resources == ()

    def test_tells_remarks_from_rows(self):
        outcome = {"resourceType": "OperationOutcome", "issue": [{"severity": "warning"}]}
        found = page([goal("1"), {"resource": outcome}, {"resource": {"issue": []}, "search": {"mode": "outcome"}}])
        assert ([row.logical_id for row in found.resources], found.unreadable) == (["1"], 0)

    def test_takes_rows_whatever_their_search_element(self):
        modes: list[dict[str, Any]] = [
            {},
            {"search": {"mode": "match"}},
            {"search": {"mode": "include"}},
            {"search": 7},
            {"search": None},
        ]
        found = page([goal(str(n)) | mode for n, mode in enumerate(modes)])
        assert len(found.resources) == len(modes)

    @pytest.mark.parametrize(
        "odd",
        [
            *(None, 7, "x", [], {}, {"resource": None}, {"resource": []}, {"resource": "x"}),
            *({"resource": {"resourceType": "Goal"}}, {"resource": {"id": "1"}}, {"fullUrl": "urn:x"}),
            *(
                {"resource": {"resourceType": "Goal", "id": bad}}
                for bad in (7.5, True, "", None, "a/b", "a b", "..", "x" * 257)
            ),
            *({"resource": {"resourceType": bad, "id": "1"}} for bad in (7, "", None, "goal", "Go al", "../Goal")),
        ],
    )
    def test_counts_an_odd_row_and_keeps_the_others(self, odd):
        found = page([goal("1"), odd, goal("2")])
        assert ([row.logical_id for row in found.resources], found.unreadable) == (["1", "2"], 1)

    def test_knows_a_row_whose_id_is_a_number(self):
        found = page([{"resource": {"resourceType": "Goal", "id": 7}}])
        assert ([row.logical_id for row in found.resources], found.unreadable) == (["7"], 0)

    @pytest.mark.parametrize(
        ("full_url", "known"),
        [
            (f"{BASE}Goal/g7", ["g7"]),
            (f"{BASE}goal/g7", ["g7"]),
            ("Goal/g7", ["g7"]),
            *((odd, []) for odd in (f"{BASE}Device/g7", f"{BASE}Goal/g7?x=1", f"{BASE}Goal/", "urn:uuid:7", "g7", 7)),
        ],
    )
    def test_knows_a_row_without_an_id_by_its_address(self, full_url, known):
        found = page([{"fullUrl": full_url, "resource": {"resourceType": "Goal"}}])
        assert [row.logical_id for row in found.resources] == known
        assert found.unreadable == 1 - len(known)

    def test_mends_what_is_not_utf_8_in_a_row_and_keeps_it(self):
        rows = b",".join(
            b'{"resource":{"resourceType":"Goal","id":"%d","note":"%s"}}' % (number, text)
            for number, text in enumerate((b"caf\xe9", b"caf\xc3\xa9", b"\xe2\x82", b"\xff\xfe"))
        )
        found = bundles.read_page(b'{"resourceType":"Bundle","entry":[' + rows + b"]}", base_url=BASE)
        notes = [json.loads(row.body)["note"] for row in found.resources]
        assert (notes, found.unreadable) == (["caf\ufffd", "caf\u00e9", "\ufffd", "\ufffd\ufffd"], 0)

    def test_counts_a_row_whose_id_is_not_utf_8(self):
        row = b'{"resource":{"resourceType":"Goal","id":"caf\xe9"}}'
        found = bundles.read_page(b'{"resourceType":"Bundle","entry":[' + row + b"]}", base_url=BASE)
        assert (found.resources, found.unreadable) == ((), 1)

    @pytest.mark.parametrize("depth", [600, 2000, 100_000])
    @pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"a":', "}"), ('[{"\\"}]":', "}]")])
    def test_counts_a_row_that_is_nested_too_deep_and_keeps_the_others(self, depth, opens, closes):
        deep = f'{{"resource":{{"resourceType":"Goal","id":"deep","x":{opens * depth}1{closes * depth}}}}}'
        others = [json.dumps(goal(logical_id)) for logical_id in ("1", 'x", "}]{[', "2")]
        entries = ",".join([others[0], deep, others[1], deep, others[2]])
        whole = f'{{"entry":[{entries}],"total":5,"link":[{{"relation":"next","url":"n"}}],"resourceType":"Bundle"}}'
        found = bundles.read_page(whole.encode(), base_url=BASE)
        came = [row.logical_id for row in found.resources if row.logical_id != "deep"]  # where a decoder reads it
        assert (came, found.total, found.next_url) == (["1", "2"], 5, f"{BASE}n")
        assert found.unreadable + len(found.resources) == 5

    @pytest.mark.parametrize("odd", ["NaN", "-Infinity", "01", "1.", "tru", "'x'", '"\\x"', "[1,]", '{"a" 1}'])
    def test_counts_a_row_that_is_no_json_and_keeps_the_others(self, odd):
        row = f'{{"resource":{{"resourceType":"Goal","id":"odd","valueQuantity":{{"value":{odd}}}}}}}'
        entries = ",".join([json.dumps(goal("1")), row, json.dumps(goal("2"))])
        whole = f'{{"resourceType":"Bundle","total":3,"link":[{{"relation":"next","url":"n"}}],"entry":[{entries}]}}'
        found = bundles.read_page(whole.encode(), base_url=BASE)
        assert ([row.logical_id for row in found.resources], found.unreadable) == (["1", "2"], 1)
        assert (found.total, found.next_url) == (3, f"{BASE}n")

    @pytest.mark.parametrize("character", ["\n", "\r\n", "\t", "\x00", "\x1b"])
    def test_escapes_what_a_text_should_not_hold_and_keeps_the_row(self, character):
        row = f'{{\n"resource": {{\r\n"resourceType":"Goal","id":"1","note":"a \\"b{character}c","n":1.50}}}}'
        whole = f'{{"resourceType":"Bundle","entry":[{row},{json.dumps(goal("2"))}]}}'
        found = bundles.read_page(whole.encode(), base_url=BASE)
        assert ([row.logical_id for row in found.resources], found.unreadable) == (["1", "2"], 0)
        assert json.loads(found.resources[0].body)["note"] == f'a "b{character}c'
        assert found.resources[0].body.endswith(b'"n":1.50}')

    @pytest.mark.parametrize(
        "whole",
        [
            '{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Goal","id":"1","n":NaN}}',
            '{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Goal","id":"1","n":NaN}},',
            '{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Goal","id":"1"}}],"total":NaN}',
            '{"resourceType":"Bundle","link":[{"relation":"next","url":"n","x":NaN}],"entry":[]}',
            '{"resourceType":"Bundle","link":[{"relation":"next","url":"a\nb"}],"entry":[]}',
        ],
    )
    def test_is_refused_where_it_is_broken_outside_its_rows(self, whole):
        """A link that is lost would end the record early, and nobody would know."""
        with pytest.raises(UnexpectedAnswer) as refusal:
            bundles.read_page(whole.encode(), base_url=BASE)
        assert refusal.value.code is Code.UNREADABLE

    @pytest.mark.parametrize("limit", ["_MOST_TOKENS", "_MOST_ODD_ROWS"])
    def test_is_refused_where_it_is_odd_all_over(self, limit, monkeypatch):
        odd = '{"resource":{"resourceType":"Goal","id":"1","n":NaN}}'
        whole = f'{{"resourceType":"Bundle","entry":[{",".join([odd] * 30)}]}}'.encode()
        assert bundles.read_page(whole, base_url=BASE).unreadable == 30
        monkeypatch.setattr(repairing_json, limit, 29)
        with pytest.raises(UnexpectedAnswer):
            bundles.read_page(whole, base_url=BASE)

    @pytest.mark.parametrize("kind", ["searchset", "history"])
    def test_is_too_large_with_more_entries_than_fit_on_any(self, kind, monkeypatch):
        monkeypatch.setattr(bundles, "_MOST_ENTRIES", 3)
        assert page([goal("1"), 7, 7], type=kind).unreadable == 2
        with pytest.raises(UnexpectedAnswer) as refused:
            page([goal("1"), 7, 7, 7], type=kind)
        assert refused.value.code is Code.TOO_LARGE

    def test_counts_a_row_that_mending_makes_longer_than_anything_that_is_kept(self):
        long = b'{"resource":{"resourceType":"Goal","id":"long","note":"' + b"\xe9" * 7_000_000 + b'"}}'
        whole = b'{"resourceType":"Bundle","entry":[' + long + b"," + json.dumps(goal("1")).encode() + b"]}"
        found = bundles.read_page(whole, base_url=BASE)
        assert ([row.logical_id for row in found.resources], found.unreadable) == (["1"], 1)

    @pytest.mark.parametrize("total", [None, "", "many", "-3", -1, 2.5, [], {}, True, 10**30])
    def test_has_no_total_where_it_is_no_count(self, total):
        assert page([goal("1")], total=total).total is None

    @pytest.mark.parametrize("total", [0, 109])
    def test_repeats_the_total_the_server_claims(self, total):
        assert page([goal("1")], total=total).total == total
        assert page([goal("1")], total=str(total)).total == total

    @pytest.mark.parametrize(
        ("written", "absolute"),
        [
            ("https://provider.example/fhir/R4/Goal?page=2", "https://provider.example/fhir/R4/Goal?page=2"),
            ("Goal?page=2", "https://provider.example/fhir/r4/Goal?page=2"),
            ("/fhir/r4/Goal?page=2", "https://provider.example/fhir/r4/Goal?page=2"),
            ("?page=2", "https://provider.example/fhir/r4/?page=2"),
            ("//evil.example/", "https://evil.example/"),
        ],
    )
    def test_names_the_next_one_wherever_it_stands_among_the_links(self, written, absolute):
        links = [{"relation": "next", "url": written}, {"relation": "self", "url": "x"}]
        assert page(link=links).next_url == page(link=links[::-1]).next_url == absolute

    @pytest.mark.parametrize("link", [7, {}, [7, None, "x"], [{"relation": 7}], [{"relation": "self", "url": 7}], [{}]])
    def test_passes_over_odd_links(self, link):
        assert page(link=link).next_url is None

    @pytest.mark.parametrize(
        "link",
        [
            7,
            "Goal?page=2",
            [7, None, "x"],
            [{"relation": 7}],
            {"more": "x"},
            [{"url": "x"}],
            [{"next": "x", "a": 1}, 7],
        ],
    )
    def test_may_go_on_where_something_among_its_links_is_none(self, link):
        assert page([goal("1")], link=link).may_go_on
        assert not page([goal("1")], link=[{"relation": "next", "url": "x"}, link]).may_go_on  # it does

    @pytest.mark.parametrize("link", [None, [], {}, [{}], [None], [{"relation": "self", "url": 7}]])
    def test_is_whole_where_none_of_its_links_says_anything(self, link):
        found = page([goal("1")], link=link)
        assert (found.is_cut, found.may_go_on) == (False, False)

    @pytest.mark.parametrize("url", [None, 7, "", [], {}])
    def test_keeps_its_rows_where_its_next_link_cannot_be_read(self, url):
        found = page([goal("1")], link=[{"relation": "next", "url": url}])
        assert ([row.logical_id for row in found.resources], found.next_url, found.is_cut) == (["1"], None, True)

    @pytest.mark.parametrize("relation", ["Next", "NEXT", " next "])
    def test_names_the_next_one_however_its_word_is_written(self, relation):
        assert page(link=[{"relation": relation, "url": " Goal?page=2 "}]).next_url == f"{BASE}Goal?page=2"

    @pytest.mark.parametrize("kind", ["searchset", "collection", "", None, 7, "search"])
    def test_is_whole_where_it_may_be_the_answer_to_a_search(self, kind):
        found = page([goal("1")], type=kind)
        assert ([row.logical_id for row in found.resources], found.may_go_on) == (["1"], False)

    @pytest.mark.parametrize("kind", ["history", "batch-response", "transaction-response", "document", " History "])
    def test_may_go_on_where_it_answers_something_else(self, kind):
        found = page([goal("1")], type=kind)
        assert ([row.logical_id for row in found.resources], found.may_go_on) == (["1"], True)
        assert not page([goal("1")], type=kind, link=[{"relation": "next", "url": "x"}]).may_go_on

    @pytest.mark.parametrize(
        ("code", "failure"), [("throttled", Throttled), ("forbidden", AccessRefused), ("processing", Unavailable)]
    )
    def test_says_what_went_wrong_where_that_stands_in_place_of_a_row(self, code, failure):
        outcome = {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": code}]}
        found = page([goal("1"), {"response": {"status": "500", "outcome": outcome}}], type="batch-response")
        assert ([row.logical_id for row in found.resources], found.unreadable) == (["1"], 0)
        assert type(found.failure) is failure

    @pytest.mark.parametrize(
        "response",
        [
            None,
            7,
            {},
            {"status": "404"},
            {"status": "200", "outcome": None},
            {"outcome": {"issue": []}},
            {"outcome": 7},
        ],
    )
    def test_counts_what_answers_without_a_row_and_without_a_reason(self, response):
        found = page([goal("1"), {"response": response}], type="batch-response")
        assert ([row.logical_id for row in found.resources], found.unreadable) == (["1"], 1)

    @pytest.mark.parametrize("logical_id", [{}, {"id": "p1"}])
    def test_takes_no_page_within_it_for_a_row(self, logical_id):
        within = {"resourceType": "Bundle", **logical_id, "type": "searchset", "entry": [goal("2")]}
        found = page([goal("1"), {"resource": within}])
        assert ([row.logical_id for row in found.resources], found.unreadable) == (["1"], 1)

    @pytest.mark.parametrize("method", ["DELETE", " delete"])
    def test_holds_of_a_history_what_stands_last_and_counts_what_was_deleted(self, method):
        def told(logical_id, how, **elements):
            named = goal(logical_id)["resource"] | elements if how == "PUT" else None
            return {"resource": named, "request": {"method": how, "url": f"Goal/{logical_id}"}}

        entries = [
            *(told("1", "PUT", x="new"), told("2", method), told("3", "PUT"), told("1", "PUT", x="old")),
            *(told("2", "PUT"), told("3", method), told("2", method)),
        ]
        found = page(entries, type="history")
        assert [row.logical_id for row in found.resources] == ["1", "3"]
        assert (json.loads(found.resources[0].body)["x"], found.unreadable) == ("new", 1)

    @pytest.mark.parametrize("request_", [7, None, {}, {"method": 7}, {"method": "PUT"}])
    def test_counts_each_row_of_a_history_that_nobody_can_tell(self, request_):
        odd = {"resource": {"resourceType": "Goal"}, "request": request_}
        assert page([odd, odd, goal("1")], type="history").unreadable == 2

    def test_is_whole_without_a_next_link(self):
        assert not page([goal("1")], link=[{"relation": "self", "url": None}]).is_cut

    def test_names_the_next_one_where_one_link_stands_alone(self):
        assert page(link={"relation": "next", "url": "Goal?page=2"}).next_url == f"{BASE}Goal?page=2"

    @pytest.mark.parametrize(
        ("body", "code"),
        [
            (b"", Code.UNREADABLE),
            (b"<html></html>", Code.UNREADABLE),
            (b"[]", Code.UNREADABLE),
            (b'{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Goal"', Code.UNREADABLE),
            (b'{"resourceType":"Bundle","entry":7}', Code.UNREADABLE),
            (b'{"entry":[]}', Code.UNREADABLE),
            (b'{"resourceType":["Bundle"]}', Code.UNREADABLE),
            (b'{"resourceType":"OperationOutcome"}', Code.WRONG_RESOURCE),
            (b'{"resourceType":"Patient","id":"1"}', Code.WRONG_RESOURCE),
            (b"[" * 200_000, Code.UNREADABLE),
            (b'{"entry":[' + b'{"a":' * 200_000 + b'"\\"' * 200_000, Code.UNREADABLE),
        ],
    )
    def test_is_refused_where_the_answer_is_none(self, body, code):
        with pytest.raises(UnexpectedAnswer) as refused:
            bundles.read_page(body, base_url=BASE)
        assert refused.value.code is code


class TestAResource:
    def test_may_have_a_line_break_in_a_text_that_nobody_escaped(self):
        sent = b'{"resourceType":"Patient","id":"1","n":"a\nb"}'
        assert bundles.resource_type_of(b'{"resourceType":"Bundle","entry":[{"resource":' + sent + b"}]}") == "Bundle"
        assert json.loads(bundles.read_resource(sent, resource_type="Patient").body)["n"] == "a\nb"

    def test_that_is_no_json_is_none(self):
        for read in (bundles.resource_type_of, lambda body: bundles.read_resource(body, resource_type="Patient")):
            with pytest.raises(UnexpectedAnswer):
                read(b'{"resourceType":"Patient","id":"1","n":NaN}')

    @pytest.mark.parametrize("logical_id", ["1", "lab-1234-5.6", "H-" + "9" * 62, "under_score", "d\u00e9j\u00e0"])
    def test_may_have_any_id_that_can_travel(self, logical_id):
        body = json.dumps({"resourceType": "Goal", "id": logical_id}).encode()
        assert bundles.read_resource(body, resource_type="Goal").logical_id == logical_id

    def test_cannot_be_printed(self):
        resource = bundles.read_resource(b'{"resourceType":"Patient","id":"canary"}', resource_type="Patient")
        assert "canary" not in repr(resource)
        assert "canary" not in repr([resource])
