/** Which program is the server, and how it is asked for anything but the protocol. */

import { execFile } from "node:child_process";
import * as vscode from "vscode";

/** A program with the arguments that make it ddplint. */
export interface Command {
  program: string;
  args: string[];
}

/** What of the Python extension is used. */
interface PythonApi {
  environments: { getActiveEnvironmentPath(resource?: vscode.Uri): { path: string } };
}

/** The configured command; without one, the module in the chosen environment if it is there; else `ddplint`. */
export async function findCommand(resource?: vscode.Uri): Promise<Command> {
  const [program, ...args] = vscode.workspace.getConfiguration("ddplint", resource).get<string[]>("command", []);
  if (program) {
    return { program, args };
  }
  const python = await activePython(resource);
  if (python) {
    const command = { program: python, args: ["-m", "ddplint"] };
    if (await ask(command, ["--version"]).then(() => true, () => false)) {
      return command;
    }
  }
  return { program: "ddplint", args: [] };
}

/** What the command prints; rejected with its standard error where it fails. */
export function ask(command: Command, more: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: 30_000, maxBuffer: 1 << 24 };
    execFile(command.program, [...command.args, ...more], options, (error, out, said) => {
      if (error) {
        reject(new Error(said.trim() || error.message));
      } else {
        resolve(out);
      }
    });
  });
}

async function activePython(resource?: vscode.Uri): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (!extension) {
    return undefined;
  }
  const api = extension.isActive ? extension.exports : await extension.activate();
  return api.environments?.getActiveEnvironmentPath(resource).path;
}
