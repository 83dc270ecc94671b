"""What tests share: a network that ends at this machine, a small cast, the sandbox, the worker, the browser.

The fixtures themselves are in modules beside this one, each for one purpose.
"""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.fixtures.requirements import is_forbidden_skip

# Test modules are imported by path (importlib mode); what they share is imported by name.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

pytest_plugins = [
    "tests.fixtures.network",
    "tests.fixtures.cast",
    "tests.fixtures.emptying",
    "tests.fixtures.sandbox",
    "tests.fixtures.tls",
    "tests.fixtures.worker",
    "tests.fixtures.browser",
    "tests.fixtures.migrating",
    "tests.fixtures.leaving",
    "tests.fixtures.language",
]

# Two slow cores are no reason to fail; a database per example is.
settings.register_profile("usual", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("usual"), max_examples=2000)
settings.load_profile("usual")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where everything is required (CI), a skipped test has failed, unless it is the example data that is absent."""
    report = yield
    if is_forbidden_skip(report):
        report.outcome = "failed"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for whole modules that skip themselves."""
    report = yield
    if is_forbidden_skip(report):
        report.outcome = "failed"
    return report
