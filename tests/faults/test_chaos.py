"""Workers, beat, site and readers are killed, Redis is flushed, Postgres crashes, connections break, and no link is
lost: a small version of `make bench AREA=refresh`, on servers of its own."""

import json
import os
import subprocess
import sys

import pytest

from config import env

LINKS, SECONDS, SETTLES_WITHIN_SECONDS = 40, 12, 240


@pytest.fixture
def verdict(sandbox, directory_file):
    """What `benchmarks.chaos` said after one round."""
    asked = {
        "links": LINKS,
        "rounds": 1,
        "seconds": SECONDS,
        "settle": SETTLES_WITHIN_SECONDS,
        "sandbox": sandbox.origin,
        "directory": directory_file,
    }
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.chaos", *(f"--{name}={value}" for name, value in asked.items())],
        cwd=env.ROOT,
        env={**os.environ, "LOG_LEVEL": "CRITICAL"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return {**json.loads(ended.stdout.splitlines()[-1]), "said": ended.stderr.rpartition("\r")[2]}


class TestChaos:
    @pytest.mark.conformance("C41", "C42")
    def test_loses_no_link(self, verdict):
        assert verdict["links"] == LINKS
        assert verdict["refreshes"] >= LINKS - verdict["unavoidable"]
        wrongs = ("lost", "unexplained", "given_up", "believed", "stuck", "too_soon", "left", "twice")
        assert {name: verdict[name] for name in wrongs} == dict.fromkeys(wrongs, 0), verdict["said"]
        assert sum(number for name, number in verdict.items() if name.startswith("done: killed")) > 0
