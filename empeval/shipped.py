"""Where the folders are that belong to empeval but are no Python package: protocols and the annotation app.

A wheel carries them as package data under ``empeval/_shipped``; in a checkout, also one that is installed
editable, they stand beside the package. Both are found whatever the working directory.
"""

from __future__ import annotations

from pathlib import Path

from empeval.errors import InputError

__all__ = ["annotation_app_folder", "protocols_folder"]

_PACKAGE = Path(__file__).resolve().parent


def protocols_folder() -> Path:
    """The folder with one YAML file a published evaluation protocol or kind of study.

    Raises InputError if this installation lacks it.

    >>> protocols_folder().name
    'protocols'
    """
    return _folder("protocols")


def annotation_app_folder() -> Path:
    """The folder with the annotation app, which a Streamlit process runs from there.

    Raises InputError if this installation lacks it.

    >>> annotation_app_folder().name
    'annotation_app'
    """
    return _folder("annotation_app")


def _folder(name: str) -> Path:
    shipped = _PACKAGE / "_shipped" / name
    if shipped.is_dir():
        return shipped
    checkout = _PACKAGE.parent
    # Without the project file this is site-packages, where a folder of that name is somebody else's.
    if (checkout / "pyproject.toml").is_file() and (checkout / name).is_dir():
        return checkout / name
    raise InputError(
        f"the folder {name!r} is missing from this installation of empeval; "
        "install it anew with: pip install --force-reinstall --no-deps empeval",
        source=str(shipped),
    )
