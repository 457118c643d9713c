// The manifest and the code agree: what is contributed exists, what is used is contributed.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const here = new URL("../", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("package.json", here), "utf8"));
const source = readdirSync(new URL("src/", here))
  .map((name) => readFileSync(new URL(`src/${name}`, here), "utf8"))
  .join("\n");
const found = (pattern) => new Set([...source.matchAll(pattern)].map((match) => match[1]));

test("every command is registered, and no other", () => {
  const declared = new Set(manifest.contributes.commands.map((one) => one.command));
  assert.deepEqual(found(/\bon\("([\w.]+)"/g), declared);
  for (const one of manifest.contributes.menus.commandPalette) assert.ok(declared.has(one.command));
});

test("every setting is read, and every setting that is read is declared", () => {
  const declared = new Set(Object.keys(manifest.contributes.configuration.properties));
  const read = new Set([...found(/\.get(?:<[^>]+>)?\("(\w+)"/g)].map((name) => `ddplint.${name}`));
  read.add("ddplint.trace.server"); // the client of the language server reads it by its own name
  assert.deepEqual(read, declared);
});

test("the extension wakes up for the languages that it checks", () => {
  const checked = [...source.matchAll(/^const (?:PYTHON|LAUNCH) = (\[.*\]);$/gm)].flatMap((match) => JSON.parse(match[1]));
  assert.ok(checked.length > 1);
  assert.deepEqual(manifest.activationEvents, checked.map((language) => `onLanguage:${language}`));
});

test("the types are those of the oldest editor that is supported", () => {
  const engine = manifest.engines.vscode.replace("^", "");
  assert.equal(manifest.devDependencies["@types/vscode"], `~${engine}`);
});

test("what is packed is the bundle and the page, not the sources", () => {
  const kept = readFileSync(new URL(".vscodeignore", here), "utf8").split("\n").filter((line) => line.startsWith("!"));
  assert.deepEqual(kept, ["!dist/extension.js", "!package.json", "!README.md"]);
  assert.equal(manifest.main, "./dist/extension.js");
});

test("settings that choose a program are those of the machine, or of a trusted folder", () => {
  const { scope } = manifest.contributes.configuration.properties["ddplint.command"];
  assert.equal(scope, "machine-overridable");
  assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes("ddplint.command"));
});
