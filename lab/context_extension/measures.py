"""What an extension does to the pairs: ratios, wavelengths, gain, and how far apart neighbours stay."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lab.notation import FloatArray, as_floats, check_count, check_positive
from lab.positions.rope import Extension, plain_frequencies


def check_frequencies(name: str, inv_freq: ArrayLike) -> FloatArray:
    """Return frequencies as a float array of shape (pairs,).

    Raises
    ------
    ValueError
        If they are not a vector of finite numbers, none below 0.

    Examples
    --------
    >>> check_frequencies("inv_freq", [1, 0])
    array([1., 0.])
    """
    array = as_floats(f"{name} (pairs,)", inv_freq, (None,))
    if (array < 0).any():
        raise ValueError(f"{name} must not be negative; got {array.min()}")
    return array


def ratio(d: int, base: float, extension: Extension) -> FloatArray:
    """Return the frequency of each pair over that of plain RoPE: shape (d / 2,).

    Raises
    ------
    ValueError
        If the width or the base does not suit the extension.

    Examples
    --------
    >>> from lab.context_extension.interpolation import Linear
    >>> ratio(4, 10_000.0, Linear(factor=4.0))
    array([0.25, 0.25])
    """
    ratios: FloatArray = np.asarray(extension(d, base)[0]) / plain_frequencies(d, base)[0]
    return ratios


def wavelengths(inv_freq: ArrayLike) -> FloatArray:
    """Return how many positions each pair takes for a turn, 2π / inv_freq; infinite at frequency 0: (pairs,).

    Raises
    ------
    ValueError
        If a frequency is negative or not finite.

    Examples
    --------
    >>> wavelengths([1.0, 0.01]).round(2)
    array([  6.28, 628.32])
    """
    with np.errstate(divide="ignore"):
        lengths: FloatArray = 2 * np.pi / check_frequencies("inv_freq", inv_freq)
    return lengths


def logit_gain(attention_factor: float) -> float:
    """Return what the multiplier of cos and sin does to a score: its square, as it is in both q and k.

    Raises
    ------
    ValueError
        If the factor is not a finite number above 0.

    Examples
    --------
    >>> round(logit_gain(1.4852), 4)
    2.2058
    """
    return check_positive("attention factor", attention_factor) ** 2


def neighbour_angle(inv_freq: ArrayLike) -> FloatArray:
    """Return the angle between neighbouring positions in each pair, in radians, 0 to π: (pairs,) -> (pairs,).

    Raises
    ------
    ValueError
        If a frequency is negative or not finite.

    Examples
    --------
    >>> neighbour_angle([1.0, 0.25])
    array([1.  , 0.25])
    """
    turned = check_frequencies("inv_freq", inv_freq) % (2 * np.pi)
    angles: FloatArray = np.minimum(turned, 2 * np.pi - turned)
    return angles


def neighbour_distance(inv_freq: ArrayLike) -> float:
    """Return how far a vector of length 1 moves from one position to the next, 0 to 2.

    Its energy is even over the pairs. Each pair moves by the chord 2 sin(angle / 2); this is the root
    mean square.

    Raises
    ------
    ValueError
        If there is no pair, or a frequency is negative or not finite.

    Examples
    --------
    >>> round(neighbour_distance([1.0, 0.0]), 3)
    0.678
    """
    angles = neighbour_angle(inv_freq)
    if angles.size == 0:
        raise ValueError("inv_freq (pairs,) holds no pair; give at least one")
    return float(np.sqrt(np.mean((2 * np.sin(angles / 2)) ** 2)))


def block_mean(inv_freq: ArrayLike, block: int) -> FloatArray:
    """Return what a mean over a block of neighbouring distances leaves of each pair: (pairs,) -> (pairs,).

    Over a block of odd length around distance n the mean of cos(w n) and of sin(w n) is its value in the
    middle times sin(block w / 2) / (block sin(w / 2)): an exact mean costs one score, however long the block.

    Parameters
    ----------
    inv_freq : array_like
        Radians per position, shape (pairs,).
    block : int
        Neighbouring distances, an odd number.

    Raises
    ------
    ValueError
        If the block is even or below 1, or a frequency negative or not finite.

    References
    ----------
    The Dirichlet kernel: the sum of cos(w j) over j from -m to m is sin((2 m + 1) w / 2) / sin(w / 2).

    Examples
    --------
    >>> block_mean([0.0, np.pi / 3], 3).round(3)
    array([1.   , 0.667])
    """
    if check_count("block", block) % 2 == 0:
        raise ValueError(f"block must be odd, so that it has a middle; got {block}")
    half = check_frequencies("inv_freq", inv_freq) % (2 * np.pi) / 2
    below = block * np.sin(half)
    left = np.ones_like(half)
    np.divide(np.sin(block * half), below, out=left, where=below != 0)
    return left
