"""The checks of one machine, each with the fault it is for."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.job.doctor import host
from ddplint.job.doctor.driver import driver
from ddplint.job.doctor.environment import environment
from ddplint.job.doctor.result import FAIL, NOT_RUN, OK, WARN, Result

LAUNCHED = {"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}


def only(results: list[Result], check: str) -> Result:
    (found,) = [one for one in results if one.check == check]
    return found


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_a_taken_port_and_a_free_one() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        env = {**LAUNCHED, "MASTER_PORT": str(one.getsockname()[1])}
        assert only(list(host.master(env)), "master port").verdict == FAIL
        assert only(list(host.master({**env, "RANK": "1"})), "master port").verdict == OK
    assert only(list(host.master({**LAUNCHED, "MASTER_PORT": str(free_port())})), "master port").verdict == OK


def test_a_port_where_nobody_listens() -> None:
    env = {**LAUNCHED, "RANK": "1", "MASTER_PORT": str(free_port())}
    found = only(list(host.master(env, seconds=0.5)), "master port")
    assert found.verdict == FAIL
    assert "cannot be reached" in found.text


def test_wrong_addresses() -> None:
    unknown = list(host.master({**LAUNCHED, "MASTER_ADDR": "no-such-host.invalid"}))
    assert only(unknown, "master address").verdict == FAIL
    elsewhere = only(list(host.master({**LAUNCHED, "MASTER_ADDR": "192.0.2.1"})), "master port")
    assert elsewhere.verdict == FAIL
    assert "not an address of this host" in elsewhere.text
    assert next(iter(host.master({**LAUNCHED, "MASTER_PORT": "99999999"}))).verdict == FAIL


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, OK),
        ({"RANK": "2"}, FAIL),
        ({"RANK": "x"}, FAIL),
        ({"MASTER_PORT": ""}, FAIL),
        ({"LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "1"}, FAIL),
    ],
)
def test_what_the_launcher_set(change: dict[str, str], verdict: str) -> None:
    assert host.launcher({**LAUNCHED, **change}).verdict == verdict
    assert host.launcher({}).verdict == NOT_RUN


def test_variables_that_do_nothing() -> None:
    found = list(environment({"NCCL_TIMEOUT": "3600", "NCCL_P2P_DISABLE": "1", "PATH": "/bin"}))
    assert [one.verdict for one in found] == [WARN, WARN]
    assert any("NCCL_TIMEOUT is set, but nothing reads it" in one.text for one in found)
    assert [one.verdict for one in environment({"PATH": "/bin"})] == [OK]


def test_interfaces() -> None:
    names = [name for _, name in socket.if_nameindex()]
    assert next(host.interfaces({"NCCL_SOCKET_IFNAME": "eth99"})).verdict == FAIL
    assert next(host.interfaces({"GLOO_SOCKET_IFNAME": names[0]})).verdict == OK
    assert next(host.interfaces({"NCCL_SOCKET_IFNAME": "^" + ",".join(names)})).verdict == FAIL


def test_folders_and_data(tmp_path: Path) -> None:
    assert next(host.output(str(tmp_path))).verdict in (OK, WARN)
    assert next(host.output(str(tmp_path / "none"))).verdict == FAIL
    (tmp_path / "a.bin").write_bytes(b"x")
    paths = [str(tmp_path), str(tmp_path / "*.bin"), str(tmp_path / "a.bin"), str(tmp_path / "*.none"), "/none/x"]
    assert [one.verdict for one in host.data(paths)] == [OK, OK, OK, FAIL, FAIL]
    assert not list(tmp_path.glob(".ddplint*"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert next(host.output(str(tmp_path))).verdict == FAIL


def test_quiet_prints_what_is_not_as_it_should_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--data", str(tmp_path / "none")])
    everything = capsys.readouterr().out.splitlines()
    assert main(["doctor", "-q", "--data", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().out.splitlines() == [
        line for line in everything if line.startswith(("FAILED", "warning"))
    ]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*LAUNCHED, "LOCAL_WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert main(["doctor", "--output-dir", str(tmp_path), "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["healthy"] is True
    assert main(["doctor", "--output-dir", str(tmp_path / "none")]) == 1
    assert "FAILED   output folder" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"NCCL_P2P_DISABLE": "1", "NCCL_P2P_LEVEL": "NVL"}, "NCCL_P2P_DISABLE=1 against NCCL_P2P_LEVEL=NVL"),
        ({"NCCL_IB_DISABLE": "1", "NCCL_IB_HCA": "mlx5_0"}, "NCCL_IB_DISABLE=1 against NCCL_IB_HCA=mlx5_0"),
        ({"NCCL_NET": "Socket", "NCCL_IB_HCA": "mlx5_0"}, "NCCL_NET=Socket against NCCL_IB_HCA=mlx5_0"),
        ({"NCCL_BLOCKING_WAIT": "1", "TORCH_NCCL_BLOCKING_WAIT": "0"}, "two names of one setting"),
        ({"TORCH_FR_BUFFER_SIZE": "0", "TORCH_NCCL_DUMP_ON_TIMEOUT": "1"}, "nothing to dump"),
    ],
)
def test_variables_against_each_other(env: dict[str, str], said: str) -> None:
    assert any(said in one.text for one in environment(env))
    for name in env:
        assert not any(said in one.text for one in environment({name: env[name]}))


def test_settings_that_agree() -> None:
    fine = {"NCCL_NET": "Socket", "TORCH_NCCL_BLOCKING_WAIT": "0", "TORCH_NCCL_DUMP_ON_TIMEOUT": "1"}
    assert [one.verdict for one in environment(fine)] == [OK]


@pytest.mark.parametrize(
    ("script", "built", "verdict"),
    [
        ("echo 'Driver Version: 535.183.01   CUDA Version: 12.2'", "13.0", FAIL),
        ("echo 'Driver Version: 580.10.01   CUDA Version: 13.0'", "12.8", OK),
        ("echo 'No devices were found'; exit 6", "12.8", FAIL),
        ("echo hello", "12.8", NOT_RUN),
    ],
)
def test_drivers(script: str, built: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a script in the place of nvidia-smi: what is tested is how its words are read."""
    path = tmp_path / "nvidia-smi"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert [one.verdict for one in driver(built, seen=True)] == [verdict]
