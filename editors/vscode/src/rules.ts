/** The pages of the rules: shown as Markdown, linked from each diagnostic. */

import * as vscode from "vscode";
import { ask, type Command } from "./server";

export const SCHEME = "ddplint-rule";

/** The address of a rule's page within the editor. */
export function pageOf(code: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${code}.md` });
}

/** The code of a diagnostic of ddplint, or nothing for those of others. */
export function codeOf(diagnostic: vscode.Diagnostic): string | undefined {
  const code = typeof diagnostic.code === "object" ? diagnostic.code.value : diagnostic.code;
  return diagnostic.source === "ddplint" && typeof code === "string" ? code : undefined;
}

/** Gives `ddplint rule CODE` as a document. */
export class Pages implements vscode.TextDocumentContentProvider {
  constructor(private readonly command: () => Promise<Command>) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const code = uri.path.replace(/^\/|\.md$/g, "");
    return ask(await this.command(), ["rule", code]).catch((error: Error) => `# ${code}\n\n${error.message}\n`);
  }
}

/** Offers the page of the rule beside the fixes of a diagnostic. */
export class PageActions implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix];

  provideCodeActions(_: vscode.TextDocument, __: vscode.Range, context: vscode.CodeActionContext): vscode.CodeAction[] {
    const codes = new Set(context.diagnostics.map(codeOf).filter((code) => code !== undefined));
    return [...codes].map((code) => {
      const action = new vscode.CodeAction(`Open the page of ${code}`, vscode.CodeActionKind.QuickFix);
      action.command = { command: "ddplint.openRule", title: action.title, arguments: [code] };
      return action;
    });
  }
}

/** Show the page of a rule; without a code, ask for one. */
export async function openRule(command: Command, code?: string): Promise<void> {
  const chosen = code ?? (await pick(command));
  if (chosen) {
    await vscode.commands.executeCommand("markdown.showPreview", pageOf(chosen));
  }
}

interface Listed {
  code: string;
  name: string;
  severity: string;
  summary: string;
}

async function pick(command: Command): Promise<string | undefined> {
  const rules = JSON.parse(await ask(command, ["rules", "--output-format", "json"])) as Listed[];
  const items = rules.map((rule) => ({ label: rule.code, description: rule.name, detail: rule.summary }));
  return (await vscode.window.showQuickPick(items, { matchOnDescription: true, matchOnDetail: true }))?.label;
}
