"""The first Python that runs in the worker: what must be set before Panel is imported."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

REST = Path("/rest")
REST_NAMES = Path("/lab/rest.txt")
"""Names of the modules that the second archive holds, one a line."""


def start(panel_root: str, fetch_rest: Callable[[str], None]) -> ModuleType:
    """Import the lab and return the module that the worker talks to.

    Parameters
    ----------
    panel_root : str
        Address under which Panel's stylesheets lie.
    fetch_rest : callable
        Unpacks the second archive into the folder it is given.
    """
    os.environ["PANEL_CDN_ROOT"] = panel_root
    if REST_NAMES.exists():
        sys.meta_path.append(RestFinder(REST_NAMES.read_text().split(), fetch_rest))
    # an import makes many objects that live for ever; looking for garbage among them costs a tenth of it
    gc.disable()
    runtime = importlib.import_module("app.export.runtime")
    gc.freeze()
    gc.enable()
    return runtime


class RestFinder:
    """Finds a module in the second archive, and has it fetched when the first is asked for."""

    def __init__(self, names: Sequence[str], fetch: Callable[[str], None]) -> None:
        self.names = frozenset(names)
        self.fetch = fetch
        self.fetched = False

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's spec, if the archive holds it."""
        if name not in self.names:
            return None
        if not self.fetched:
            self.fetch(str(REST))
            self.fetched = True
            importlib.invalidate_caches()
        folder = REST.joinpath(*name.split(".")[:-1])
        return PathFinder.find_spec(name, [str(folder)], target)
