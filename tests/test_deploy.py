"""The recipe for a server: commands that exist, one port throughout, nothing private shown."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from empeval.cli import build_parser

DEPLOY = Path(__file__).resolve().parents[1] / "deploy"


def commands(name: str) -> list[list[str]]:
    """What the lines of a unit, or of a shell block in the page, call empeval with."""
    text = (DEPLOY / name).read_text(encoding="utf-8").replace("$$(", "$(").replace("%%", "%")
    text = re.sub(r"\$\(date [^)]*\)", "now", text)
    found = re.findall(r"/empeval/\.venv/bin/empeval (study [^\n'|`]*)", text)
    return [shlex.split(line, comments=True) for line in found]


@pytest.mark.parametrize("name", ["empeval-study.service", "empeval-backup.service", "README.md"])
def test_commands_of_the_recipe_are_commands_of_empeval(name: str) -> None:
    """Every call parses, so that no option is out of date."""
    found = commands(name)
    assert found
    for words in found:
        assert build_parser().parse_args(words).study_command in {"serve", "backup", "validate", "status"}


def test_the_proxies_lead_to_the_port_that_is_served() -> None:
    """One port and one name in the unit, in Caddy's file and in nginx's."""
    [serve] = commands("empeval-study.service")
    port = serve[serve.index("--port") + 1]
    name = serve[serve.index("--public-url") + 1].removeprefix("https://")
    caddy = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    nginx = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    assert f"reverse_proxy 127.0.0.1:{port}" in caddy
    assert f"\n{name} {{" in caddy
    assert f"proxy_pass http://127.0.0.1:{port};" in nginx
    assert f"server_name {name};" in nginx
    assert "proxy_set_header Upgrade $http_upgrade;" in nginx
    for text in (caddy, nginx):
        assert "/_stcore/metrics" in text


def test_the_units_are_units(tmp_path: Path) -> None:
    """Each has its sections; where systemd is at hand it finds no fault, the programs of a server aside."""
    for path in sorted(DEPLOY.glob("empeval-*")):
        text = path.read_text(encoding="utf-8")
        assert {"Unit", "Timer" if path.suffix == ".timer" else "Service"} <= set(
            re.findall(r"(?m)^\[(\w+)\]$", text)
        )
        text = re.sub(r"(?m)^ExecStart=/opt\S+ .*$", "ExecStart=/bin/true", text)
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    if shutil.which("systemd-analyze") is not None:
        units = map(str, sorted(tmp_path.glob("empeval-*")))
        done = subprocess.run(
            ["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False
        )
        assert [line for line in done.stderr.splitlines() if "empeval-" in line] == []
