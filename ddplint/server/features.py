"""The features of the language server: diagnostics while typing, the rule's page on hover, quick fixes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from ddplint.config.levels import Severity
from ddplint.findings.model import Finding, Note, Place
from ddplint.report.wording import group_name, told, visited
from ddplint.rulebook.pages import page
from ddplint.server.documents import Checked, Rewrite, check_text, concerns
from ddplint.source.file import SourceFile
from ddplint.util.ranges import Range
from ddplint.version import __version__, rule_address

FIX_ALL = "source.fixAll.ddplint"
"""The kind of the action that applies all safe fixes of a document, for editors that do so on saving."""
DELAY = 0.3
"""Seconds without a key pressed until a document is checked."""
_SEVERITY = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.ADVICE: lsp.DiagnosticSeverity.Information,
}


@dataclass
class _State:
    """What is known by URI; ``asked`` counts the requests to check, so that only the last one is answered.

    ``lock``: one walk at a time.
    """

    server: LanguageServer
    checked: dict[str, Checked] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def check(self, uri: str, delay: float = 0.0) -> None:
        """Check a document after ``delay`` seconds, unless that is asked for again by then, and tell the editor."""
        turn = self.asked[uri] = self.asked.get(uri, 0) + 1
        await asyncio.sleep(delay)
        if self.asked[uri] != turn:
            return
        document = self.server.workspace.get_text_document(uri)
        text = document.source
        if not concerns(to_fs_path(uri) or uri, document.language_id or "", text):
            return
        async with self.lock:
            found = await asyncio.to_thread(check_text, to_fs_path(uri) or uri, text)
        if self.asked[uri] != turn:
            return
        self.checked[uri] = found
        told = [diagnostic(one) for one in found.findings]
        if found.trouble:
            where = lsp.Position(found.line - 1, 0)
            told.append(
                lsp.Diagnostic(lsp.Range(where, where), found.trouble, lsp.DiagnosticSeverity.Warning, source="ddplint")
            )
        self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, told))

    def forget(self, uri: str) -> None:
        """The document is closed."""
        self.asked[uri] = self.asked.get(uri, 0) + 1
        self.checked.pop(uri, None)
        self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def at(self, uri: str, where: lsp.Range) -> list[Finding]:
        """The findings that a stretch of a document touches."""
        checked = self.checked.get(uri)
        return [] if checked is None else [one for one in checked.findings if _touch(range_of(one.place), where)]


def make_server() -> LanguageServer:
    """The server, not yet started."""
    server = LanguageServer("ddplint", __version__)
    state = _State(server)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        await state.check(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        await state.check(params.text_document.uri, DELAY)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        for uri in list(state.checked):
            await state.check(uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        state.forget(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        found = state.at(params.text_document.uri, lsp.Range(params.position, params.position))
        pages = [_page(one) for one in found]
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n---\n\n".join(pages))) if pages else None

    kinds = [lsp.CodeActionKind.QuickFix, FIX_ALL]

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=kinds))
    async def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri, only = params.text_document.uri, params.context.only
        checked = state.checked.get(uri)
        found: list[lsp.CodeAction] = []
        if checked is None:
            return found
        for one in state.at(uri, params.range) if _wanted(lsp.CodeActionKind.QuickFix, only) else ():
            async with state.lock:
                rewrites = await asyncio.to_thread(checked.rewrites, one)
            found += [_action(uri, rewrite, one) for rewrite in rewrites]
        if only and _wanted(FIX_ALL, only):
            async with state.lock:
                found += [_action(uri, rewrite) for rewrite in await asyncio.to_thread(checked.all_safe)]
        return found

    return server


def diagnostic(finding: Finding) -> lsp.Diagnostic:
    """A finding as an editor shows it, with its other places and what the ranks do next."""
    doing = told(finding, lambda place: f" (line {place.range.start_line})" if place.file is finding.place.file else "")
    related = [_related(note) for note in finding.notes]
    for one in (*finding.actions, *finding.ends):
        if one.place is not None:
            said = f"{group_name(one.ranks)}: {one.what}{visited(one)}"
            related.append(lsp.DiagnosticRelatedInformation(_location(one.place), said))
    return lsp.Diagnostic(
        range_of(finding.place),
        "\n".join([finding.message, *doing]),
        _SEVERITY[finding.severity],
        finding.code,
        code_description=lsp.CodeDescription(rule_address(finding.code)),
        source="ddplint",
        related_information=related,
    )


def range_of(place: Place) -> lsp.Range:
    """The range of a place, counted as the protocol does: lines from 0, columns in UTF-16 units."""
    return _range(place.file, place.range)


def _range(file: SourceFile, where: Range) -> lsp.Range:
    return lsp.Range(_position(file, where.start_line, where.start_col), _position(file, where.end_line, where.end_col))


def _position(file: SourceFile, line: int, column: int) -> lsp.Position:
    text = file.lines[line - 1][: column - 1] if line <= len(file.lines) else ""
    return lsp.Position(line - 1, len(text.encode("utf-16-le", "surrogatepass")) // 2)


def _location(place: Place) -> lsp.Location:
    return lsp.Location(Path(place.file.path).absolute().as_uri(), range_of(place))


def _related(note: Note) -> lsp.DiagnosticRelatedInformation:
    return lsp.DiagnosticRelatedInformation(_location(note.place), note.text or note.role)


def _touch(one: lsp.Range, other: lsp.Range) -> bool:
    return _pair(one.start) <= _pair(other.end) and _pair(other.start) <= _pair(one.end)


def _pair(position: lsp.Position) -> tuple[int, int]:
    return position.line, position.character


def _page(finding: Finding) -> str:
    from ddplint.rulebook.registry import load_rules

    rule = load_rules().find(finding.code)
    why = f"Confidence {finding.certainty.text}"
    title, _, rest = (finding.message if rule is None else page(rule)).partition("\n")
    return f"{title}\n\n{why}\n{rest}"


def _wanted(kind: str, only: Sequence[lsp.CodeActionKind | str] | None) -> bool:
    """Whether an editor that asks for some kinds of actions asks for this one: it is one of them, or below one."""
    asked = [str(getattr(one, "value", one)) for one in only or ()]
    return not asked or any(not one or kind == one or kind.startswith(f"{one}.") for one in asked)


def _action(uri: str, rewrite: Rewrite, finding: Finding | None = None) -> lsp.CodeAction:
    """The rewrite as a quick fix of a finding, or of the whole document."""
    edits = [lsp.TextEdit(_range(change.file, change.range), change.text) for change in rewrite.changes]
    return lsp.CodeAction(
        rewrite.title,
        kind=FIX_ALL if finding is None else lsp.CodeActionKind.QuickFix,
        diagnostics=None if finding is None else [diagnostic(finding)],
        is_preferred=rewrite.preferred if finding is not None else None,
        edit=lsp.WorkspaceEdit(changes={uri: edits}),
    )
