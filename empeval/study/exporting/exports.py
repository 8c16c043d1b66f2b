"""Writing an export: every table, and a manifest that says what is in them."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from empeval.errors import InputError
from empeval.study.exporting.layout import FORMATS, table_file, written
from empeval.study.exporting.tables import TABLES, gather
from empeval.study.service.admin import AdminService
from empeval.version import __version__

__all__ = ["export_study"]


def export_study(
    admin: AdminService,
    folder: str | Path,
    *,
    layout: str = "csv",
    all_revisions: bool = True,
    excel: bool = False,
) -> dict[str, Any]:
    """Write a study's tables into a folder, and give back the manifest that is written beside them.

    ``layout`` is csv, jsonl or parquet. Files of an earlier export are replaced. Raises InputError where the
    folder cannot be written.
    """
    if layout not in FORMATS:
        raise InputError(f"expected one of {', '.join(FORMATS)}, not {layout!r}")
    place = Path(folder)
    context = admin.context
    rows, study = admin.store.read(
        lambda tx: (gather(tx, context, all_revisions=all_revisions), tx.study(context.study_id))
    )
    contents = {
        table_file(place, table, layout): written(table, rows[name], layout, excel=excel)
        for name, table in TABLES.items()
    }
    manifest = {
        "study": study.slug,
        "version": study.version,
        "config_sha256": study.config_sha256,
        "empeval": __version__,
        "simulated": any(row["rater_kind"] == "simulated" for row in rows["raters"]),
        "revisions": "all" if all_revisions else "last",
        "counts": _counts(rows),
        "files": {
            path.name: {"n_rows": len(rows[path.stem]), "sha256": hashlib.sha256(content).hexdigest()}
            for path, content in contents.items()
        },
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    try:
        _replace(place, {**contents, place / "manifest.json": text.encode()})
    except OSError as error:
        raise InputError(
            f"the export cannot be written: {error.strerror or error}", source=str(place)
        ) from None
    return manifest


def _replace(folder: Path, contents: Mapping[Path, bytes]) -> None:
    """Write every file beside its place before any is put there; tables of other layouts go last."""
    folder.mkdir(parents=True, exist_ok=True)
    drafts = {path: path.with_name(f".{path.name}.{secrets.token_hex(8)}") for path in contents}
    try:
        for path, content in contents.items():
            drafts[path].write_bytes(content)
        for path, draft in drafts.items():
            draft.replace(path)
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
    for table in TABLES.values():
        for layout in FORMATS:
            if (stale := table_file(folder, table, layout)) not in contents:
                stale.unlink(missing_ok=True)


def _counts(rows: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """How many answers there are, by what became of them, and how many raters of each kind."""
    main = [row for row in rows["answers"] if row["purpose"] == "main"]
    reasons: dict[str, int] = {}
    for row in main:
        if not row["counted"]:
            reasons[row["not_counted_reason"]] = reasons.get(row["not_counted_reason"], 0) + 1
    kinds: dict[str, int] = {}
    for row in rows["raters"]:
        kinds[row["rater_kind"]] = kinds.get(row["rater_kind"], 0) + 1
    return {
        "counted": sum(row["counted"] for row in main),
        "not_counted": dict(sorted(reasons.items())),
        "checks": len(rows["answers"]) - len(main),
        "raters": dict(sorted(kinds.items())),
    }
