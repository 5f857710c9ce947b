"""A button that takes one text file: its size is checked in the page, before anything is sent."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable

import panel as pn

from app.kit.script import on_click

# the reader's click opens the browser's dialog; a file that is too large never leaves her machine
_CHOOSE = """
const input = document.createElement("input");
input.type = "file";
input.accept = accept;
input.onchange = async () => {
  const [file] = input.files;
  if (!file) return;
  const told = { name: file.name, size: file.size, turn: Date.now() };
  if (file.size <= limit) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 32768) {
      text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    }
    told.content = btoa(text);
  }
  held.value = JSON.stringify(told);
};
input.click();
"""


class Upload:
    """The button, and the hidden field that carries the file.

    Parameters
    ----------
    name : str
        Words on the button.
    limit : int
        Largest size in bytes.
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
        self._limit, self._taken, self._refused = limit, taken, refused
        # stretched though never seen: a field's own width would widen the column around it
        self._held = pn.widgets.TextInput(
            value="", visible=False, max_length=2 * limit, sizing_mode="stretch_width", margin=0
        )
        self._button = pn.widgets.Button(
            label=name, css_classes=["lab-button"], sizing_mode="stretch_width", margin=0
        )
        on_click(self._button, _CHOOSE, held=self._held, limit=limit, accept=accept)
        self._held.param.watch(lambda event: self._arrived(event.new), "value")
        self.pane = pn.Column(self._button, self._held, sizing_mode="stretch_width", margin=0)

    def _arrived(self, told: str) -> None:
        if not told:
            return
        self._held.value = ""  # the text is not kept twice
        try:
            file = json.loads(told)
            name, size = str(file["name"]), int(file["size"])
            content = base64.b64decode(file["content"], validate=True) if "content" in file else None
            size = size if content is None else len(content)
        except (ValueError, KeyError, TypeError, binascii.Error):
            self._refused("The file could not be read; choose it again.")
            return
        if content is None or size > self._limit:
            self._refused(f"{name} has {size:,} bytes; at most {self._limit:,} are taken.")
        else:
            self._taken(name, content)
