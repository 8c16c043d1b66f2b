"""How the raters' pages are started: as a process of their own, told everything by its environment."""

from __future__ import annotations

import importlib.util
import ipaddress
import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from empeval.errors import InputError, MissingExtra
from empeval.shipped import annotation_app_folder
from empeval.study.admin_access import HASH_VARIABLE
from empeval.study.secret import SECRET_VARIABLE
from empeval.study.store import ADDRESS_VARIABLE

__all__ = [
    "STUDY_VARIABLE",
    "VERSION_VARIABLE",
    "Launch",
    "admin_command",
    "is_loopback",
    "links_base",
    "serve_command",
]

#: The environment variables that name the study, and its version where that is not the latest.
STUDY_VARIABLE = "EMPEVAL_STUDY"
VERSION_VARIABLE = "EMPEVAL_STUDY_VERSION"


@dataclass(frozen=True)
class Launch:
    """A command, and its environment beside this process's own; it holds the secret, so it is not printed."""

    command: tuple[str, ...]
    environment: dict[str, str]


def serve_command(
    address: str,
    study: str,
    secret_hex: str,
    *,
    port: int = 8501,
    host: str = "127.0.0.1",
    public_url: str | None = None,
    version: int | None = None,
) -> Launch:
    """What starts the raters' pages of one study.

    ``address`` is the database's. The pages answer browsers that call them by ``host``, by the host of
    ``public_url``, or, where they listen to every network and no public address is given, by any name.
    Raises MissingExtra where Streamlit is not installed, InputError for a public address that is none.

    >>> launch = serve_command("study.db", "warmth", "00" * 16, port=8600)
    >>> launch.command[1:4], launch.environment["EMPEVAL_STUDY"]
    (('-P', '-m', 'annotation_app'), 'warmth')
    """
    if importlib.util.find_spec("streamlit") is None:
        raise MissingExtra("streamlit", "study")
    names = _names(host, public_url)
    command = [sys.executable, "-P", "-m", "annotation_app", "--host", host, "--port", str(port)]
    command += [word for name in names for word in ("--allowed-host", name)]
    package = Path(__file__).resolve().parents[2]
    paths = [str(annotation_app_folder().parent), str(package), os.environ.get("PYTHONPATH", "")]
    environment = {
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(path for path in paths if path)),
        ADDRESS_VARIABLE: address if "://" in address else str(Path(address).absolute()),
        STUDY_VARIABLE: study,
        SECRET_VARIABLE: secret_hex,
        **({} if version is None else {VERSION_VARIABLE: str(version)}),
    }
    return Launch(tuple(command), environment)


def admin_command(
    address: str,
    study: str,
    secret_hex: str,
    password_hash: str,
    *,
    port: int = 8502,
    host: str = "127.0.0.1",
    version: int | None = None,
) -> Launch:
    """What starts the researcher's page of one study, as `serve_command` starts the raters'."""
    pages = serve_command(address, study, secret_hex, port=port, host=host, version=version)
    command = tuple("annotation_app.admin" if word == "annotation_app" else word for word in pages.command)
    return Launch(command, {**pages.environment, HASH_VARIABLE: password_hash})


def links_base(host: str, port: int, public_url: str | None = None) -> str:
    """What links to the pages begin with.

    >>> links_base("127.0.0.1", 8501), links_base("0.0.0.0", 80, "https://rate.example.org/")
    ('http://127.0.0.1:8501', 'https://rate.example.org')
    """
    if public_url is not None:
        _public_host(public_url)
        return public_url.rstrip("/")
    name = socket.gethostname() if host in ("0.0.0.0", "::", "") else host
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def _names(host: str, public_url: str | None) -> list[str]:
    """The names by which browsers may call; none stands for all."""
    public = [] if public_url is None else [_public_host(public_url)]
    if is_loopback(host):
        return ["127.0.0.1", "localhost", "::1", *public]
    return [host, "127.0.0.1", "localhost", *public] if public else []


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _public_host(url: str) -> str:
    parts = urlsplit(url)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.query
        or parts.path not in ("", "/")
    ):
        raise InputError(
            f"expected an address such as https://rate.example.org, not {url!r}", source="--public-url"
        )
    return parts.hostname
