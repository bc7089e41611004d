import { spawnSync } from "node:child_process";
import { parseSettings } from "@haft/core/policy/settings";
import JSON5 from "json5";
import { describe, expect, it } from "vitest";
import { commands } from "../packages/haft/src/cli/command-table.ts";
import { blocksOf, CODE, type DocBlock, docPages } from "./support/doc-blocks.ts";

const known = new Set(commands.map(({ name }) => name));
const blocks = docPages().flatMap((page) => blocksOf(page));
const nameOf = ({ page, line, language }: DocBlock): string => `${page}:${line} ${language}`;

/** How each language is checked; `undefined` where the block is right. */
const CHECKS: Readonly<Record<string, (block: DocBlock) => unknown>> = {
  json: checkSettings,
  json5: checkSettings,
  jsonl: ({ text }) => {
    for (const line of text.trim().split("\n")) JSON.parse(line);
  },
  sh: ({ text }) => scriptProblem(text),
  bash: ({ text }) => scriptProblem(text),
  console: ({ text }) => scriptProblem(typedIn(text)),
  "": ({ text }) => scriptProblem(typedIn(text)),
};

function checkSettings({ text, page, isData }: DocBlock): unknown {
  const value: unknown = JSON5.parse(text);
  if (isData) return undefined;
  const { problems } = parseSettings(value, { origin: "user", file: page });
  return problems.find(({ severity }) => severity === "error")?.message;
}

/** The lines typed at a prompt; the others are output. */
const typedIn = (text: string): string =>
  text
    .split("\n")
    .flatMap((line) => /^\$ (.*)$/.exec(line)?.[1] ?? [])
    .join("\n");

function scriptProblem(script: string): unknown {
  const { status, stderr } = spawnSync("sh", ["-n"], { input: script, encoding: "utf8" });
  if (status !== 0) return stderr;
  const words = [...script.matchAll(/^haft ([a-z]+)\b/gm)].map(([, word = ""]) => word);
  return words.find((word) => !known.has(word));
}

describe("every block of the docs", () => {
  it("is checked in some way, or says why not", () => {
    const ways = [...CODE, ...Object.keys(CHECKS)];
    expect(blocks.length).toBeGreaterThan(25);
    expect(blocks.filter(({ language, skip }) => skip === undefined && !ways.includes(language)).map(nameOf)).toEqual(
      [],
    );
    expect(blocks.filter(({ skip }) => skip !== undefined && skip.length < 10).map(nameOf)).toEqual([]);
  });

  it("that is no code is sound: settings, and commands that exist", () => {
    const wrong = blocks.flatMap((block) => {
      const problem = block.skip === undefined ? CHECKS[block.language]?.(block) : undefined;
      return problem === undefined ? [] : [`${nameOf(block)}: ${String(problem)}`];
    });
    expect(wrong).toEqual([]);
  });
});

describe("the check of the blocks", () => {
  const page = (text: string) => blocksOf("page.md", text);

  it("finds the comments around a block, and its place", () => {
    const [first, second] = page(
      "Text.\n\n<!-- block: given\nconst a = 1;\n-->\n```ts\na;\n```\n<!-- block: then\nb;\n-->\n\n<!-- block: skip it is a sketch -->\n```ts\n…\n```\n",
    );
    expect(first).toMatchObject({ line: 6, given: "const a = 1;", text: "a;\n", after: "b;" });
    expect(second).toMatchObject({ skip: "it is a sketch", text: "…\n" });
  });

  it("notices settings and commands that do not exist", () => {
    const problem = (text: string) => page(text).map((block) => CHECKS[block.language]?.(block));
    expect(problem('```json\n{ "permission": {} }\n```\n')).toEqual([expect.stringContaining("permission")]);
    expect(problem("```sh\nhaft explode\n```\n")).toEqual(["explode"]);
    expect(problem("```\n$ haft undo\n```\n")).toEqual([undefined]);
  });
});
