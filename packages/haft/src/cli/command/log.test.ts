import { writeFileSync } from "node:fs";
import { join } from "node:path";
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
  expect([other.code, other.stdout]).toEqual([1, expect.stringContaining("(e) was ok and is now error")]);
});

it("E15 of a session without calls there is no cassette", async () => {
  await place.haft(["batch"], { input: "" });
  const { code, stderr } = await place.haft(["log", "--cassette"]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/made no calls[\s\S]*--session/)]);
});
