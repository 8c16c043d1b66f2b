"""What a finished folder holds, and how its document is made anew from its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from empeval.errors import InputError
from empeval.models import using
from empeval.ratings import Measurement
from empeval.ratings.design import Wide
from empeval.report import runs
from empeval.report.agreement import agreement
from empeval.report.correlate import correlate
from empeval.report.human_columns import is_study
from empeval.report.pipeline import Options, execute
from empeval.report.preference import preference
from empeval.report.reproduce import reproduce
from empeval.report.reproduction_files import REPRODUCTION
from empeval.report.shapes import Reproduced
from empeval.statistics.correlation.resampled import Resample

__all__ = ["FOREIGN", "Kind", "kind_of"]

FOREIGN = "the options of the manifest are not those of this version of empeval"

Progress = Callable[[str], None]


@dataclass(frozen=True)
class AskedAgreement:
    """The options of a report on agreement."""

    files: tuple[str, ...]
    columns: Mapping[str, str] | None
    wide: Wide | None
    questions: tuple[str, ...] | None
    measurement: Measurement | None
    categories: tuple[str, ...] | None
    seed: int
    n_resamples: int
    level: float


@dataclass(frozen=True)
class AskedPreference:
    """The options of a report on preferences."""

    files: tuple[str, ...]
    columns: Mapping[str, str] | None
    questions: tuple[str, ...] | None
    seed: int
    n_resamples: int
    level: float


@dataclass(frozen=True)
class AskedCorrelate:
    """The options of a report on metrics against ratings; the first file is the run's scores."""

    files: tuple[str, ...]
    columns: Mapping[str, str] | None
    questions: tuple[str, ...] | None
    measurement: Measurement | None
    categories: tuple[str, ...] | None
    resample: Resample
    seed: int
    n_resamples: int
    level: float


@dataclass(frozen=True)
class Kind:
    """A kind of folder: the file with its document, the shape of its options, and what makes it anew.

    ``remake`` gets the options, the folder in which the command ran, and whom to tell about progress.
    """

    name: Literal["scores", "reproduction", "agreement", "correlate", "preference"]
    file: str
    options: type
    remake: Callable[[dict[str, Any], Path, Progress], dict[str, Any]]

    def stored(self, folder: str | Path) -> dict[str, Any]:
        """The document that lies in a folder; InputError where it is broken."""
        return runs.load(folder) if self.name == "scores" else runs.read_json(Path(folder) / self.file)

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options that a manifest holds; InputError where they are not those of a command of today."""
        if self.name == "scores":
            return asdict(Options.from_dict(given))
        if set(given) != {entry.name for entry in fields(self.options)}:
            raise InputError(FOREIGN)
        return dict(given)


def kind_of(folder: str | Path) -> Kind:
    """What a folder holds, by the document in it; scores unless it is another.

    Raises InputError for the report of a study, whose data are in a database and not in files.
    """
    if is_study(folder):
        raise InputError(
            "this is the report of a study, which is made from its database: repeat it with "
            "`empeval study report STUDY.yaml`",
            source=str(folder),
        )
    return next((kind for kind in _KINDS if (Path(folder) / kind.file).is_file()), _SCORES)


def _scores(options: dict[str, Any], home: Path, progress: Progress) -> dict[str, Any]:
    with using(base=home):  # where the models lie
        return execute(Options.from_dict(options), progress).document()


def _correlate(options: dict[str, Any], progress: Progress) -> dict[str, Any]:
    scores, *files = options.pop("files")
    return correlate(Path(scores).parent, files, **options, progress=progress).to_dict()


_SCORES = Kind("scores", runs.SCORES, Options, _scores)
_KINDS = (
    Kind(
        "reproduction",
        REPRODUCTION,
        Reproduced,
        lambda options, _, progress: reproduce(**options, progress=progress).to_dict(),
    ),
    Kind(
        "agreement",
        "agreement.json",
        AskedAgreement,
        lambda options, _, progress: agreement(**options, progress=progress).to_dict(),
    ),
    Kind(
        "correlate",
        "correlate.json",
        AskedCorrelate,
        lambda options, _, progress: _correlate(options, progress),
    ),
    Kind(
        "preference",
        "preference.json",
        AskedPreference,
        lambda options, _, progress: preference(**options, progress=progress).to_dict(),
    ),
)
