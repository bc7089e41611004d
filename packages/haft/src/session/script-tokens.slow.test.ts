import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentSessions } from "../../test/support/agent-sessions.ts";
import { calls, finish, says } from "../../test/support/scripted-model.ts";
import type { ModelEvent, ModelRequest } from "../agent/index.ts";

const sessions = agentSessions("script-tokens");
const FILES = 12;
const file = (at: number) => `src/part${at}.ts`;
const read = (at: number) => ["Read", { file_path: file(at) }] as const;
const edit = (at: number) =>
  ["Edit", { file_path: file(at), old_string: "oldName", new_string: "newName", replace_all: true }] as const;
const every = Array.from({ length: FILES }, (_, at) => at);

type Call = readonly [tool: string, input: object];

/** A task, as the turns of calls that it takes, and as one script. */
interface Task {
  readonly name: string;
  readonly turns: readonly (readonly Call[])[];
  readonly script: string;
  readonly answer: string;
}

const PATHS = `(await tools.Glob({ pattern: "src/*.ts" })).split("\\n").filter((path) => path.endsWith(".ts"))`;
const TEXTS = `const paths = ${PATHS}; const texts = await Promise.all(paths.map((file_path) => tools.Read({ file_path })));`;
const TASKS: readonly Task[] = [
  {
    name: "count words in all files",
    turns: [[["Glob", { pattern: "src/*.ts" }]], every.map(read)],
    script: `${TEXTS} console.log(texts.join("\\n").split("TODO").length - 1);`,
    answer: "12",
  },
  {
    name: "find the longest file",
    turns: [[["Glob", { pattern: "src/*.ts" }]], every.map(read)],
    script: `${TEXTS} console.log(texts.map((text, at) => [text.length, paths[at]]).sort((a, b) => b[0] - a[0])[0][1]);`,
    answer: "part11.ts",
  },
  {
    name: "rename in all files",
    turns: [every.map(read), every.map(edit)],
    script: `for (const file_path of ${PATHS}) { await tools.Read({ file_path }); await tools.Edit({ file_path, old_string: "oldName", new_string: "newName", replace_all: true }); } console.log("renamed");`,
    answer: "renamed",
  },
  {
    name: "follow a chain of files",
    turns: [0, 1, 2, 3, 4, 5].map((at) => [read(at)]),
    script: `let path = "${file(0)}"; for (let at = 0; at < 5; at++) path = /next: (\\S+)/.exec(await tools.Read({ file_path: path }))[1]; console.log(path);`,
    answer: "part5.ts",
  },
  {
    name: "look one word up",
    turns: [[["Grep", { pattern: "oldName", path: file(3) }]]],
    script: `console.log(await tools.Grep({ pattern: "oldName", path: "${file(3)}" }));`,
    answer: "part3.ts",
  },
  {
    name: "read one file",
    turns: [[read(2)]],
    script: `console.log(await tools.Read({ file_path: "${file(2)}" }));`,
    answer: "part3.ts",
  },
];

function workspace() {
  const place = sessions.make();
  mkdirSync(join(place.cwd, "src"));
  for (const at of every) {
    const lines = Array.from({ length: 20 + at }, (_, n) => `export const value${n} = compute(${n}, "${at}");`);
    writeFileSync(
      join(place.cwd, file(at)),
      [`// TODO next: ${file((at + 1) % FILES)}`, "const oldName = 1;", ...lines, ""].join("\n"),
    );
  }
  return place;
}

/** The characters that a model reads and writes for these turns, and the results that it gets. */
async function cost(turns: readonly (readonly Call[])[], settings: object) {
  const { options } = workspace();
  const said: ModelEvent[][] = turns.map((list, turn) => [
    ...list.map(([tool, input], at) => calls(`t${turn}-${at}`, tool, input)),
    finish(),
  ]);
  const { session, model } = await sessions.open([...said, says("Done.")], {
    ...options,
    ...{ mode: "acceptEdits", settings, settingsFiles: false },
  });
  const end = await session.prompt("Do it.");
  expect(end.reason).toBe("answered");
  const failed = session.messages.flatMap((message) => (message.role === "results" ? message.results : []));
  expect(failed.filter(({ status }) => status !== "ok")).toEqual([]);
  const written = turns.reduce((sum, list) => sum + JSON.stringify(list).length, 0);
  return {
    chars: model.requests.reduce((sum, request) => sum + readIn(request), written),
    text: JSON.stringify(failed),
  };
}

/** The size of a request as a provider counts it: instructions, tools and the conversation. */
const readIn = ({ system, tools, messages }: ModelRequest): number =>
  system.length +
  JSON.stringify(tools.map(({ name, description, input }) => [name, description, input])).length +
  JSON.stringify(messages).length;

/** The share of characters that scripts save over single calls. */
async function savedIn(tasks: readonly Task[]): Promise<number> {
  let [alone, scripted] = [0, 0];
  for (const { name, turns, script, answer } of tasks) {
    const one = await cost(turns, {});
    const other = await cost([[["REPL", { code: script }]]], { gates: { repl: true } });
    expect(other.text, name).toContain(answer);
    alone += one.chars;
    scripted += other.chars;
  }
  return 1 - scripted / alone;
}

it("L06 counting words in twelve files takes fewer tokens as a script", { tags: ["smoke"] }, async () => {
  expect(await savedIn(TASKS.slice(0, 1))).toBeGreaterThan(0);
});

it("L06 a set of tasks takes at least 37 % fewer tokens as scripts than call by call", async () => {
  expect(await savedIn(TASKS)).toBeGreaterThanOrEqual(0.37);
});
