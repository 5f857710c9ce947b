"""Files of the reader's: they stay in the page, and Python asks for the parts that it needs.

A hidden field carries both ways. Its value is what the page says: which files were chosen, or a part in
base64. Its placeholder is what Python asks: which part next. So each message is small, a file of any size can
be opened, and between two parts the reader can stop. static/js/slices.js is the page's side.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import panel as pn

from app.kit import controls, guard
from app.kit.html import EMPTY, Markup, shorten, tag, visible
from app.kit.panes import Html
from app.kit.script import on_click
from lab.own_table import LARGEST_PART, FileInfo, Part, Reading, check_part, megabytes, stretch

T = TypeVar("T")
_UNREADABLE = "The file could not be read; choose it again."
MOST_FILES = 8
LONGEST_NAME = 255


class Files(Generic[T]):
    """A button that files are chosen with or dropped on, and what happens while they are read.

    Parameters
    ----------
    name : str
        Words on the button.
    accept : str
        Endings, as the browser's dialog takes them.
    several : bool
        Whether more than one may be chosen at a time.
    reading : callable
        From the files to a `lab.own_table.Reading` of them.
    done : callable
        Gets what the reading found.
    refused : callable
        Gets a sentence.
    """

    def __init__(
        self,
        name: str,
        *,
        accept: str,
        several: bool,
        reading: Callable[[Sequence[FileInfo]], Reading[T]],
        done: Callable[[T], None],
        refused: Callable[[str], None],
    ) -> None:
        self._reading, self._done, self._refused = reading, done, refused
        self._files: tuple[FileInfo, ...] = ()
        self._under_way: Reading[T] | None = None
        self._asked = Part(0, 0, 0)
        self._turn = self._part = self._got = 0
        # stretched though never seen: a field's own width would widen the column around it
        self._held = pn.widgets.TextInput(
            value="",
            placeholder="",
            visible=False,
            max_length=2 * LARGEST_PART,
            sizing_mode="stretch_width",
            margin=0,
        )
        self._held.jscallback(placeholder="window.EmbeddingLab.files.answer(cb_obj)")
        self._held.param.watch(lambda event: self._arrived(event.new), "value")
        self._button = pn.widgets.Button(
            label=name, css_classes=["lab-button", "lab-files"], sizing_mode="stretch_width", margin=0
        )
        choose = "window.EmbeddingLab.files.choose(held, accept, several)"
        on_click(self._button, choose, held=self._held, accept=accept, several=several)
        self._status = Html(role="status", css="lab-reading")
        self._stop = controls.button("Stop reading", self.stop)
        self._stop.visible = False
        self.pane = pn.Column(
            self._button,
            self._held,
            self._status.pane,
            self._stop,
            css_classes=["lab-own-files"],
            sizing_mode="stretch_width",
            margin=0,
        )

    def read(self, reading: Reading[T]) -> None:
        """Read more of the files that are chosen; what is under way ends."""
        self._end()
        self._under_way, self._got = reading, 0
        self._go_on(None)

    def stop(self) -> None:
        """Give up what is being read."""
        if self._under_way is not None:
            self._end()
            self._status.set(tag("p", "Stopped; nothing of the file was taken.", class_="lab-note"))

    def _arrived(self, told: str) -> None:
        if not told:
            return
        self._held.value = ""  # a part is not kept twice
        try:
            said = json.loads(told)
            turn, files, part = int(said["turn"]), said.get("files"), said.get("part")
            if files is not None:
                chosen = tuple(
                    FileInfo(str(file["name"])[:LONGEST_NAME], int(file["size"])) for file in files
                )
        except (ValueError, KeyError, TypeError, AttributeError):
            self._fail(_UNREADABLE)
            return
        if files is not None:
            self._turn, self._files = turn, chosen
            if len(chosen) > MOST_FILES or any(file.size < 0 for file in chosen):
                self._fail(f"{len(chosen):,} files were chosen; choose up to {MOST_FILES}.")
            else:
                self.read(self._reading(chosen))
        elif (turn, part) == (self._turn, self._part) and self._under_way is not None:
            self._take(said)

    def _take(self, said: dict[str, Any]) -> None:
        if "error" in said:
            name = visible(self._files[self._asked.file].name, 40)
            why = shorten(str(said["error"]), 40)
            self._fail(f"The browser cannot read {name} any more ({why}); choose it again.")
            return
        try:
            content = base64.b64decode(said["content"], validate=True)
        except (KeyError, TypeError, ValueError):
            self._fail(_UNREADABLE)
            return
        try:
            check_part(self._asked, content)
        except ValueError as reason:
            self._fail(guard.sentence_of(reason))
            return
        self._got += len(content)
        self._go_on(content)

    def _go_on(self, content: bytes | None) -> None:
        reading = self._under_way
        if reading is None:
            return
        try:
            part = next(reading) if content is None else reading.send(content)
        except StopIteration as end:
            found: T = end.value
        except Exception as reason:
            # whatever is wrong with a file, the room goes on
            self._fail(guard.sentence_of(reason))
            return
        else:
            self._ask(part)
            return
        self._end()
        self._done(found)

    def _ask(self, part: Part) -> None:
        self._asked = part
        self._part += 1
        self._stop.visible = True
        self._status.set(self._progress(part))
        asked = {"turn": self._turn, "part": self._part, **part._asdict()}
        self._held.placeholder = json.dumps(asked)

    def _progress(self, part: Part) -> Markup:
        # in tenths: a screen reader says each change
        whole = self._got + part.size + part.ahead
        read = 10 * self._got // whole * whole // 10 if whole else 0
        name = visible(self._files[part.file].name, 40)
        return tag(
            "p",
            tag("progress", "", max=whole, value=read, aria_label="Read so far"),
            f" Reading {name}: {megabytes(read)} of {megabytes(whole)}",
            class_="lab-note",
        )

    def _fail(self, sentence: str) -> None:
        self._end()
        self._refused(sentence)

    def _end(self) -> None:
        if self._under_way is not None:
            self._under_way.close()
        self._under_way = None
        self._stop.visible = False
        self._status.set(EMPTY)


class Upload(Files[tuple[str, bytes]]):
    """A button for one small file, which is read whole.

    Parameters
    ----------
    name : str
        Words on the button.
    limit : int
        Largest size in bytes; nothing of a larger file is asked for.
    accept : str
        Endings, as the browser's dialog takes them.
    taken : callable
        Gets the file's name and its bytes.
    refused : callable
        Gets a sentence.
    """

    def __init__(
        self,
        name: str,
        *,
        limit: int,
        accept: str,
        taken: Callable[[str, bytes], None],
        refused: Callable[[str], None],
    ) -> None:
        def whole(files: Sequence[FileInfo]) -> Reading[tuple[str, bytes]]:
            file = files[0]
            if file.size > limit:
                raise ValueError(f"{file.name} has {file.size:,} bytes; at most {limit:,} are taken.")
            return file.name, (yield from stretch(0, 0, file.size))

        super().__init__(
            name,
            accept=accept,
            several=False,
            reading=whole,
            done=lambda found: taken(*found),
            refused=refused,
        )
