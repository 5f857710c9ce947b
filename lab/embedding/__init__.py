"""From ids to X, and from the gradient of X back to the rows of the table."""

from lab.embedding.forward import AddsToInput, embed, lookup, one_hot, one_hot_product, scale, swap_places
from lab.embedding.gradient import (
    RowGradient,
    TiedGradient,
    dense_gradient,
    mask_padding_row,
    one_hot_product_gradient,
    row_gradient,
    scatter_add,
    sort_reduce,
    tied_gradient,
)
from lab.embedding.sizes import Drowned, drowned, lengths

__all__ = [
    "AddsToInput",
    "Drowned",
    "RowGradient",
    "TiedGradient",
    "dense_gradient",
    "drowned",
    "embed",
    "lengths",
    "lookup",
    "mask_padding_row",
    "one_hot",
    "one_hot_product",
    "one_hot_product_gradient",
    "row_gradient",
    "scale",
    "scatter_add",
    "sort_reduce",
    "swap_places",
    "tied_gradient",
]
