import { existsSync, readFileSync } from "node:fs";
import * as core from "@haft/core";
import { parseSettings } from "@haft/core/policy/settings";
import JSON5 from "json5";
import { describe, expect, it } from "vitest";
import { commands } from "../packages/haft/src/cli/command-table.ts";
import * as haft from "../packages/haft/src/index.ts";
import { scratch } from "../packages/haft/test/support/haft-process.ts";
import { shop, type } from "./support/console.ts";

const page = readFileSync("README.md", "utf8");
const PAGES = [
  "README.md",
  "docs/agent.md",
  "docs/first-task.md",
  "docs/hooks.md",
  "docs/install.md",
  "docs/library.md",
  "docs/models.md",
  "docs/scripts.md",
  "docs/mcp-client.md",
  "docs/mcp.md",
  "docs/policy.md",
  "docs/sandbox.md",
  "docs/undo.md",
];

describe("README.md", () => {
  const typed = [...page.matchAll(/^haft .*?(?= +#|$)/gm)].map(([line]) => line);

  it("shows a line for every way to use it", { tags: ["smoke"] }, () => expect(typed.length).toBeGreaterThan(8));

  it.each(typed)("the line runs: %s", { timeout: 30_000 }, (line) => {
    using place = scratch();
    shop(place);
    place.write("package.json", '{ "name": "shop" }\n');
    place.write("Makefile", "fix:\n\tsed -i s/10/12/ src/price.ts\n");
    place.write("calls.jsonl", '{ "tool": "Read", "input": { "file_path": "notes.txt" } }\n');
    const seen = type(place, `${line} < /dev/null; echo "exit $?"`);
    // A machine may lack something, and a fresh folder has nothing to take back; but every line is understood.
    expect(seen).toMatch(line.startsWith("haft undo") || line === "haft doctor" ? /exit [01]$/ : /exit 0$/);
    expect(seen).not.toMatch(/There is no (?:command|option)|Did you mean|^Usage:/m);
  });

  it("each imported name exists", () => {
    const named = [...page.matchAll(/import \{ (.*) \} from "haft"/g)].flatMap(([, names = ""]) => names.split(", "));
    expect(named).toContain("createHaft");
    for (const name of named) expect(haft).toHaveProperty(name);
    expect(haft.createHaft).toBeTypeOf("function");
    expect(core).toHaveProperty("defineTool");
  });
});

it.each(PAGES)("every link in %s leads to a file", (name) => {
  const links = [...readFileSync(name, "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = ""]) => to);
  const folder = name.includes("/") ? "docs" : ".";
  expect(links.filter((to) => !existsSync(`${folder}/${to}`))).toEqual([]);
});

it.each(PAGES)("every command that %s names exists", (name) => {
  const known = new Set(commands.map((command) => command.name));
  const words = [...readFileSync(name, "utf8").matchAll(/(?:^|`|\$ )haft ([a-z]+)\b/gm)].map(([, word = ""]) => word);
  expect(words.filter((word) => !known.has(word))).toEqual([]);
});

it.each(PAGES)("every settings example in %s is sound", (name) => {
  const blocks = [...readFileSync(name, "utf8").matchAll(/^```json5?\n(.*?)^```$/gms)].map(([, text = ""]) =>
    JSON5.parse(text),
  );
  const parsed = blocks.map((block) => parseSettings(block, { origin: "user", file: name }).problems);
  expect(parsed.flat().filter(({ severity }) => severity === "error")).toEqual([]);
});
