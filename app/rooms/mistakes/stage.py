"""The parts of the page in HTML: the mistake, what is read, what stays right, the test."""

from __future__ import annotations

from app.kit.html import EMPTY, Markup, join, tag
from app.kit.matrix import matrix, verdict
from app.kit.schemes import legend
from app.rooms.mistakes.compute import View, every_verdict
from app.rooms.mistakes.pages import RIGHT, WRONG, Reading
from lab.mistakes import MISTAKES, SYMPTOM_SENTENCES, Verdict

COLOURS = {RIGHT: "accent", WRONG: "bad"}
"""Tokens of both versions; red and blue stay apart with colour-blindness, red and green would not."""


def fits(view: View) -> Markup:
    """How many mistakes fit what a reader sees, above their list."""
    if not view.seen:
        return tag("p", f"All {len(view.fits)} mistakes")
    count = f"{len(view.fits)} of {len(MISTAKES)} fit" if len(view.fits) > 1 else "One mistake fits"
    return tag("p", f"{count}: “{view.seen}”")


def top(view: View) -> Markup:
    """The mistake: what goes wrong, and how it shows."""
    seen = join((f"“{SYMPTOM_SENTENCES[key]}”" for key in view.mistake.symptom_tags), " · ")
    return tag(
        "div",
        tag("h2", view.mistake.title),
        tag("p", view.mistake.why),
        tag("p", "Seen as: ", seen, class_="lab-mistakes-seen"),
        class_="lab-mistakes-top",
    )


def head(view: View) -> Markup:
    """What the figure shows, and the colours of its versions."""
    said = tag("p", tag("b", view.run.symptom.title))
    if view.run.symptom.kind == "matrix":
        return said  # each matrix carries its name
    return join([said, legend((name, COLOURS[name]) for name in (RIGHT, WRONG))])


def matrices(view: View) -> Markup:
    """Both versions of a matrix on one colour scale, the chosen one put forward."""
    symptom = view.run.symptom
    if symptom.kind != "matrix":
        return EMPTY
    strongest = max(float(abs(values).max()) for values in (symptom.right, symptom.wrong))
    pairs = zip(symptom.right.tolist(), symptom.wrong.tolist(), strict=True)
    # what one version lets through and the other does not
    differ = [
        (i, j)
        for i, (right, wrong) in enumerate(pairs)
        for j in range(len(right))
        if (right[j] == 0) != (wrong[j] == 0)
    ]
    shown = (
        tag(
            "div",
            matrix(
                values,
                title=name,
                under=f"{symptom.y_label} down, {symptom.x_label} across",
                rows=symptom.names,
                columns=[f"{place:.0f}" for place in symptom.x.tolist()],
                strongest=strongest,
                marked_cells=differ if name == WRONG else (),
                digits=2,
                signed=False,
            ),
            class_="lab-mistakes-forward" if name == view.version else "lab-mistakes-behind",
        )
        for name, values in ((RIGHT, symptom.right), (WRONG, symptom.wrong))
    )
    return tag("div", join(shown), class_="lab-mistakes-two")


def readings(view: View) -> Markup:
    """The numbers at the cursor, the verdict on the version in force, and the page's own picture."""
    boxes = join(_reading(reading, view.version) for reading in view.page.reads(view.run, view.place))
    said = view.run.verdicts[view.version]
    return join(
        [
            tag("dl", boxes, class_="lab-mistakes-reads"),
            verdict(told(view, said), "good" if said.passed else "bad"),
            view.page.detail(view.run, view.place),
        ]
    )


def _reading(reading: Reading, version: str) -> Markup:
    colour = COLOURS.get(reading.of, "edge" if reading.of else "line")
    return tag(
        "div",
        tag("dt", reading.name),
        tag("dd", tag("b", reading.value), tag("span", reading.note) if reading.note else ""),
        style=f"--c: var(--{colour})",
        class_="lab-marked" if reading.of == version else None,
    )


def told(view: View, said: Verdict) -> str:
    """The verdict on the version in force as a sentence."""
    if not said.passed:
        return f"The test fails the {view.version} version: {said.message}."
    if view.version == RIGHT:
        return "The test passes the right version."
    return "The test passes the wrong version too: with these numbers both do the same."


def checks(view: View) -> Markup:
    """What stays right on the wrong version, beside what the test says of each version."""
    stays = join(_check(holds, sentence[0].upper() + sentence[1:]) for sentence, holds in view.run.stays)
    tested = join(
        _check(said.passed, tag("b", name), f": {said.message or 'passes'}", marked=name == view.version)
        for name, said in view.run.verdicts.items()
    )
    return tag(
        "div",
        tag(
            "section",
            tag("h2", "What stays deceptively right"),
            tag("p", "Checked on the wrong version just now.", class_="lab-soft"),
            tag("ul", stays, class_="lab-mistakes-checks"),
        ),
        tag(
            "section",
            tag("h2", "The test that catches it"),
            tag("p", "Run just now, on every version.", class_="lab-soft"),
            tag("ul", tested, class_="lab-mistakes-checks"),
        ),
        class_="lab-mistakes-two",
    )


def _check(holds: bool, *words: object, marked: bool = False) -> Markup:
    sign = tag(
        "b",
        "✓" if holds else "✗",
        class_="lab-good" if holds else "lab-bad",
        role="img",
        aria_label="holds:" if holds else "fails:",
    )
    return tag("li", sign, tag("span", *words), class_="lab-marked" if marked else None)


def source(view: View) -> Markup:
    """The test itself, as it ran."""
    text = view.mistake.detector.source
    return tag(
        "div",
        tag("h2", "Its source"),
        tag(
            "p",
            "This text is what ran, on each version in turn, with the inputs of the figure. The mistake: "
            f"{view.mistake.source}.",
            class_="lab-soft",
        ),
        tag(
            "div",
            tag("button", "Copy", type="button", class_="lab-copy", data_copy=text),
            tag("pre", tag("code", text), tabindex="0"),
            class_="lab-code",
        ),
        class_="lab-mistakes-source",
    )


def rivals(view: View) -> Markup:
    """What else fits the symptom, and what the test of each says."""
    others = [key for key in view.fits if key != view.key]
    if not view.seen or not others:
        return EMPTY
    told_apart = join(
        _check(False, tag("b", MISTAKES[key].title), f": {every_verdict()[key].message}") for key in others
    )
    return tag(
        "div",
        tag("h2", "What else looks like this"),
        tag(
            "p",
            f"“{view.seen}” has {len(view.fits)} causes here. Run the test of each on your own code.",
            class_="lab-soft",
        ),
        tag("ul", told_apart, class_="lab-mistakes-checks"),
    )
