"""The Sphinx directive: what it writes, what it refuses, and what is no web page."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import docutils_namespace

PAGE = """
A chapter
=========

.. embedding-lab:: rope
   :figure: score
   :state: theta=.5&m=7
   :hide: code,questions
   :theme: dark
   :title: A score
   :controls: m, n
   :lock: m
   :alt: The score & the distance
   :width: 600
   :align: center
   :name: score

See :ref:`the figure <score>`.

.. embedding-lab:: count
   :state: V=128000
"""


def built(
    folder: Path, page: str, builder: str = "html", site: str = "https://your.site/lab"
) -> tuple[str, str]:
    """The page that Sphinx makes, and what it complains about."""
    (folder / "index.rst").write_text(page)
    (folder / "plain.rst").write_text(":orphan:\n\nWithout\n=======\n")
    said = io.StringIO()
    with docutils_namespace():
        app = Sphinx(
            folder,
            None,
            folder / "out",
            folder / "trees",
            builder,
            confoverrides={"extensions": ["app.sphinx"], "embedding_lab_site": site, "html_theme": "basic"},
            status=None,
            warning=said,
        )
        app.build()
    ending = {"html": "html", "text": "txt"}[builder]
    return (folder / "out" / f"index.{ending}").read_text(), said.getvalue()


def test_the_element_is_written_with_what_was_asked(tmp_path: Path) -> None:
    html, said = built(tmp_path, PAGE)
    assert not said
    first, second = re.findall(r"<embedding-lab .*?</embedding-lab>", html)
    assert first.startswith(
        '<embedding-lab room="rope" state="theta=.5&amp;m=7" figure="score" hide="code,questions" '
        'theme="dark" controls="m, n" lock="m" heading="A score">'
    )
    link = (
        "https://your.site/lab/rope/?figure=score&amp;hide=code,questions&amp;theme=dark&amp;theta=.5&amp;m=7"
    )
    assert f'<a href="{link}">The score &amp; the distance</a>' in first
    assert "&lt;" not in html
    # capitals live in a state alone
    assert second.startswith('<embedding-lab room="count" state="V=128000">')
    assert "Embedding Lab: " in second
    place = re.search(r"<figure [^>]*>", html)
    assert place is not None
    assert 'id="score"' in place[0]
    assert "width:600px;max-width:100%" in place[0]
    assert 'aria-label="The score &amp; the distance"' in place[0]
    assert 'href="#score"' in html
    assert html.count('<script src="https://your.site/lab/static/js/embed.js"></script>') == 1
    assert "embed.js" not in (tmp_path / "out" / "plain.html").read_text()


def test_what_is_no_web_page_has_the_text(tmp_path: Path) -> None:
    text, said = built(tmp_path, PAGE, "text")
    assert not said
    assert "The score & the distance" in text


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("roap", "There is no room 'roap'. The rooms are build"),
        ("rope\n   :state: theta=9", "theta=9, but it takes a number from 0 to 3.2"),
        ("rope\n   :state: thetta=1", "thetta=1, but there is no setting of that name here"),
        ("rope\n   :figure: scores", "figure=scores, but the figures of this room are hands, score"),
        ("rope\n   :hide: legend", "hide=legend, but it takes a list of controls"),
        ("rope\n   :theme: blue", "blue"),
    ],
)
def test_what_cannot_be_shown_is_told_the_teacher(tmp_path: Path, lines: str, wanted: str) -> None:
    _, said = built(tmp_path, f"A chapter\n=========\n\n.. embedding-lab:: {lines}\n")
    assert wanted in said
    assert "index.rst:4" in said


def test_a_site_has_to_be_named(tmp_path: Path) -> None:
    with pytest.raises(ExtensionError, match="embedding_lab_site"):
        built(tmp_path, PAGE, site="")
