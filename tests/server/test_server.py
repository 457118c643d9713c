"""The language server, spoken to by a real client over its standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from ddplint.version import rule_address

ROOT = Path(__file__).parent.parent.parent
PATH = os.pathsep.join([str(ROOT), str(ROOT / "rules")])
HANG = """\
import torch.distributed as dist

dist.init_process_group("gloo")
s = "😀"; rank = dist.get_rank()
if rank == 0:
    dist.barrier()
dist.destroy_process_group()
"""


class Editor:
    """What an editor does, and what it is told: the last diagnostics of every document."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.uri = (folder / "train.py").as_uri()
        self.told: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()

        @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def told(params: lsp.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(params)

    def open(self, text: str, name: str = "train.py", language: str = "python") -> None:
        self.uri = (self.folder / name).as_uri()
        item = lsp.TextDocumentItem(self.uri, language, 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def change(self, version: int, text: str) -> None:
        document = lsp.VersionedTextDocumentIdentifier(version, self.uri)
        changes = [lsp.TextDocumentContentChangeWholeDocument(text)]
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, changes))

    async def diagnostics(self) -> list[lsp.Diagnostic]:
        return list((await asyncio.wait_for(self.told.get(), 60)).diagnostics)

    async def actions(self, line: int, only: list[str] | None = None) -> list[Any]:
        where = lsp.Range(lsp.Position(line, 4), lsp.Position(line, 4))
        params = lsp.CodeActionParams(self.document, where, lsp.CodeActionContext([], only))
        return list(await self.client.text_document_code_action_async(params) or ())

    async def hover(self, line: int) -> lsp.Hover | None:
        params = lsp.HoverParams(self.document, lsp.Position(line, 6))
        return await self.client.text_document_hover_async(params)

    @property
    def document(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri)


@asynccontextmanager
async def editor(folder: Path) -> AsyncIterator[Editor]:
    client = LanguageClient("tests", "1")
    made = Editor(client, folder)
    environment = {**os.environ, "PYTHONPATH": PATH}
    await client.start_io(sys.executable, "-m", "ddplint", "server", cwd=folder, env=environment)
    try:
        root = folder.as_uri()
        await client.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities(), root_uri=root))
        client.initialized(lsp.InitializedParams())
        yield made
        await client.shutdown_async(None)
        client.exit(None)
    except BaseException:
        end(client)  # or the scene that failed waits for a server that was never told to go
        raise
    finally:
        await client.stop()


def end(client: LanguageClient) -> None:
    """Kills the server that this client has started."""
    process = getattr(client, "_server", None)
    if process is not None and process.returncode is None:
        process.kill()


def play(folder: Path, scene: Callable[[Editor], Awaitable[None]]) -> None:
    async def work() -> None:
        async with editor(folder) as made:
            await scene(made)

    asyncio.run(work())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "ddplint.toml").write_text("select = ['DDP1']")
    return tmp_path


def applied(text: str, edits: list[lsp.TextEdit]) -> str:
    """The text with edits carried out, from the end to the beginning."""
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda one: -one.range.start.line):
        assert edit.range.start.character == edit.range.end.character == 0
        lines[edit.range.start.line : edit.range.end.line] = [edit.new_text]
    return "".join(lines)


def test_diagnostics_come_with_opening_and_go_with_typing(project: Path) -> None:
    async def scene(made: Editor) -> None:
        made.open(HANG)
        (found,) = await made.diagnostics()
        assert (found.code, found.source, found.severity) == ("DDP101", "ddplint", lsp.DiagnosticSeverity.Error)
        assert found.range == lsp.Range(lsp.Position(5, 4), lsp.Position(5, 18))
        assert found.code_description == lsp.CodeDescription(rule_address("DDP101"))
        assert "rank 0: barrier" in found.message
        origins = [one.location.range.start for one in found.related_information or ()]
        assert lsp.Position(3, 17) in origins  # the emoji is two units of UTF-16
        for version, text in ((2, HANG + "x"), (3, HANG + "x ="), (4, HANG.replace("if rank == 0", "if True"))):
            made.change(version, text)
        assert await made.diagnostics() == []
        made.client.text_document_did_close(lsp.DidCloseTextDocumentParams(made.document))
        assert await made.diagnostics() == []
        assert made.told.empty()

    play(project, scene)


