"""A page that was rendered keeps no reference to what it showed."""

import gc
import weakref

import pytest
from django.template import TemplateDoesNotExist, engines


class Shown:
    def __str__(self):
        return "Penicillin"


@pytest.fixture
def no_garbage_is_looked_for():
    gc.disable()
    yield
    gc.enable()


def render(text, shown, rf):
    (engine,) = engines.all()
    return engine.from_string(text).render({"shown": shown}, rf.get("/"))


class TestAPage:
    @pytest.mark.usefixtures("no_garbage_is_looked_for")
    def test_lets_go_of_what_it_showed(self, rf):
        shown = Shown()
        known = weakref.ref(shown)
        assert render("{% with again=shown %}{{ again }}{% endwith %}", shown, rf) == "Penicillin"
        del shown
        assert known() is None

    def test_that_includes_what_is_not_there_says_who_looked_for_it(self, rf):
        with pytest.raises(TemplateDoesNotExist) as raised:
            render("{{ shown }}{% include 'no/such.html' %}", Shown(), rf)
        assert [raised.value.backend] == engines.all()

    def test_can_be_rendered_again(self, rf):
        (engine,) = engines.all()
        template = engine.from_string("{{ shown }}")
        assert [template.render({"shown": number}, rf.get("/")) for number in (1, 2)] == ["1", "2"]

    def test_leaves_the_context_of_its_view_as_it_is(self, rf):
        (engine,) = engines.all()
        context = {"shown": 1}
        engine.from_string("{{ shown }}").render(context, rf.get("/"))
        assert context == {"shown": 1}
