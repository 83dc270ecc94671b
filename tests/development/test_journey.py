"""The steps of the demo's robot: one line for each, and a correct count."""

from development.check.__main__ import run


def fails():
    raise ValueError("the page is gone")


class TestACheck:
    def test_counts_what_passed_and_what_failed_and_goes_on(self, capsys):
        seen = []
        code = run([("first", lambda: None), ("second", fails), ("third", lambda: seen.append("third"))])
        lines = capsys.readouterr().out.splitlines()
        assert code == 1
        assert seen == ["third"]
        assert lines[1].startswith("FAILED  second: ValueError: the page is gone")
        assert lines[-1] == "demo: 2 steps passed, 1 failed"

    def test_succeeds_when_nothing_failed(self, capsys):
        assert run([("only", lambda: None)]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == "demo: 1 steps passed, 0 failed"
