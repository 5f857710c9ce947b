"""Builds every example into one folder, with the lab's site beside them: ``make examples`` runs it.

The folder is a web server's root: ``python -m http.server -d dist-examples`` shows all of them.
"""

from __future__ import annotations

import argparse
import html
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
THEMES = {"furo": "furo", "pydata": "pydata_sphinx_theme", "book": "sphinx_book_theme"}
NAMES = {
    "chapter": "A chapter with eight lesson figures",
    "plain": "Plain HTML",
    "mkdocs": "MkDocs Material",
    **{f"sphinx-{name}": f"Sphinx, {theme}" for name, theme in THEMES.items()},
    "quarto": "A page as Quarto makes it",
    "slides": "reveal.js",
    "platform": "A learning platform's sandboxed frame",
    "notebook": "A notebook, converted",
    "notebook-dark": "A notebook, converted, dark",
}


def main() -> None:
    """Build them, or say which tool failed."""
    parser = argparse.ArgumentParser(description="Build the examples.")
    parser.add_argument("--lab", type=Path, required=True, help="the built site of the lab")
    parser.add_argument("--reveal", type=Path, required=True, help="the folder of the npm package reveal.js")
    parser.add_argument("--out", type=Path, required=True, help="is emptied first")
    options = parser.parse_args()
    out = options.out.resolve()
    if out.exists() and not (out / "lab").is_symlink() and any(out.iterdir()):
        sys.exit(f"{out} is not empty and holds no examples: choose another folder.")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "lab").symlink_to(options.lab.resolve(), target_is_directory=True)
    for name in ("chapter", "plain", "quarto", "slides", "platform"):
        shutil.copytree(HERE / name, out / name)
    for spec in (out / "chapter" / "figures").glob("*.json"):
        run("app.cli", "still", spec, "--out", spec.with_suffix(".svg"))
    shutil.copytree(options.reveal / "dist", out / "slides" / "reveal")
    build_mkdocs(out / "mkdocs")
    for name, theme in THEMES.items():
        build_sphinx(theme, out / f"sphinx-{name}")
    for name, theme in {"notebook": "light", "notebook-dark": "dark"}.items():
        convert_notebook(theme, out / name)
    links = "".join(f'<li><a href="{name}/">{html.escape(title)}</a></li>' for name, title in NAMES.items())
    page = f'<!doctype html><meta charset="utf-8"><title>Examples</title><h1>Examples</h1><ul>{links}</ul>\n'
    (out / "index.html").write_text(page, encoding="utf-8")


def build_mkdocs(out: Path) -> None:
    """MkDocs with the theme Material."""
    run("mkdocs", "build", "--quiet", "--strict", "-f", HERE / "mkdocs" / "mkdocs.yml", "-d", out)


def build_sphinx(theme: str, out: Path) -> None:
    """Sphinx with one of its themes; warnings are errors."""
    trees = out.with_name(f".{out.name}")
    run("sphinx", "-q", "-W", "-b", "html", "-d", trees, "-D", f"html_theme={theme}", HERE / "sphinx", out)
    shutil.rmtree(trees)


def convert_notebook(theme: str, out: Path) -> None:
    """Run the notebook and make a page of it."""
    config = HERE / "notebook" / "jupyter_nbconvert_config.py"
    options = ["--log-level=ERROR", "--execute", "--to", "html", "--theme", theme, "--config", config]
    run("nbconvert", *options, "--output-dir", out, "--output", "index", HERE / "notebook" / "chapter.ipynb")


def run(module: str, *options: str | Path) -> None:
    """Run a tool of this environment."""
    command = [sys.executable, "-m", module, *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    if done.returncode:
        sys.exit(f"{module} failed:\n{done.stdout}{done.stderr}")


def environment() -> dict[str, str]:
    """That of the tools: a notebook's kernel is this very Python."""
    folder = Path(sys.executable).parent
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}


if __name__ == "__main__":
    main()
