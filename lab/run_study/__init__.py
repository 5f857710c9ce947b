"""What training runs show: where the character rows went, and what a model without positions still knows."""

from lab.run_study.order import OrderChange, order_change
from lab.run_study.rows import RowMaps, SameClass, alike, commonest, occurrences, row_maps, same_class

__all__ = [
    "OrderChange",
    "RowMaps",
    "SameClass",
    "alike",
    "commonest",
    "occurrences",
    "order_change",
    "row_maps",
    "same_class",
]
