"""Search pages by programs not made for FHIR, or written by hand: rows and next links are found all the same."""

import json

import pytest

from apps.wire import bundles
from tests.wire.pages import BASE, goal, page


class TestRows:
    def test_may_be_one_that_stands_where_a_list_should(self):
        body = b'{"resourceType":"Bundle","entry":{"resource":{"resourceType":"Goal","id":"1","n":1.50}},"total":1}'
        found = bundles.read_page(body, base_url=BASE)
        (row,) = found.resources
        assert (row.body, found.total) == (b'{"resourceType":"Goal","id":"1","n":1.50}', 1)
        assert bundles.read_page(b'{"resourceType":"Bundle","entry":{}}', base_url=BASE).unreadable == 1

    @pytest.mark.parametrize("second", [["3"], []])
    def test_may_stand_in_two_lists_of_one_name(self, second):
        lists = [json.dumps([goal(name) for name in names]) for names in (["1", "2"], second)]
        body = f'{{"resourceType":"Bundle","entry":{lists[0]},"total":3,"entry":{lists[1]}}}'
        found = bundles.read_page(body.encode(), base_url=BASE)
        assert [row.logical_id for row in found.resources] == ["1", "2", *second]

    def test_are_none_that_a_row_names_so(self):
        row = {"resource": {"resourceType": "List", "id": "l", "entry": [{"item": {}}, goal("9")]}}
        found = page([row, goal("1")])
        assert ([one.logical_id for one in found.resources], found.unreadable) == (["l", "1"], 0)

    def test_are_such_though_they_are_called_remarks(self):
        found = page([{**goal("1"), "search": {"mode": "outcome"}}, {"search": {"mode": "outcome"}}])
        assert ([row.logical_id for row in found.resources], found.unreadable) == (["1"], 0)


class TestLinks:
    @pytest.mark.parametrize(
        "link",
        [
            [{"rel": "next", "href": "Goal?page=2"}],
            [{"relation": "next", "href": "Goal?page=2"}],
            {"self": "Goal", "next": "Goal?page=2"},
            {"self": {"href": "Goal"}, "Next": {"href": " Goal?page=2 "}},
            [{"self": "Goal"}, {"next": "Goal?page=2"}],
        ],
    )
    def test_name_the_next_page_as_other_formats_do(self, link):
        assert page(link=link).next_url == f"{BASE}Goal?page=2"

    @pytest.mark.parametrize(
        "link", [{"self": "Goal", "next": None}, [{"rel": "self", "href": "x"}], {"first": {"href": "x"}, "last": 7}]
    )
    def test_may_name_no_next_page(self, link):
        found = page([goal("1")], link=link)
        assert (found.next_url, found.is_cut, found.may_go_on) == (None, False, False)

    @pytest.mark.parametrize("link", [{"next": {}}, {"next": 7}, {"next": ""}, [{"rel": "next"}]])
    def test_cut_a_page_where_its_next_one_cannot_be_read(self, link):
        assert page([goal("1")], link=link).is_cut

    @pytest.mark.parametrize(
        ("written", "absolute"),
        [
            ("Goal?code=a|b c&x=é", "https://provider.example/fhir/r4/Goal?code=a%7Cb%20c&x=%C3%A9"),
            ('/fhir/r4/Goal?a="<{x}>"\\^`', "https://provider.example/fhir/r4/Goal?a=%22%3C%7Bx%7D%3E%22%5C%5E%60"),
            ("Goal?a=%7C%&b=1?2/3", "https://provider.example/fhir/r4/Goal?a=%7C%&b=1?2/3"),
            ("https://evil.example\\@x|y/Goal?a", "https://evil.example\\@x|y/Goal?a"),
        ],
    )
    def test_have_in_their_query_what_a_url_may_hold(self, written, absolute):
        assert page(link=[{"relation": "next", "url": written}]).next_url == absolute
