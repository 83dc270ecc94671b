"""A narrative becomes text, whatever its markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.presenters import narratives
from apps.records.presenters.narratives import narrative, plain
from apps.records.presenters.prose.readings import MOST_CHARACTERS, BlockKind
from tests.records.presenters import corpus
from tests.records.presenters.oddities import odd


class TestANarrative:
    @pytest.mark.parametrize(
        ("markup", "said"),
        [
            ("<div xmlns='http://www.w3.org/1999/xhtml'><p>One &amp; two</p><p>three</p></div>", "One & two\nthree"),
            ("<div>a<br/>b</div>", "a\nb"),
            ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
            ("<div>a<script>alert(1)</script>b</div>", "ab"),
            ("<div>a<STYLE>p {}</STYLE >b</div>", "ab"),
            ("<div>a<script/>b</div>", "ab"),
            ("<div>a<!-- <p>hidden</p> -->b</div>", "ab"),
            ("<div>a<!-- hidden -->b</div>", "ab"),
            ("<div>a<script>never ends", "a"),
            ("<div>&lt;b&gt;</div>", "<b>"),
            ("<div>&amp;lt; is a sign</div>", "&lt; is a sign"),
            ("5 &lt; 6", "5 < 6"),
            ("<div>   </div>", ""),
            ("", ""),
        ],
    )
    def test_is_the_text_between_the_tags(self, markup, said):
        assert plain(markup) == said

    @given(st.text(alphabet="<>!-/ abpscript&;#0\x00\n", max_size=200))
    def test_never_raises(self, markup):
        assert isinstance(plain(markup), str)

    @given(odd("text", "div"))
    def test_is_empty_for_what_is_none(self, content):
        assert isinstance(narrative(content if isinstance(content, dict) else {}), str)

    @pytest.mark.parametrize("markup", ["<script>" * 200_000, "<!--" * 200_000, "<" * 500_000, "&" * 500_000])
    def test_is_not_slow_for_markup_made_to_hurt(self, markup):
        assert isinstance(narrative({"text": {"div": markup}}), str)


class TestNarrativesOfOthers:
    def test_are_read_wherever_they_say_something(self):
        told = [resource for resource in corpus.resources() if isinstance(resource.get("text"), dict)]
        said = [resource for resource in told if narrative(resource)]
        assert corpus.share(len(said), len(told)) > 0.9


class TestADocumentInParts:
    def part(self, words, title="Plan"):
        return {"title": title, "text": {"div": f"<div><p>{words}</p></div>"}}

    def read(self, *parts):
        return narratives.reading({"resourceType": "Composition", "section": list(parts)})

    def test_is_cut_where_its_parts_together_are_too_long(self):
        long = self.part(f"<p>{'Many words ' * 30}</p>" * (MOST_CHARACTERS // 400))
        assert not self.read(long).is_cut
        whole = self.read(long, long)
        assert whole.is_cut
        assert len(whole.plain) < 2 * MOST_CHARACTERS
        assert whole.blocks[0].kind == BlockKind.HEADING

    def test_lacks_what_any_part_lacks(self):
        hidden = self.part("<span style='display:none'>x</span>Rest")
        assert self.read(self.part("Two."), hidden).has_hidden
        assert not self.read(self.part("Two."), self.part("Rest")).has_hidden

    def test_is_nothing_where_no_part_says_anything(self):
        assert not self.read({"title": "Plan"}, {"text": {"div": 1}}, {}).says_any
