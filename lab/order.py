"""Does a layer notice the order of its tokens? Permutations, and the causal mask.

A map f is equivariant if permuting the rows that go in permutes the rows that come out and does nothing else:
f(Px) = P f(x). Attention without positions and without a mask is.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from lab.attention import Attention, causal_mask, self_attention
from lab.notation import FloatArray, IntArray, as_floats, as_positions, check_count, readonly
from lab.positions import SCHEMES, Scheme


class Equivariance(NamedTuple):
    """What a map does with permuted rows, beside what it would do if it were equivariant."""

    after: FloatArray
    """f(Px): the rows permuted first, shape (T, width)."""
    moved: FloatArray
    """P f(x): the rows permuted last, shape (T, width)."""
    gap: float
    """Largest absolute difference between the two."""


def check_permutation(order: ArrayLike, T: int) -> IntArray:
    """Return ``order`` if it names each of the rows 0 .. T - 1 once: row t of Px is row ``order[t]`` of x.

    Raises
    ------
    ValueError
        If a row is missing or named twice.

    Examples
    --------
    >>> check_permutation([2, 0, 1], T=3)
    array([2, 0, 1])
    """
    rows = as_positions(order)
    if not np.array_equal(np.sort(rows), np.arange(T)):
        raise ValueError(
            f"a permutation of {T} rows names each of 0 to {T - 1} once; got {rows.tolist()[:16]}"
        )
    return rows


def equivariance(f: Callable[[FloatArray], ArrayLike], x: ArrayLike, order: ArrayLike) -> Equivariance:
    """Compare f(Px) with P f(x).

    Parameters
    ----------
    f : callable
        Takes rows (T, D) and returns rows (T, width).
    x : array_like
        Shape (T, D).
    order : array_like of int
        Shape (T,); row t of Px is row ``order[t]`` of x.

    Raises
    ------
    ValueError
        If the order is no permutation of the rows, or f does not return T rows.

    References
    ----------
    Lee et al. 2019, arXiv:1810.00825, section 3.

    Examples
    --------
    A map that treats each row alike is equivariant, one that counts rows is not:

    >>> x = np.array([[1.0], [2.0], [4.0]])
    >>> equivariance(lambda rows: rows**2, x, [2, 1, 0]).gap
    0.0
    >>> equivariance(lambda rows: np.cumsum(rows, axis=0), x, [2, 1, 0]).gap
    6.0
    """
    rows = as_floats("x (T, D)", x, (None, None))
    T = len(rows)
    order = check_permutation(order, T)
    after = as_floats("f(Px) (T, width)", f(rows[order]), (T, None))
    moved = as_floats("f(x) (T, width)", f(rows), (T, None))[order]
    gap = float(np.abs(after - moved).max()) if after.size else 0.0
    return Equivariance(after, moved, gap)


def shuffled(T: int, seed: int) -> IntArray:
    """Draw an order of T rows that is not the present one, where there is another: shape (T,).

    Raises
    ------
    ValueError
        If T is not a whole number of at least 1.

    Examples
    --------
    >>> shuffled(2, seed=0), shuffled(1, seed=0)
    (array([1, 0]), array([0]))
    """
    order = np.random.default_rng(seed).permutation(check_count("T", T))
    # the identity would show nothing; one step round is as good an order as any
    return np.roll(order, 1) if np.array_equal(order, np.arange(T)) else order


def word_key(word: str) -> int:
    """Return the number that, beside the seed, draws the row of a word.

    It depends on the letters alone, so a word has the same row in every sentence. (Python's own hash differs
    from run to run.)

    Examples
    --------
    >>> word_key("dog")
    2167159165
    """
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))


def word_rows(words: Sequence[str], D: int, seed: int) -> FloatArray:
    """Draw a row of standard normal numbers for each word, equal words equal rows: shape (T, D).

    Raises
    ------
    ValueError
        If there is no word, or the width is below 1.

    Examples
    --------
    >>> rows = word_rows(["dog", "bites", "dog"], D=4, seed=0)
    >>> bool((rows[0] == rows[2]).all()), bool((rows[0] == rows[1]).any())
    (True, False)
    """
    check_count("number of words", len(words))
    width = check_count("width D", D)
    return np.stack([np.random.default_rng([seed, word_key(word)]).standard_normal(width) for word in words])


def known_rows(
    words: Sequence[str], tokens: Sequence[str], given: FloatArray, drawn: FloatArray
) -> FloatArray:
    """Return the given row of each word that is a token, else its drawn one: shape (T, D).

    Where the words begin with all the tokens, each has the row of its place; two equal tokens may then have
    different rows.

    Parameters
    ----------
    words, tokens : sequence of str
        Spaces around them are no difference.
    given : numpy.ndarray
        Rows of the tokens, shape (tokens, D).
    drawn : numpy.ndarray
        Rows of the words, shape (T, D).

    Examples
    --------
    >>> known_rows(["b", "c"], [" a", " b"], np.array([[1.0], [2.0]]), np.array([[8.0], [9.0]])).tolist()
    [[2.0], [9.0]]
    """
    names = [token.strip() for token in tokens]
    plain = [word.strip() for word in words]
    in_place = plain[: len(names)] == names
    rows = drawn.copy()
    for at, word in enumerate(plain):
        if word in names:
            rows[at] = given[at if in_place and at < len(names) else names.index(word)]
    return readonly(rows)


@dataclass(frozen=True, eq=False)
class Layer:
    """One self-attention with drawn weights and a position scheme.

    Attributes
    ----------
    Wq, Wk, Wv : numpy.ndarray
        Shape (D, H * d) with H * d = D; normal numbers with variance 1 / D, so that queries and keys of
        normal rows are of size 1 and no weight saturates.
    H : int
        Heads.
    scheme : Scheme
        Tells the layer where each token stands.
    """

    Wq: FloatArray
    Wk: FloatArray
    Wv: FloatArray
    H: int
    scheme: Scheme

    @classmethod
    def draw(
        cls,
        scheme: str,
        *,
        D: int,
        H: int,
        max_positions: int,
        seed: int,
        width: int | None = None,
        given: Mapping[str, FloatArray] = MappingProxyType({}),
    ) -> Self:
        """Draw the weights, and the table where the scheme is a learned one, from ``seed``.

        ``width`` is that of all heads, D if not told. Wq, Wk and Wv may be ``given``, each by its name.

        The table has a generator of its own, spawned from that of the weights: one that began at the same
        seed would draw the same numbers again, and the first rows of P would be those of Wq.

        Raises
        ------
        ValueError
            If the scheme is unknown, or the width does not split into H heads.
        """
        if scheme not in SCHEMES:
            raise ValueError(f"scheme {scheme!r} is unknown; choose one of {', '.join(SCHEMES)}")
        W = check_count("width D", D) if width is None else width
        d, rest = divmod(W, check_count("heads H", H))
        if rest or d == 0:
            raise ValueError(f"a width of {W} does not split into {H} heads; take a multiple of {H}")
        rng = np.random.default_rng(seed)
        (of_table,) = rng.spawn(1)
        drawn = zip(("Wq", "Wk", "Wv"), rng.standard_normal((3, D, W)) / np.sqrt(D), strict=True)
        Wq, Wk, Wv = (given.get(name, weights) for name, weights in drawn)
        made = SCHEMES[scheme].build(D=D, H=H, d=d, max_positions=max_positions, rng=of_table)
        return cls(Wq, Wk, Wv, H, made)

    def attend(
        self, x: ArrayLike, *, pos: ArrayLike | None = None, mask: ArrayLike | None = None
    ) -> Attention:
        """Attend from each row of x (T, D) to those the mask lets it see.

        Examples
        --------
        >>> layer = Layer.draw("none", D=8, H=2, max_positions=8, seed=0)
        >>> x = word_rows(["dog", "bites", "man"], D=8, seed=0)
        >>> equivariance(lambda rows: layer.attend(rows).output, x, [2, 1, 0]).gap < 1e-12
        True
        """
        return self_attention(x, self.Wq, self.Wk, self.Wv, H=self.H, scheme=self.scheme, pos=pos, mask=mask)


def marked_first(T: int, *, causal: bool) -> FloatArray:
    """Return what uniform attention makes of a mark on the first token, at each place: shape (T,).

    Queries of 0 score every key alike. Under the causal mask place t (from 1) averages over t tokens, one of
    them marked, so its output is 1 / t and tells the place. Without a mask each place gets 1 / T.

    Raises
    ------
    ValueError
        If T is not a whole number of at least 1.

    References
    ----------
    Haviv et al. 2022, arXiv:2203.16634; Kazemnejad et al. 2023, arXiv:2305.19466, theorem 1.

    Examples
    --------
    >>> marked_first(4, causal=True).round(3), marked_first(4, causal=False)
    (array([1.   , 0.5  , 0.333, 0.25 ]), array([0.25, 0.25, 0.25, 0.25]))
    """
    places = np.arange(check_count("T", T))
    x = (places == 0).astype(np.float64)[:, None]  # (T,) -> (T, 1)
    mask = causal_mask(places, places) if causal else None
    zero, one = np.zeros((1, 1)), np.ones((1, 1))
    outputs: FloatArray = self_attention(x, zero, zero, one, H=1, mask=mask).output[:, 0]  # (T, 1) -> (T,)
    return outputs
