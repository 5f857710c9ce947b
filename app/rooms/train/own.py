"""A text of the reader's own: pasted or from a file, checked before it is trained on, in no address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel as pn
import param

from app.kit import controls, given
from app.kit.html import EMPTY, Markup, join, shorten, tag, visible
from app.kit.matrix import error
from app.kit.panes import Html
from app.kit.upload import Upload
from app.rooms.train.look import WORDS
from lab.training import Corpus, shakespeare_corpus
from lab.training.corpus import MAX_BYTES, MIN_CHARACTERS

SOURCES = {"plays": "Seven plays", "own": "Your own"}


PARTS: Mapping[str, given.Given] = {"text": given.text(most=MAX_BYTES)}


def text_of(data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A teacher's text, or why it cannot be trained on."""
    try:
        if data:
            Corpus.from_text(data["text"])
    except ValueError as reason:
        return {}, (WORDS.say("own.page", reason=str(reason)),)
    return ({"page": data["text"]} if data else {}), ()


class _Choice(param.Parameterized):
    """Which text; not part of the room's state, since a text is too long for an address."""

    source = param.Selector(default="plays", objects=list(SOURCES), label="Text")
    text = param.String(default="", label=f"Paste at least {MIN_CHARACTERS:,} characters")


class OwnText:
    """The controls of the text, and the corpus they give; they begin with a teacher's where she gives one."""

    def __init__(self, text: str = "") -> None:
        self._choice = _Choice()
        self.corpus: Corpus | None = None
        self._said = Html(role="status", css="lab-train-said")
        # one more than is taken: a text that is too long is refused, not cut
        self._field = pn.widgets.TextAreaInput.from_param(
            self._choice.param.text,
            rows=4,
            max_length=MAX_BYTES + 1,
            css_classes=["lab-field", "lab-train-own"],
            sizing_mode="stretch_width",
            margin=0,
        )
        self._upload = Upload(
            "Choose a text file",
            limit=MAX_BYTES,
            accept=".txt,.md,text/*",
            taken=self._from_file,
            refused=self._refuse,
        )
        self._more = pn.Column(
            self._field,
            self._upload.pane,
            self._said.pane,
            visible=False,
            margin=0,
            sizing_mode="stretch_width",
            css_classes=["lab-train-own"],
        )
        self.controls: list[Any] = [controls.segmented(self._choice.param.source, SOURCES), self._more]
        self._choice.param.watch(lambda _: self._show(), "source")
        self._choice.param.watch(lambda event: self._typed(event.new), "text")
        if text:
            self._choice.param.update(source="own", text=text)

    @property
    def chosen(self) -> bool:
        """Whether the reader wants a text of her own."""
        return bool(self._choice.source == "own")

    def loader(self) -> Callable[[], Corpus]:
        """How to get the text that is chosen.

        Raises
        ------
        ValueError
            If it is one's own and there is none yet.
        """
        if not self.chosen:
            return shakespeare_corpus
        corpus = self.corpus
        if corpus is None:
            raise ValueError(WORDS.say("own.missing", least=MIN_CHARACTERS))
        return lambda: corpus

    def _show(self) -> None:
        self._more.visible = self.chosen

    def _typed(self, text: str) -> None:
        if text:
            self._take("Your text", lambda: Corpus.from_text(text))
        elif self.corpus is None:
            self._said.set(EMPTY)

    def _from_file(self, name: str, content: bytes) -> None:
        self._take(shorten(visible(name), 40), lambda: Corpus.from_bytes(content))

    def _take(self, name: str, make: Callable[[], Corpus]) -> None:
        try:
            corpus = self.corpus = make()
        except ValueError as reason:
            self._refuse(f"{name}: {reason}.")
            return
        self._said.set(_about(name, corpus))

    def _refuse(self, sentence: str) -> None:
        self.corpus = None
        self._said.set(error(sentence))


def _about(name: str, corpus: Corpus) -> Markup:
    said = [WORDS.say("own.taken", corpus, file=name)]
    if corpus.unseen:
        few = " ".join(visible(sign) for sign in corpus.unseen[:8])
        said.append(WORDS.say("own.unseen", few=few, more=" …" if len(corpus.unseen) > 8 else ""))
    return join(tag("p", sentence, class_="lab-note") for sentence in said)
