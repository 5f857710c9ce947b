"""The served lab, once for all UI tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serving import served


@pytest.fixture(scope="session")
def lab() -> Iterator[str]:
    with served() as address:
        yield address


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/ui" in str(item.path):
            item.add_marker(pytest.mark.browser)
