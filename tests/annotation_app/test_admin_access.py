"""The password of the researcher's page: tries at once, hashes that are none, files that others may read."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

pytest.importorskip("argon2")

from argon2 import PasswordHasher

from empeval.cli import main
from empeval.errors import InputError
from empeval.study.admin_access import HASH_VARIABLE, Door, load_hash, new_password, save_password

PASSWORD = "a password for tests"
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def test_tries_at_once_do_not_pass_by_the_count() -> None:
    """Of twenty guesses that come together five are looked at; then the right one opens nothing."""
    door = Door(QUICK.hash(PASSWORD))
    together = threading.Barrier(20)
    opened = []

    def guess(i: int) -> None:
        together.wait()
        opened.append(door.opens(f"guess {i}", 100.0))

    threads = [threading.Thread(target=guess, args=(i,)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [False] * 20 == opened
    assert 300.0 == door.wait(100.0)
    assert not door.opens(PASSWORD, 399.0)
    assert door.opens(PASSWORD, 400.0)


def test_a_right_password_forgives_wrong_ones_before_it() -> None:
    """Four slips and a success leave five tries again."""
    door = Door(QUICK.hash(PASSWORD))
    assert [False] * 4 == [door.opens("slip", 0.0) for _ in range(4)]
    assert door.opens(PASSWORD, 1.0)
    assert [False] * 4 == [door.opens("slip", 2.0) for _ in range(4)]
    assert 0.0 == door.wait(2.0)


def test_what_is_no_hash_is_told_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the file and from the environment alike: nobody is left to wonder why no password works."""
    file = tmp_path / "study.admin"
    monkeypatch.delenv(HASH_VARIABLE, raising=False)
    assert load_hash(file) is None
    file.write_text(PASSWORD)
    file.chmod(0o600)
    with pytest.raises(InputError, match="no argon2 hash") as refused:
        load_hash(file)
    assert PASSWORD not in str(refused.value)
    monkeypatch.setenv(HASH_VARIABLE, "$argon2id$cut off")
    with pytest.raises(InputError, match=HASH_VARIABLE):
        load_hash(file)
    good = QUICK.hash(PASSWORD)
    monkeypatch.setenv(HASH_VARIABLE, good)
    assert good == load_hash(file)


@pytest.mark.parametrize("mode", [0o644, 0o620, 0o666, 0o604])
def test_a_hash_that_others_may_touch_is_refused(
    mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who may write it sets the password; who may read it can guess at leisure."""
    monkeypatch.delenv(HASH_VARIABLE, raising=False)
    file = tmp_path / "study.admin"
    save_password(file, PASSWORD)
    file.chmod(mode)
    with pytest.raises(InputError, match="chmod 600"):
        load_hash(file)


def test_passwords_that_are_made_differ() -> None:
    """At least 128 bits by the letters that they are made of."""
    made = {new_password() for _ in range(50)}
    assert 50 == len(made)
    assert min(len(one) for one in made) >= 22


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org", ""])
def test_an_address_that_is_not_this_machine_needs_a_password_first(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Refused in one line with exit code 2, before a database is opened or a port is taken."""
    monkeypatch.delenv(HASH_VARIABLE, raising=False)
    assert 2 == main(["study", "admin", str(tmp_path / "study.yaml"), "--host", host])
    told = capsys.readouterr()
    assert "set a password first" in told.err
    assert 1 == len(told.err.splitlines())
    assert "" == told.out
    assert [] == list(tmp_path.iterdir())
