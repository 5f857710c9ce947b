"""Stands in for the package of that name: Panel imports pandas where the name cannot be imported."""


def patch_all() -> None:
    """Patch nothing: nothing in the lab fetches through requests or urllib."""
