"""What distance between rows means: cosines, neighbours, maps, and sums that can be read back."""

from lab.geometry.similarity import (
    UNDEFINED,
    Isotropy,
    Neighbours,
    analogy,
    cosine,
    cosine_matrix,
    isotropy,
    neighbours,
    unit_rows,
)
from lab.geometry.structure import (
    PCA,
    ReadBack,
    cosine_by_lag,
    pca,
    read_back,
    spearman,
    variance_explained_by_lag,
)

__all__ = [
    "PCA",
    "UNDEFINED",
    "Isotropy",
    "Neighbours",
    "ReadBack",
    "analogy",
    "cosine",
    "cosine_by_lag",
    "cosine_matrix",
    "isotropy",
    "neighbours",
    "pca",
    "read_back",
    "spearman",
    "unit_rows",
    "variance_explained_by_lag",
]
