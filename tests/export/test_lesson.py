"""A lesson figure in somebody's page: what it costs before a touch, and its language once it is live."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app.still import draw_spec
from tests.bench.heights import NO_PYTHON
from tests.export.server import SiteServer
from tests.export.visits import Open

pytestmark = [pytest.mark.export, pytest.mark.browser]

ROOT = Path(__file__).parents[2]
HEAD = "<!doctype html><meta charset=utf-8><title>A chapter</title><link rel=icon href=data:,>"
SCRIPT = '<script src="/lab/static/js/embed.js"></script>'
LESSON = {
    "room": "rope",
    "figure": "hands",
    "state": {"q": "2, 1", "k": "0.5, -1", "theta": 0.3, "m": 7, "n": 2},
    "controls": ["n", "m"],
    "title": "Two <b>arrows</b> turn",
    "caption": "Watch the angle.",
    "question": {
        "prompt": "Both move by one. What happens to the angle?",
        "options": [
            {"text": "It stays", "when": "m >= 0", "why": "Both turn by the same angle."},
            {"text": "It grows", "why": "One of them would have to turn more."},
        ],
    },
}
FIGURE = '<embedding-lab room="rope" figure="score"></embedding-lab>'
LIVE = 120_000


@pytest.fixture
def chapter(open_page: Open, site: Path, serve: Callable[..., SiteServer], tmp_path: Path) -> Any:
    """Opens a page of a course that has the lab beside it."""

    def start(body: str, *, python: bool = True, **options: Any) -> tuple[Page, SiteServer]:
        (tmp_path / "lesson.json").write_text(json.dumps(LESSON))
        (tmp_path / "page.html").write_text(HEAD + SCRIPT + body)
        host = serve({"/lab/": site, "/": tmp_path})
        page = open_page(host.origin, **options).page
        if not python:
            page.add_init_script(NO_PYTHON)
        page.goto(f"{host.origin}/page.html")
        return page, host

    return start


# --- before a touch


def test_a_figure_costs_next_to_nothing_before_a_touch(chapter: Any) -> None:
    page, host = chapter("", python=False)
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer))
    page.route(
        "**/page.html", lambda route: route.fulfill(body=f"{HEAD}{SCRIPT}{FIGURE}", content_type="text/html")
    )
    page.goto(f"{host.origin}/page.html")
    page.wait_for_selector("embedding-lab[data-state=still]")
    page.wait_for_load_state("networkidle")
    ours = {answer.url: len(gzip.compress(answer.body())) for answer in answers if "/lab/" in answer.url}
    assert len(ours) <= 6, ours
    assert sum(ours.values()) <= 60_000, ours
    assert page.evaluate("window.Bokeh === undefined && EmbeddingLab.client === undefined")


def test_three_figures_in_a_page_are_one_lab(chapter: Any) -> None:
    figures = "".join(
        f'<embedding-lab id="{key}" room="rope" figure="{key}" load="eager"></embedding-lab>'
        for key in ("hands", "score", "pairs")
    )
    page, host = chapter(figures)
    for key in ("hands", "score", "pairs"):
        expect(page.locator(f"#{key}")).to_have_attribute("data-state", "live", timeout=LIVE)
    assert host.count("*.wasm") == 1


def test_the_still_is_of_the_state_that_is_asked_for_or_there_is_none(chapter: Any) -> None:
    page, _ = chapter(
        '<embedding-lab id="usual" room="rope" figure="score" m="3"></embedding-lab>'
        '<embedding-lab id="other" room="rope" figure="score" m="5" caption="Mine."></embedding-lab>'
        '<embedding-lab id="own" still="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E"'
        ' room="rope" figure="score" m="5" caption="Of m = 5."></embedding-lab>',
        python=False,
    )
    expect(page.locator("#usual")).to_have_attribute("data-state", "still")
    expect(page.locator("#other")).to_have_attribute("data-state", "blank")
    expect(page.locator("#own")).to_have_attribute("data-state", "still")
    text = "element => element.shadowRoot.querySelector('.still').innerText"
    assert "Mine." in page.locator("#other").evaluate(text)
    assert page.locator("#own img").get_attribute("alt") == "Of m = 5."


@pytest.mark.parametrize("width", [390, 760, 1100])
def test_the_height_stays_when_a_figure_wakes(chapter: Any, width: int) -> None:
    page, _ = chapter(
        '<embedding-lab room="rope" figure="score"></embedding-lab><p id="below">below</p>',
        viewport={"width": width, "height": 900},
    )
    top = "document.getElementById('below').offsetTop"
    page.wait_for_selector("embedding-lab[data-state=still]")
    before = page.evaluate(top)
    page.get_by_role("button", name="Make it live").click()
    page.wait_for_selector("embedding-lab[data-state=live]", timeout=LIVE)
    assert before > 300
    assert abs(page.evaluate(top) - before) <= 2


# --- a lesson, live


@pytest.fixture
def lesson(chapter: Any) -> Page:
    page, _ = chapter(
        f'<embedding-lab id="a"><script type="application/json">{json.dumps(LESSON)}</script>'
        '<p id="fallback">A picture.</p></embedding-lab>'
        '<embedding-lab id="b" room="rope" figure="score" lock="m"></embedding-lab>'
        '<iframe id="f" title="score" data-embedding-lab src="/lab/rope/?embed=1&figure=score"></iframe>'
    )
    page.evaluate(
        """window.told = []; for (const kind of ["lab-change", "lab-answer"])
        document.addEventListener(kind, ({ type, target, detail }) => told.push([type, target.id, detail]))"""
    )
    page.evaluate("Promise.all([document.getElementById('a').wake(), document.getElementById('b').wake()])")
    return page


def test_a_page_speaks_with_its_figures(lesson: Page) -> None:
    page = lesson
    score = "document.getElementById('b')"
    answers = page.evaluate(f"Promise.all([4, 5, 6, 7, 8, 9].map((n) => {score}.set({{ n }})))")
    assert answers == [{"n": 9}] * 6
    # they waited together, and were made as one
    changes = page.evaluate(
        "told.filter(([kind, id]) => kind === 'lab-change' && id === 'b').map(([, , one]) => one)"
    )
    assert changes == [{"room": "rope", "state": {"n": 9}, "by": "page"}]
    assert page.evaluate(f"{score}.state") == {"n": 9}
    assert len(page.evaluate(f"{score}.values('score')")) > 10
    many = f"Promise.all(Array.from({{ length: 40 }}, () => {score}.values('n')))"
    assert page.evaluate(many) == [9] * 40
    refused = page.evaluate(f"{score}.set({{ theta: 99, d: 2 }}).catch((reason) => reason.message)")
    assert "theta" in refused
    assert "3.2" in refused
    # an attribute changes what it names, and nothing that was changed before
    page.evaluate(f"{score}.setAttribute('theta', '0.7')")
    page.wait_for_function(
        "told.some(([, id, { state }]) => id === 'b' && state.theta === 0.7 && state.n === 9)"
    )
    assert page.evaluate(f"{score}.reset()") == {}
    # locked is locked, until the page frees it
    handle = page.locator("#b").get_by_role("slider", name="m, position")
    assert page.locator("#b").locator(".noUi-target[disabled]").count() == 1
    assert page.evaluate(f"{score}.lock([])") == []
    expect(page.locator("#b").locator(".noUi-target[disabled]")).to_have_count(0)
    handle.press("ArrowRight")
    page.wait_for_function(
        "told.some(([, id, { state, by }]) => id === 'b' && state.m === 4 && by === 'reader')"
    )
    # the question, the reader's answer, and what a learning platform takes down
    assert page.evaluate("document.getElementById('a').ask()") is True
    expect(page.locator("#fallback")).to_be_hidden()
    expect(page.locator("#a")).to_contain_text("Two <b>arrows</b> turn")
    page.locator("#a").get_by_role("radio", name="It grows").check(force=True)
    page.locator("#a").get_by_role("button", name="Check").click()
    page.wait_for_function("told.some(([kind]) => kind === 'lab-answer')")
    (told,) = page.evaluate("told.filter(([kind]) => kind === 'lab-answer').map(([, , one]) => one)")
    assert (told["chosen"], told["right"], told["correct"]) == (1, 0, False)
    statement = told["statement"]
    assert statement["verb"]["id"].endswith("/answered")
    assert statement["result"] == {"success": False, "completion": True, "response": "1"}
    assert statement["object"]["definition"]["correctResponsesPattern"] == ["0"]
    expect(page.locator("#a")).to_contain_text("One of them would have to turn more.")
    # a frame has the same language
    frame = page.evaluate(
        """async () => {
          const told = [];
          const figure = EmbeddingLab.connect(document.getElementById("f"));
          await figure.ready;
          figure.addEventListener("lab-change", ({ detail }) => told.push(detail.state));
          const set = await figure.set({ m: 8 });
          const refused = await figure.set({ m: "x" }).catch((reason) => reason.message);
          return { set, refused, told, state: figure.state, values: (await figure.values("score")).length };
        }"""
    )
    assert frame["set"] == frame["state"] == {"m": 8}
    assert "m: it takes a whole number" in frame["refused"]
    assert frame["told"] == [{"m": 8}]
    assert frame["values"] > 10


def test_a_frame_hears_its_own_page_alone(chapter: Any) -> None:
    page, _ = chapter(
        '<iframe id="f" title="score" data-embedding-lab src="/lab/rope/?embed=1&figure=score"></iframe>'
    )
    # a message that is from no parent is not heard, and an answer of another origin neither
    inner = page.frame_locator("#f").locator("#lab-root[data-state=live]")
    inner.wait_for(timeout=LIVE)
    page.evaluate(
        """window.figure = EmbeddingLab.connect(f, { origin: "https://else.example" });
        window.heard = false; figure.ready.then(() => (window.heard = true)); 0"""
    )
    (frame,) = [one for one in page.frames if "rope" in one.url]
    before = frame.evaluate("location.search")
    frame.evaluate(
        "postMessage({ type: 'embedding-lab:ask', id: 7, act: 'set', content: { m: 9 } }, location.origin)"
    )
    # whoever is really around it is heard after that, and finds the state as it was
    state = "EmbeddingLab.connect(f).ready.then((figure) => figure.state)"
    assert page.evaluate(state) == {}
    assert page.evaluate("heard") is False
    assert frame.evaluate("location.search") == before


def test_a_specification_comes_from_an_address(chapter: Any) -> None:
    page, host = chapter('<embedding-lab id="a" spec="lesson.json" load="eager"></embedding-lab>')
    element = page.locator("#a")
    expect(element).to_have_attribute("data-state", "live", timeout=LIVE)
    assert page.evaluate("document.getElementById('a').state") == LESSON["state"]
    expect(element).to_contain_text("Watch the angle.")
    page.goto(f"{host.origin}/lab/rope/?spec=../../lesson.json")
    expect(page.locator("#lab-root")).to_have_attribute("data-state", "live", timeout=LIVE)
    expect(page.locator("#lab-root")).to_contain_text("Watch the angle.")


@pytest.mark.parametrize(
    ("inside", "named"),
    [
        ('<script type="application/json">{"room": </script>', "JSON"),
        ('<script type="application/json">{"room": "atlantis"}</script>', "atlantis"),
    ],
)
def test_a_specification_that_cannot_be_read_is_said(chapter: Any, inside: str, named: str) -> None:
    page, _ = chapter(f'<embedding-lab>{inside}<p id="fallback">A picture.</p></embedding-lab>', python=False)
    expect(page.locator("embedding-lab")).to_have_attribute("data-state", "failed")
    expect(page.get_by_role("alert")).to_contain_text(named)
    expect(page.locator("#fallback")).to_be_visible()


def test_a_chapter_of_eight_figures_is_whole_on_a_phone(
    open_page: Open, site: Path, serve: Callable[..., SiteServer], tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "examples" / "chapter", tmp_path / "chapter")
    for path in (tmp_path / "chapter" / "figures").glob("*.json"):
        still = draw_spec(path.read_text(encoding="utf-8"), width=390, theme="dark")
        path.with_suffix(".svg").write_text(still.svg, encoding="utf-8")
    host = serve({"/lab/": site, "/": tmp_path})
    page = open_page(host.origin, viewport={"width": 390, "height": 844}, color_scheme="dark").page
    page.goto(f"{host.origin}/chapter/")
    figures = page.locator("embedding-lab")
    expect(page.locator("embedding-lab[data-state=still]")).to_have_count(8)
    expect(page.locator("embedding-lab .still img")).to_have_count(8)
    before = page.evaluate("[...document.querySelectorAll('embedding-lab')].map((one) => one.offsetHeight)")
    page.evaluate("Promise.all([...document.querySelectorAll('embedding-lab')].map((one) => one.wake()))")
    expect(page.locator("embedding-lab[data-state=live]")).to_have_count(8, timeout=LIVE)
    expect(page.locator("embedding-lab .lab-notices p")).to_have_count(0)
    expect(figures.first).to_contain_text("Each token picks its row of E")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    after = page.evaluate("[...document.querySelectorAll('embedding-lab')].map((one) => one.offsetHeight)")
    assert after == before
