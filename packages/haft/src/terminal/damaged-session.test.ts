import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { wireNames } from "@haft/core/adapter";
import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { agentSessions } from "../../test/support/agent-sessions.ts";
import { headlessTerminal } from "../../test/support/headless-terminal.ts";
import { calls, finish, says } from "../../test/support/scripted-model.ts";
import { conversationFile, conversationIn, repaired } from "../agent/index.ts";
import { modelMessages } from "../agent/model-messages.ts";
import { drawRow } from "../draw/rows/view-row.ts";
import { PLAIN } from "../draw/style.ts";
import { recordedCalls } from "../session/index.ts";
import { viewOfMessages } from "../view/index.ts";

const sessions = agentSessions("damaged");

/** The files of a session with a call of every look. */
async function storedFiles() {
  const { options, cwd } = sessions.make();
  writeFileSync(`${cwd}/a.txt`, "alpha\n");
  const { session } = await sessions.open(
    [
      [
        ...[calls("c1", "Read", { file_path: "a.txt" }), calls("c2", "Grep", { pattern: "alpha" })],
        ...[calls("c3", "TodoWrite", { todos: [{ content: "Look", status: "pending", activeForm: "Looking" }] })],
        finish(),
      ],
      [calls("c4", "Edit", { file_path: "a.txt", old_string: "alpha", new_string: "beta" }), finish()],
      [calls("c5", "Bash", { command: "cat a.txt; false" }), calls("c6", "Read", { file_path: "none" }), finish()],
      says("It is **beta** now."),
    ],
    { ...options, ask: async () => ({ behavior: "allow" }) },
  );
  await session.prompt("Change it.");
  const record = session.haft.session.path!;
  const talk = conversationFile(dirname(record));
  await session[Symbol.asyncDispose]();
  return { options, record, talk, lines: [record, talk].map((file) => readFileSync(file, "utf8").trim().split("\n")) };
}

/** A value in place of one that is somewhere inside. */
function damaged(value: unknown, path: readonly number[], by: unknown): unknown {
  if (typeof value !== "object" || value === null || path.length === 0) return by;
  const keys = Object.keys(value);
  if (keys.length === 0) return by;
  const key = keys[path[0]! % keys.length]!;
  const changed = damaged((value as Record<string, unknown>)[key], path.slice(1), by);
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === key ? changed : one));
  return { ...value, [key]: changed };
}

it("E25 a session whose stored messages and calls were edited or cut opens with the rest", async () => {
  const { record, talk, lines } = await storedFiles();
  const moment = { now: 0, spinner: "", wasDrawn: () => false, showsTodos: true };
  const damage = fc.record({
    file: fc.nat(1),
    line: fc.nat(),
    path: fc.array(fc.nat(20), { minLength: 1, maxLength: 7 }),
    by: fc.constantFrom(undefined, null, 7, "odd", [], {}, [null], { type: "odd" }, [{ type: "text" }]),
  });
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (damages) => {
      const all = lines.map((of) => [...of]);
      for (const { file, line, path, by } of damages) {
        const of = all[file]!;
        const at = line % of.length;
        of[at] = JSON.stringify(damaged(JSON.parse(of[at]!), path, by)) ?? "";
      }
      writeFileSync(record, `${all[0]!.join("\n")}\n`);
      writeFileSync(talk, `${all[1]!.join("\n")}\n`);
      const messages = repaired(conversationIn(dirname(record)));
      modelMessages(messages, { names: wireNames(), media: "after", keptBack: new Set() });
      const view = viewOfMessages(messages, recordedCalls(record));
      for (const isWhole of [true, false])
        for (const row of view.rows) expect(drawRow(row, PLAIN, { ...moment, isWhole })).toBeTypeOf("string");
    }),
    { numRuns: runs(3000) },
  );
});

it("E25 the terminal opens a session with damaged messages, tells how many, and shows the others", async () => {
  const { options, talk, lines } = await storedFiles();
  const odd = [
    { role: "user" },
    { role: "wizard", content: [] },
    { role: "assistant", parts: [{ type: "text" }, { type: "text", text: "This half is whole." }, { type: "odd" }] },
    { role: "results", results: [{ callId: "c1" }, null] },
  ].map((message) => JSON.stringify({ t: "message", message }));
  writeFileSync(talk, `${[...lines[1]!, ...odd].join("\n")}\n{"t":"message","mess`);
  const notices: string[] = [];
  const { session } = await sessions.open([], {
    ...{ ...options, resume: "last" },
    onNotice: ({ message }) => notices.push(message),
  });
  expect(notices).toEqual([expect.stringMatching(/^5 lines of .* could not be read completely/)]);
  await using terminal = await headlessTerminal(100, 40);
  terminal.screen.resume(session.messages, recordedCalls(session.haft.session.path));
  const text = (await terminal.lines()).join("\n");
  expect(text).toContain("❯ Change it.");
  expect(text).toContain("It is beta now.");
  expect(text).toContain("This half is whole.");
});
