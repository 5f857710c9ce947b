"""What pyproject.toml cannot say: static/ stays where it is in the tree, and travels in the wheel too."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["lab*", "app*"]), "embedding_lab_static"],
    package_dir={"embedding_lab_static": "static"},
    package_data={
        "lab": ["py.typed"],
        "app": [
            "py.typed",
            "rooms/*/words.txt",
            "still/*.css",
            "still/*.json",
            "export/*.json",
            "export/*.mjs",
            "export/stubs/*.py",
        ],
        "embedding_lab_static": ["css/*", "js/*", "icons/*", "data/*"],
    },
)
