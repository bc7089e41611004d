/** Tokens of the definitions that every request carries, and of the results of the same work. */
import { type Contender, openContender } from "../contender.ts";
import { type Effort, type Part, type Row, rowOf } from "../measure.ts";
import { growTree, scratch } from "../places.ts";

const NAMES: Readonly<Record<string, string>> = {
  haft: "haft",
  gemini: "Gemini CLI core",
  pi: "pi",
  opencode: "opencode",
};
const FILE = "pack0/part0/file1.ts";

/** The same work in the words of each. */
const WORK: Readonly<Record<string, Readonly<Record<string, readonly [string, object]>>>> = {
  "read of 1 KB": {
    haft: ["Read", { file_path: FILE }],
    gemini: ["read", { file_path: FILE }],
    pi: ["read", { path: FILE }],
    opencode: ["read", { filePath: FILE }],
  },
  "grep, 100 of 500 hits": {
    haft: ["Grep", { pattern: "line 3\\b", output_mode: "content", head_limit: 100 }],
    gemini: ["grep", { pattern: "line 3\\b", total_max_matches: 100 }],
    pi: ["grep", { pattern: "line 3\\b", limit: 100 }],
    opencode: ["grep", { pattern: "line 3\\b" }],
  },
  "command with 2,000 lines of output": {
    haft: ["Bash", { command: "seq 1 2000" }],
    gemini: ["shell", { command: "seq 1 2000" }],
    pi: ["bash", { command: "seq 1 2000" }],
    opencode: ["bash", { command: "seq 1 2000", description: "Counts." }],
  },
  "edit of one line": {
    haft: ["Edit", { file_path: FILE, old_string: "compute(9,", new_string: "changed(9," }],
    gemini: ["edit", { file_path: FILE, old_string: "changed(9,", new_string: "again(9,", instruction: "Change it." }],
    pi: ["edit", { path: FILE, edits: [{ oldText: "again(9,", newText: "last(9," }] }],
    opencode: ["edit", { filePath: FILE, oldString: "last(9,", newString: "other(9," }],
  },
  "edit without a match": {
    haft: ["Edit", { file_path: FILE, old_string: "value8 = compute(8, 'some", new_string: "x" }],
    gemini: ["edit", { file_path: FILE, old_string: "nowhere(8, 'some", new_string: "x", instruction: "Change it." }],
    pi: ["edit", { path: FILE, edits: [{ oldText: "nowhere(8, 'some", newText: "x" }] }],
    opencode: ["edit", { filePath: FILE, oldString: "nowhere(8, 'some", newString: "x" }],
  },
};

export const tokens: Part = {
  charts: [
    {
      ...{ id: "definitions", title: "Tokens of the tool definitions, as offered by default", axis: "contender" },
      remark: "The number of tools differs and is part of the name: more tools, more tokens. Tokens are o200k.",
    },
    { id: "per-tool", title: "Tokens per tool definition", axis: "contender" },
    {
      ...{ id: "results", title: "Tokens of results", axis: "work" },
      remark: "Fewer is not always better: Haft's failed edit shows the nearest passage, which the next try needs.",
    },
  ],
  async run(_: Effort) {
    using place = scratch();
    growTree(place.cwd, 0, 500);
    const name = "gpt-tokenizer";
    const { encode } = (await import(name)) as { encode(text: string): readonly number[] };
    const count = (text: unknown) => encode(String(text)).length;
    const opened = new Map<string, Contender>();
    for (const one of Object.keys(NAMES)) opened.set(one, await openContender(one, place));
    const rows: Row[] = [];
    for (const [one, contender] of opened) {
      const definitions = String((await contender.ask("definitions")).value);
      const tools = (JSON.parse(definitions) as readonly unknown[]).length;
      const label = NAMES[one]!;
      rows.push(rowOf("definitions", `${label} (${tools} tools)`, "tokens", "tokens", [count(definitions)]));
      rows.push(rowOf("per-tool", label, "tokens", "tokens", [count(definitions) / tools]));
    }
    for (const [work, ways] of Object.entries(WORK)) {
      for (const [one, [tool, input]] of Object.entries(ways)) {
        const answer = opened.get(one)!.ask("result", { tool, input });
        // A refusal is an answer that the model reads too.
        const text = await answer.then(
          ({ value }) => value,
          (error: Error) => error.message,
        );
        rows.push(rowOf("results", NAMES[one]!, work, "tokens", [count(text)]));
      }
    }
    await Promise.all([...opened.values()].map((one) => one.close()));
    return rows;
  },
};
