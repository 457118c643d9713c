/** Starts the language server, shows how it is, and offers its commands. */

import * as vscode from "vscode";
import {
  type DocumentSelector,
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
  State,
} from "vscode-languageclient/node";
import { codeOf, openRule, PageActions, pageOf, Pages, SCHEME } from "./rules";
import { type Command, findCommand } from "./server";

const PYTHON = ["python"];
const LAUNCH = ["shellscript", "dockerfile", "yaml", "dockercompose"];
const FIX_ALL = "source.fixAll.ddplint";

let client: LanguageClient | undefined;
let output: vscode.OutputChannel;
let status: vscode.LanguageStatusItem;
let turn: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("ddplint");
  status = vscode.languages.createLanguageStatusItem("ddplint.status", selector());
  status.name = "ddplint";
  status.command = { command: "ddplint.showOutput", title: "Show the Output" };
  const on = vscode.commands.registerCommand;
  context.subscriptions.push(
    output,
    status,
    on("ddplint.fixAll", fixAll),
    on("ddplint.openRule", async (code?: string) => openRule(await findCommand(), code)),
    on("ddplint.restart", restart),
    on("ddplint.showOutput", () => output.show(true)),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, new Pages(findCommand)),
    vscode.languages.registerCodeActionsProvider(selector(), new PageActions(), {
      providedCodeActionKinds: PageActions.kinds,
    }),
    vscode.workspace.onDidChangeConfiguration((event) => (event.affectsConfiguration("ddplint") ? restart() : undefined)),
  );
  await restart();
}

export async function deactivate(): Promise<void> {
  await stop();
}

/** The documents that are checked. */
function selector(): { scheme: string; language: string }[] {
  const launch = vscode.workspace.getConfiguration("ddplint").get("launchFiles", true);
  return [...PYTHON, ...(launch ? LAUNCH : [])].map((language) => ({ scheme: "file", language }));
}

/** One restart after the other, however often settings change. */
function restart(): Promise<void> {
  turn = turn.then(stop).then(start);
  return turn;
}

async function start(): Promise<void> {
  if (!vscode.workspace.getConfiguration("ddplint").get("enable", true)) {
    show("off: ddplint.enable is false", vscode.LanguageStatusSeverity.Information);
    return;
  }
  const command = await findCommand();
  show("starting", vscode.LanguageStatusSeverity.Information, true);
  const made = new LanguageClient("ddplint", "ddplint", server(command), options());
  made.onDidChangeState(({ newState }) => {
    if (newState === State.Running) {
      show(`running (${made.initializeResult?.serverInfo?.version ?? "unknown version"})`);
    } else if (newState === State.Stopped && client === made) {
      show("stopped", vscode.LanguageStatusSeverity.Error);
    }
  });
  client = made;
  await made.start().catch((error: Error) => failed(command, error));
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  await old?.dispose().catch(() => undefined);
}

function server(command: Command): ServerOptions {
  return { command: command.program, args: [...command.args, "server"] };
}

function options(): LanguageClientOptions {
  return {
    documentSelector: selector() as DocumentSelector,
    outputChannel: output,
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/{pyproject,ddplint}.toml") },
    middleware: {
      handleDiagnostics(uri, diagnostics, next) {
        for (const one of diagnostics) {
          const code = codeOf(one);
          if (code) {
            one.code = { value: code, target: pageOf(code) };
          }
        }
        next(uri, diagnostics);
      },
    },
  };
}

/** Say what to do where the server cannot be started: a message, and the status stays red. */
async function failed(command: Command, error: Error): Promise<void> {
  const said = [command.program, ...command.args, "server"].join(" ");
  output.appendLine(`${said}: ${error.message}`);
  show(`cannot be started: ${said}`, vscode.LanguageStatusSeverity.Error);
  const text = "ddplint cannot be started: install it with its extra `lsp` into this environment, or set ddplint.command.";
  const settings = "Open Settings";
  if ((await vscode.window.showErrorMessage(text, settings)) === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "ddplint.command");
  }
}

function show(text: string, severity = vscode.LanguageStatusSeverity.Information, busy = false): void {
  status.text = "ddplint";
  status.detail = text;
  status.severity = severity;
  status.busy = busy;
}

/** Apply the safe fixes of the document, each confirmed by a second walk. */
async function fixAll(): Promise<void> {
  if (client?.state !== State.Running) {
    await vscode.window.showWarningMessage("ddplint is not running.");
    return;
  }
  await vscode.commands.executeCommand("editor.action.codeAction", { kind: FIX_ALL, apply: "first" });
}
