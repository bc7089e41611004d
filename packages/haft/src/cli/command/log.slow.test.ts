import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "@haft/service";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Scratch, scratch } from "../../../test/support/haft-process.ts";

let place: Scratch;

beforeEach(() => {
  place = scratch();
  place.write("price.ts", "export const price = 10;\n");
});
afterEach(() => place[Symbol.dispose]());

const session = [
  { id: "r", tool: "Read", input: { file_path: "price.ts" } },
  [
    { id: "e", tool: "Edit", input: { file_path: "price.ts", old_string: "10", new_string: "12" } },
    { id: "l", tool: "Ls", input: {} },
  ],
];

it("E15 any session becomes a cassette afterwards, and its replay tells drift", async () => {
  const input = session.map((line) => JSON.stringify(line)).join("\n");
  await place.haft(["batch", "--mode", "acceptEdits"], { input });
  const { code, stdout } = await place.haft(["log", "--cassette"]);
  expect([code, stdout.includes(place.cwd)]).toEqual([0, false]);
  const turns = JSON.parse(stdout).turns as { readonly results: readonly { readonly callId: string }[] }[];
  expect(turns.map(({ results }) => results.map(({ callId }) => callId).sort())).toEqual([["r"], ["e", "l"], []]);
  const file = join(place.cwd, "..", "session.json");
  writeFileSync(file, stdout);
  const replay = () => place.haft(["replay", file, "--mode", "acceptEdits"]);

  place.write("price.ts", "export const price = 10;\n");
  const same = await replay();
  expect([same.code, same.stdout]).toEqual([0, expect.stringContaining("Replayed 3 calls: no drift.")]);
  const other = await replay();
  expect([other.code, other.stdout]).toEqual([1, expect.stringMatching(/\(e\) was ok and is now error: .*price\.ts/)]);

  const cassette = JSON.parse(stdout) as { turns: object[] };
  const [first, ...rest] = cassette.turns;
  writeFileSync(file, JSON.stringify({ ...cassette, turns: [...rest, first] }));
  const early = await replay();
  expect(early.stdout).toMatch(/was ok and is no longer made\n[\s\S]*The replay ended after message \d of 3\.\n$/);
});

it("E15 a session without calls has no cassette", { tags: ["smoke"] }, async () => {
  await place.haft(["batch"], { input: "" });
  const { code, stderr } = await place.haft(["log", "--cassette"]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/made no calls[\s\S]*--session/)]);
});

it("E15 a session whose record the disk had no room for is not the last one, and an older one is still found", async () => {
  await place.haft(["call", "Read", '{"file_path": "price.ts"}']);
  const state = stateFolder("", place.env);
  for (const [id, text] of [
    ["99991231-000000-none", ""],
    ["99991231-000001-torn", '{"t":"session","at":"9999'],
  ] as const) {
    mkdirSync(state.session(place.cwd, id));
    writeFileSync(join(state.session(place.cwd, id), "session.jsonl"), text);
  }
  const { code, stdout } = await place.haft(["log", "--calls"]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/Read.*ok/)]);
});
