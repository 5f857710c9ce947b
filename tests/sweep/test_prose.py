"""The reader of the sweep finds what it is for, and leaves good prose alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sweep import contract, prose


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The mean is nan.", "not a number"),
        ("The mean is NaN.", "not a number"),
        ("It takes None of them.", "None"),
        ("The score is −inf.", "infinity as Python writes it"),
        ("Causal: mask=True.", "a truth value"),
        ("It is np.float64(3).", "Python's own words"),
        ("A base of 1e+06.", "an exponent as Python writes it"),
        ("It moves by -3.", "a hyphen for a minus"),
        ("A change of −0.", "minus nothing"),
        ("Two  spaces.", "spaces in a row"),
        ("A word . Next.", "a space before a stop"),
        ("The end..", "stops in a row"),
        ("It holds () here.", "nothing between brackets"),
        ("A lost \ufffd sign.", "a lost character"),
        ("Base 10000 is taken.", "digits in a row"),
        ("About 0.30000000000000004.", "more decimals than anybody reads"),
        ("The 2th row.", "a wrong ordinal"),
        ("The 11st row.", "a wrong ordinal"),
        ("It reads 1 tokens.", "one with a plural"),
        ("There are 1 learned rows.", "one with a plural"),
        ("All 1 frequencies turn.", "one with a plural"),
        ("Here 1 token are read.", "one with a verb of many"),
        ("It reads 12 token.", "many with a singular"),
    ],
)
def test_a_fault_is_found(text: str, kind: str) -> None:
    assert kind in [fault.kind for fault in prose.faults(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Position 1 of the tokens is −0.5, and 1 token follows; 1,001 rows, 21 heads, 0.1 steps.",
        "None is near it. True of any map. It is 1 of 4 rows, e.g. row 1, is it? Yes: .5 of them… and so on.",
        "The 1st, 2nd, 3rd, 4th, 11th, 12th, 13th and 21st of 50,257 rows, from 1.2e−5 to 1.0e−17.",
        "Llama-2-7B at T × D = 5 × 4 row by row, GPT-2, float64, the tokens are the, ., end.",
        "A layer 1 tokens read: np.add.at sums them.",
    ],
)
def test_good_prose_is_left_alone(text: str) -> None:
    assert prose.faults(text) == ()


def test_a_readers_own_words_may_say_what_they_like() -> None:
    assert prose.faults("‘-5 nan’ is no word, nor is -5,nan here.", ("-5,nan",)) == ()
    assert prose.faults("-5,nan here.") != ()


def test_a_rounded_whole_is_seen() -> None:
    assert [share for share, _ in prose.wholes("100 % and 0 % of 50 %, 99.100 %, 10 %")] == [1.0, 0.0]


def test_html_is_read_block_by_block() -> None:
    said = prose.texts_of('<p>1 <b>tokens</b></p><p>x</p><i title="tip">4</i><i>5</i><code>nan</code>')
    assert said == ["1 tokens", "x", "tip", "4 | 5"]


def test_a_snippet_is_run_and_compared() -> None:
    got = contract.run("import numpy as np\nprint(1)\nresult = np.array([1.0, 2.0])")
    assert list(contract.compare(got, np.array([1.0, 2.0 + 1e-9]))) == []
    assert [one.kind for one in contract.compare(got, np.array([1.0, 2.1]))] == [
        "another result than the figure's"
    ]
    assert [one.kind for one in contract.compare(got, np.zeros(3))] == ["another shape than the figure's"]
    assert contract.imported("import numpy as np\nfrom lab.data import x") == {"numpy", "lab"}
