"""A page whose session has ended before it connects, as on a slow link, or behind two processes."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.conftest import OpenPage
from tests.serving import served


def test_its_connection_makes_a_new_one_in_the_same_state_from_this_host_alone(open_page: OpenPage) -> None:
    with served("--unused-session-lifetime", "1", "--check-unused-sessions", "1") as address:
        page = open_page(f"{address}?room=build&step=3")
        expect(page.locator(".lab-caption p:visible")).to_contain_text("Step 3", timeout=60_000)
        made = page.evaluate("Bokeh.documents[0].roots().map(root => root.id)")
        promised = page.evaluate(
            "[...document.querySelectorAll('[data-root-id]')].map(root => root.dataset.rootId)"
        )
        # otherwise the page has met its first session, and this test has seen nothing
        assert not set(made) & set(promised)
        page.get_by_role("slider", name="Step").press("ArrowRight")
        expect(page.locator(".lab-caption p:visible")).to_contain_text("Step 4")
