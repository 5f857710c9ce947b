"""NumPy code of the room `gradient`: the tokens of a run, and what each figure makes of them."""

from __future__ import annotations

from typing import Any

from app.kit.figure import Snapshot
from app.rooms.gradient.model.run import edges_of, run_of
from app.rooms.gradient.model.sources import OwnText, source_of
from app.rooms.gradient.model.views import (
    FOLLOWED_BINS,
    FOLLOWED_EACH,
    OneRow,
    Tied,
)
from lab.row_optimizers import ROW_OPTIMIZERS
from lab.zipf import rank_bins


def of_rows(s: Snapshot, short: str) -> str:
    """Code of the picture: the share of each bin's rows that a step moves."""
    rule = ROW_OPTIMIZERS[s.optimizer]
    if s.tied or rule.key == "adamw":
        why = "the output layer reaches every row" if s.tied else "weight decay moves every row"
        moved = f"result = np.ones((len(edges) - 1, steps))  # {why}\n"
    else:
        drawn, why = (
            ("ids[: step + 1]", "its memory moves every row it has seen")
            if rule.moves_unseen
            else ("ids[step]", "only rows with a gradient move")
        )
        moved = _MOVED.format(drawn=drawn, why=f"{short}: {why}")
    return of_run(s) + _EDGES.format(edges=edges_of(run_of(s).V, s.zoom).tolist()) + moved


def of_ranks(s: Snapshot, step: int) -> str:
    """Code of the means by rank after a step."""
    edges = rank_bins(run_of(s).V, FOLLOWED_BINS).tolist()
    means = _MEANS.format(each=FOLLOWED_EACH, rule=s.optimizer, step=step)
    return of_run(s) + _FOLLOW + _EDGES.format(edges=edges) + means


def of_row(view: OneRow) -> str:
    """Code of one row under every optimizer."""
    return of_run(view.s) + _FOLLOW + _ONE.format(rank=view.rank, rules=list(ROW_OPTIMIZERS))


def of_tied(view: Tied) -> str:
    """Code of the norms of both parts."""
    s, size = view.s, {"V": view.V, "N": view.tokens, "seed": view.s.seed}
    if s.source == "zipf":
        return _LAW.format(V=view.V, s=s.exponent, thin="") + _TIED_LAW.format(**size) + _TIED
    source: Any = view.source
    if source.running:
        return _book(source) + _TIED_BOOK.format(**size) + _TIED
    counts = _COUNTS.format(counts=list(source.counts[: view.V]), thin="")
    return counts + _TIED_LAW.format(**size) + _TIED


def of_run(s: Snapshot) -> str:
    """Code of the ids of a run, with p, V, N, steps and the seed."""
    if s.source == "zipf":
        law = _LAW.format(V=s.V, s=s.exponent, thin=_THIN_LAW.format(t=s.subsample) if s.subsample else "")
        return law + _DRAWN.format(steps=s.steps, batch=s.batch, length=s.length, seed=s.seed)
    source: Any = source_of(s)
    if not source.running:
        thin = _THIN_LAW.format(t=s.subsample) if s.subsample else ""
        counted = _COUNTS.format(counts=list(source.counts), thin=thin)
        return counted + _DRAWN.format(steps=s.steps, batch=s.batch, length=s.length, seed=s.seed)
    thin = _THIN_BOOK.format(t=s.subsample) if s.subsample else ""
    return _book(source) + _CUT.format(steps=s.steps, batch=s.batch, length=s.length, seed=s.seed, thin=thin)


def _book(source: Any) -> str:
    """A text as row ids."""
    if isinstance(source, OwnText):
        plain = source.text.lower().replace("’", "'")
        return _BOOK.format(load="", text=ascii(plain))
    return _BOOK.format(load="from lab.data import shakespeare\n\n", text="shakespeare().lower()")


