"""What the docstrings of the core say, against numpydoc's rules: ``python -m tests.docstrings``.

numpydoc looks at the objects themselves, so that the fields of a dataclass count as its parameters.
"""

from __future__ import annotations

import inspect
import pkgutil
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from numpydoc.validate import validate

import lab

LEFT_OUT = {
    "ES01": "one line is enough where it says all",
    "SA01": "modules name each other where it helps",
    "EX01": "a class has one example for its methods",
    "RT01": "a noun as summary says what comes back",
    "YD01": "the same of what is yielded",
    "SS05": "takes plural nouns for verbs",
    "SS06": "a summary may take two lines",
    "PR03": "the fields of a dataclass are given by name",
    "GL01": "summaries begin on the line of the quotes",
    "GL02": "and end on it where they are one line",
    "GL03": "a blank line may set an example apart",
    "GL08": "what is inherited is described where it is declared",
}


def public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The functions and classes that a module defines, and their methods, each with its name."""
    for name, found in vars(module).items():
        if name.startswith("_") or getattr(found, "__module__", "") != module.__name__:
            continue
        if inspect.isfunction(found) or inspect.isclass(found):
            yield f"{module.__name__}.{name}", found
        if inspect.isclass(found):
            for method, made in vars(found).items():
                if not method.startswith("_") and inspect.isfunction(made) and made.__doc__:
                    yield f"{module.__name__}.{name}.{method}", made


def faults(name: str, found: Any) -> Iterator[str]:
    """What numpydoc finds in the docstring of an object."""
    # a summary may say it all; a list of parameters is whole or there is none
    listed = inspect.isfunction(found) and "Parameters\n" in (found.__doc__ or "")
    for code, said in validate(name)["errors"]:
        if code not in LEFT_OUT and (listed or code != "PR01"):
            yield f"{name}: {code} {said}"


def main() -> int:
    """Print every fault; 1 where there is any."""
    modules = [import_module(one.name) for one in pkgutil.walk_packages(lab.__path__, "lab.")]
    found = [fault for module in modules for named in public(module) for fault in faults(*named)]
    print("\n".join(found), end="\n" if found else "")
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main())