def test_hover_shows_the_page_of_the_rule(project: Path) -> None:
    async def scene(made: Editor) -> None:
        made.open(HANG)
        await made.diagnostics()
        shown = await made.hover(5)
        assert shown is not None
        assert isinstance(shown.contents, lsp.MarkupContent)
        assert shown.contents.value.startswith("# DDP101: guarded-collective\n")
        assert await made.hover(0) is None

    play(project, scene)


def test_quick_fixes_are_applied_and_the_finding_is_gone(project: Path) -> None:
    async def scene(made: Editor) -> None:
        made.open(HANG)
        await made.diagnostics()
        fix, ignore = await made.actions(5)
        assert (fix.kind, fix.is_preferred) == ("quickfix", True)
        assert ignore.title == "Ignore DDP101 here"
        for version, action in enumerate((fix, ignore), 2):
            text = applied(HANG, action.edit.changes[made.uri])
            assert text != HANG
            made.change(version, text)
            assert await made.diagnostics() == []
        assert await made.actions(0) == []

    play(project, scene)


def test_an_editor_gets_the_kinds_of_actions_it_asks_for(project: Path) -> None:
    async def scene(made: Editor) -> None:
        made.open(HANG)
        await made.diagnostics()
        assert {one.kind for one in await made.actions(5, ["quickfix"])} == {"quickfix"}
        assert await made.actions(5, ["source.organizeImports"]) == []
        for kind in ("source.fixAll.ddplint", "source.fixAll", "source"):
            (found,) = await made.actions(0, [kind])
            assert found.kind == "source.fixAll.ddplint"
        made.change(2, applied(HANG, found.edit.changes[made.uri]))
        assert await made.diagnostics() == []
        assert await made.actions(0, ["source.fixAll.ddplint"]) == []

    play(project, scene)


def test_launch_files_are_checked_as_what_they_are_and_other_files_not_at_all(project: Path) -> None:
    pytest.importorskip("tree_sitter_bash")
    (project / "ddplint.toml").write_text("select = ['DDP5']")

    async def scene(made: Editor) -> None:
        made.open("FROM x\nENV NCCL_ASYNC_ERROR_HANDLING=1\n", "Dockerfile", "dockerfile")
        (found,) = await made.diagnostics()
        assert found.code == "DDP502"
        (fix,) = await made.actions(1)
        assert "TORCH_NCCL_ASYNC_ERROR_HANDLING" in fix.edit.changes[made.uri][0].new_text
        made.open("#!/bin/bash\nexport NCCL_ASYNC_ERROR_HANDLING=1\n", "train.sbatch", "plaintext")
        assert [one.code for one in await made.diagnostics()] == ["DDP502"]
        made.open("def (", "notes.md", "markdown")
        made.open("{}", "train.ipynb", "json")
        made.open(HANG, "train.py")
        assert await made.diagnostics() == []
        assert made.told.empty()

    play(project, scene)


def test_nothing_is_said_of_excluded_documents(project: Path) -> None:
    (project / "ddplint.toml").write_text("exclude = ['old/']")

    async def scene(made: Editor) -> None:
        made.open(HANG, "old/train.py")
        assert await made.diagnostics() == []

    play(project, scene)


def test_the_server_ends_without_an_error() -> None:
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **one}).encode() for one in messages]
    sent = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    command = [sys.executable, "-m", "ddplint", "server", "--stdio"]
    environment = {**os.environ, "PYTHONPATH": PATH}
    done = subprocess.run(command, input=sent, capture_output=True, env=environment, timeout=60, check=False)
    assert (done.returncode, b"rror" in done.stderr) == (0, False), done.stderr.decode()


def test_what_cannot_be_checked_is_a_warning(project: Path) -> None:
    async def scene(made: Editor) -> None:
        made.open("import torch.distributed\ndef (\n")
        (found,) = await made.diagnostics()
        assert (found.range.start.line, found.severity) == (1, lsp.DiagnosticSeverity.Warning)
        (project / "ddplint.toml").write_text("selct = []")
        made.change(2, HANG)
        (found,) = await made.diagnostics()
        assert "unknown key 'selct'" in found.message

    play(project, scene)


def test_without_pygls_the_way_out_is_told() -> None:
    code = "import sys; sys.modules['pygls'] = None; from ddplint.cli.main import main; sys.exit(main(['server']))"
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": PATH}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: the language server needs pygls")
    assert done.stderr.endswith(": pip install 'pygls>=2,<3'\n")
