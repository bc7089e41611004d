import { readFileSync } from "node:fs";
import { parseSettings } from "@haft/core/policy/settings";
import { expect, it } from "vitest";

const page = readFileSync("docs/mcp-client.md", "utf8");

it("Q01 the settings in docs/mcp-client.md are settings", () => {
  const [, text = ""] = /```json\n(.*?)```/s.exec(page) ?? [];
  const { settings, problems } = parseSettings(JSON.parse(text), { origin: "user", file: "docs" });
  expect(problems).toEqual([]);
  expect(Object.keys(settings.mcpServers ?? {})).toEqual(["files", "issues"]);
  expect(settings.mcpServers?.files?.sandbox).toBe(true);
});

it("Q01 every command in docs/mcp-client.md exists", () => {
  const source = readFileSync("packages/haft/src/cli/command/mcp-servers/dispatch.ts", "utf8");
  const verbs = [...source.matchAll(/^ {2}(\w+): async/gm)].map(([, verb]) => verb!);
  expect(verbs.length).toBeGreaterThan(8);
  for (const verb of verbs) expect(page).toMatch(new RegExp(`\\b${verb}\\b`));
});
