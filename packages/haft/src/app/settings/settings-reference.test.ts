import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SETTINGS_SCHEMA } from "@haft/core/policy/settings";
import { Compile } from "typebox/schema";
import { expect, it } from "vitest";

const at = (path: string) => fileURLToPath(new URL(`../../../../../${path}`, import.meta.url));
const published = JSON.parse(readFileSync(at("packages/haft/settings.schema.json"), "utf8"));

it("V09 the published schema and the table of keys are those that files are held to", () => {
  const script = at("scripts/settings-reference.mjs");
  const check = () =>
    execFileSync(process.execPath, ["--conditions=haft-source", script, "--check"], { stdio: "pipe" });
  expect(check).not.toThrow();
});

it("V09 an editor with the published schema says of a file what Haft says", () => {
  const [ofEditor, ofHaft] = [Compile(published), Compile(SETTINGS_SCHEMA)];
  const files: readonly [unknown, boolean][] = [
    [{ permissions: { allow: ["Read"], defaultMode: "plan" } }, true],
    [{ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }] } }, true],
    [{ hooks: { PreToolUse: [{ hooks: [{ type: "command", colour: 1 }] }] } }, false],
    [{ permission: {} }, false],
    [{ sandbox: { tier: "strong" } }, false],
    [{ sandbox: "auto", server: { clients: { "*": { mode: "plan" } } } }, true],
  ];
  for (const [file, isRight] of files) expect([ofEditor.Check(file), ofHaft.Check(file)]).toEqual([isRight, isRight]);
});
