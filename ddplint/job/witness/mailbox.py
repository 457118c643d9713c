"""The job's own store, through a connection of its own, under a prefix of its own. Nothing here waits for a key."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

_PATIENCE = timedelta(seconds=10)


class Mailbox:
    """Values that the ranks leave for each other. Every method may raise what the store raises when it is gone."""

    def __init__(self, store: Any, prefix: str) -> None:
        self.store = store
        self.prefix = prefix

    def put(self, key: str, value: Any) -> None:
        """Leave a value, in place of an earlier one."""
        self.store.set(f"{self.prefix}/{key}", json.dumps(value, separators=(",", ":")))

    def get(self, key: str) -> Any:
        """What somebody left there, or nothing."""
        full = f"{self.prefix}/{key}"
        return json.loads(self.store.get(full)) if self.store.check([full]) else None

    def first(self, key: str) -> bool:
        """Whether nobody came here before: of all who ask, one gets true."""
        return int(self.store.add(f"{self.prefix}/{key}", 1)) == 1

    def count(self, key: str, more: int = 0) -> int:
        """Add to a number that all share, and what it is then."""
        return int(self.store.add(f"{self.prefix}/{key}", more))


def of_agent(env: Mapping[str, str]) -> Mailbox | None:
    """The store that the launcher's agent keeps, there before any process group is. Raises as the store does."""
    if env.get("TORCHELASTIC_USE_AGENT_STORE") != "True" or "MASTER_PORT" not in env:
        return None
    return Mailbox(_client(env["MASTER_ADDR"], int(env["MASTER_PORT"])), _prefix(env, int(env.get("WORLD_SIZE", "1"))))


def connect(core: Any, world: int) -> Mailbox | None:
    """A connection to the store of the process group; nothing for a kind of store that has no second door."""
    store = core._get_default_store()
    while hasattr(store, "underlying_store"):
        store = store.underlying_store
    if hasattr(store, "host") and hasattr(store, "port"):
        return Mailbox(_client(store.host, store.port), _prefix(os.environ, world))
    if hasattr(store, "path"):
        other = core.FileStore(store.path, -1) if hasattr(core, "FileStore") else None
        return None if other is None else Mailbox(other, _prefix(os.environ, world))
    return None


def _client(host: str, port: int) -> Any:
    from torch._C._distributed_c10d import TCPStore

    return TCPStore(host, port, None, False, _PATIENCE, wait_for_workers=False)


def _prefix(env: Mapping[str, str], world: int) -> str:
    return f"ddplint-witness/{env.get('TORCHELASTIC_RESTART_COUNT', '0')}/{world}"