_COUNTS = """import numpy as np

counts = np.array({counts})  # the most frequent first
V = len(counts)
p = counts / counts.sum()
{thin}cumulative = np.cumsum(p)
cumulative /= cumulative[-1]
"""
_LAW = """import numpy as np

V, s = {V}, {s!r}
p = np.arange(1, V + 1, dtype=float) ** -s
p /= p.sum()
{thin}cumulative = np.cumsum(p)
cumulative /= cumulative[-1]
"""
_THIN_LAW = """t = {t!r}
p *= np.sqrt(t / np.maximum(p, t))  # word2vec's subsampling: min(1, sqrt(t / p)) are kept
p /= p.sum()
"""
_DRAWN = """steps, N, seed = {steps}, {batch} * {length}, {seed}
uniform = np.random.default_rng(seed).random((steps, N))
ids = np.searchsorted(cumulative, uniform, side="right")  # (steps, N); id 0 is the most frequent token

"""
_BOOK = """import re
from collections import Counter

import numpy as np

{load}found = re.findall(r"[^\\W\\d_]+(?:'[^\\W\\d_]+)?", {text})
ranked = sorted(Counter(found).items(), key=lambda pair: (-pair[1], pair[0]))
row = {{word: i for i, (word, _) in enumerate(ranked)}}
book, V = np.array([row[word] for word in found]), len(row)
"""
_CUT = """steps, batch, length, seed = {steps}, {batch}, {length}, {seed}
N = batch * length
rng = np.random.default_rng(seed)
{thin}p = np.bincount(book, minlength=V) / len(book)
starts = rng.integers(0, len(book) - length + 1, size=(steps, batch))
ids = book[starts[..., None] + np.arange(length)].reshape(steps, N)  # id 0 is the most frequent word

"""
_THIN_BOOK = """f = np.bincount(book, minlength=V) / len(book)
t = {t!r}
keep = np.sqrt(t / np.maximum(f, t))  # word2vec's subsampling: min(1, sqrt(t / f))
book = book[rng.random(len(book)) < keep[book]]
rng = np.random.default_rng(seed)
"""
_EDGES = """edges = np.array({edges})  # bin k: ids edges[k] to edges[k + 1] - 1

"""
_MOVED = """result = np.empty((len(edges) - 1, steps))
for step in range(steps):
    rows = np.unique({drawn})  # {why}
    result[:, step] = np.diff(np.searchsorted(rows, edges)) / np.diff(edges)
"""
SEEN = """expected = [(1 - (1 - p) ** (N * n)).sum() for n in range(1, steps + 1)]  # the closed form
seen, result = np.zeros(V, dtype=bool), []
for step in range(steps):
    seen[ids[step]] = True
    result.append(seen.sum())
"""
_FOLLOW = """
def follow(counts, rule, seed):
    S = counts.shape[1]
    rng = np.random.default_rng(seed)
    start = rng.standard_normal((S, 8)) / np.sqrt(8)
    pull = rng.standard_normal((S, 8))
    target = start + pull / np.linalg.norm(pull, axis=1, keepdims=True)
    noise = rng.standard_normal((steps, S, 8)) / np.sqrt(8) * np.sqrt(counts)[:, :, None]
    E, (u, m, s), (norms, moved, left) = start.copy(), np.zeros((3, S, 8)), np.zeros((3, steps, S))
    for n, c in enumerate(counts, start=1):
        g = (c[:, None] * (E - target) - noise[n - 1]) / N  # 0 where the token does not occur
        if rule == "sgd":
            E -= g
        elif rule == "momentum":
            u = 0.9 * u + g
            E -= u
        elif rule == "lazy_adam":
            on = c > 0
            m[on], s[on] = 0.9 * m[on] + 0.1 * g[on], 0.999 * s[on] + 0.001 * g[on] ** 2
            unbias = np.sqrt(1 - 0.999**n) / (1 - 0.9**n)
            E[on] -= 0.01 * unbias * m[on] / (np.sqrt(s[on]) + 1e-8)
        else:
            E *= 1 - 0.01 * 0.01 if rule == "adamw" else 1
            m, s = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g**2
            E -= 0.01 * m / (1 - 0.9**n) / (np.sqrt(s / (1 - 0.999**n)) + 1e-8)
        norms[n - 1] = np.linalg.norm(g, axis=1)
        moved[n - 1] = np.linalg.norm(E - start, axis=1)
        left[n - 1] = np.linalg.norm(E - target, axis=1)
    return norms, moved, left


"""
_MEANS = """width = np.diff(edges)
size = np.minimum(width, {each})  # rows of each bin that are followed
rows = np.concatenate([low + np.arange(n) * w // n for low, w, n in zip(edges, width, size)])
counts = np.stack([np.bincount(drawn, minlength=V)[rows] for drawn in ids])  # (steps, rows)
norms, moved, left = follow(counts, "{rule}", seed)

step, first = {step}, np.cumsum([0, *size[:-1]])
norms = np.add.reduceat(norms[:step].mean(axis=0), first) / size
norms[norms == 0] = np.nan  # none of the bin's rows has occurred yet
moved, left = (np.add.reduceat(one[step - 1], first) / size for one in (moved, left))
result = [norms, moved, left]
"""
_ONE = """rank = {rank}
counts = (ids == rank - 1).sum(axis=1)[:, None]  # (steps, 1)
rules = {rules}
result = [follow(counts, rule, (seed, rank))[1][:, 0] for rule in rules]  # distance from its start
"""
_TIED_LAW = """N, seed = {N}, {seed}
text = np.searchsorted(cumulative, np.random.default_rng(seed).random(N + 1), side="right")
"""
_TIED_BOOK = """V, N, seed = {V}, {N}, {seed}
text = book[book < V][: N + 1]
"""
_TIED = """E = np.random.default_rng(seed).standard_normal((V, 16)) / np.sqrt(16)
before, after = text[:-1], text[1:]
h = E[before]  # (N, D)
error = np.exp(h @ E.T)  # (N, V)
error /= error.sum(axis=1, keepdims=True)
error[np.arange(N), after] -= 1  # probability less target
error /= N
input_part = np.zeros_like(E)
np.add.at(input_part, before, error @ E)
result = np.linalg.norm([input_part, error.T @ h], axis=2)  # (2, V)
"""
REPEATS = """import numpy as np

ids = {ids}
right, wrong = np.zeros((2, max(ids) + 1))
np.add.at(right, ids, 1)
wrong[ids] += 1  # reads each row once: of its repeats one is left
result = [right, wrong]
"""
WAYS = """ids = ids[0, :{tokens}]
G = np.random.default_rng(seed).standard_normal((len(ids), {width}), dtype=np.float32)
rows, ids = np.unique(ids, return_inverse=True)  # rows that no token touches are 0 in every way

scatter = np.zeros((len(rows), {width}), dtype=np.float32)
np.add.at(scatter, ids, G)
order = np.argsort(ids, kind="stable")
reduced = np.add.reduceat(G[order], np.searchsorted(ids[order], range(len(rows))), axis=0)
product = np.eye(len(rows), dtype=np.float32)[ids].T @ G
print(np.ptp([scatter, reduced, product], axis=0).max())  # the same terms, added in different orders
result = scatter
"""
