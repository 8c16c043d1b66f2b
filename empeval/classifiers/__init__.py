"""Classifiers that recognise an emotion in a text: our own small one, and networks of transformers."""

from __future__ import annotations

from empeval.classifiers.base import Classifier
from empeval.errors import InputError
from empeval.models.folder import CONFIG
from empeval.models.resources import located

__all__ = ["Classifier", "load"]


def load(path: str) -> Classifier:
    """The classifier of a folder: one that `empeval train-emotion` wrote, or a network of transformers.

    What the folder holds decides. Where there is no folder, a hub name is looked up as `empeval.models.find`
    does. A network is read when it is first asked for scores. Raises InputError that says what is missing in
    the folder or wrong with it, MissingExtra where a network is asked for and torch or transformers is not
    installed.
    """
    from empeval.classifiers import storage

    if not path.strip():
        raise InputError("no classifier is named; give the folder that holds it, classifier=FOLDER")
    folder = located(path)
    if (folder / storage.DESCRIPTION).is_file():
        return storage.read(folder)
    if folder.is_dir() and not (folder / CONFIG).is_file():
        unfinished = storage.is_ours(folder) and any(folder.iterdir())
        hint = "its training was not finished; train it again" if unfinished else "name another folder"
        raise InputError(
            f"this folder holds no classifier: neither {storage.DESCRIPTION}, as `empeval train-emotion` "
            f"writes it, nor {CONFIG}, as transformers does; {hint}",
            source=str(folder),
        )
    from empeval.classifiers import network

    return network.open_folder(path)
