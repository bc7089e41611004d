import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalRequest } from "@haft/core/approval";
import { defineTool, fail } from "@haft/core/tool";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";
import type { Haft } from "../haft.ts";

const Odd = defineTool({
  name: "Odd",
  description: "Its preview breaks for a reason of its own.",
  input: { type: "object", properties: { note: { type: "string", description: "A note." } } },
  can: ["state"],
  effects: () => [{ do: "state", of: "odd", change: true, basis: "enforced" }],
  preview: ({ note }) => (note === "bug" ? undefinedThing() : fail("no_change", "There is nothing to do.")),
  run: () => "ran",
});

const undefinedThing = (): never => {
  throw new TypeError("a bug in the preview");
};

let base: string;
let cwd: string;
let haft: Haft;
const asked: ApprovalRequest[] = [];
beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-sure-")));
  cwd = join(base, "work");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");
  writeFileSync(join(cwd, ".env"), "TOKEN=abc\n");
  haft = await createHaft({
    cwd,
    settings: false,
    stateDir: false,
    tools: [Odd],
    ask: async (request) => {
      asked.push(request);
      return { behavior: "allow" };
    },
  });
});
beforeEach(() => void asked.splice(0));
afterAll(async () => {
  await haft[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

it("F15 an edit that cannot apply fails with its reason, and nobody is asked", async () => {
  const { error } = await haft.call("Edit", { file_path: "a.txt", old_string: "three", new_string: "3" });
  expect(error?.code).toBe("match_not_found");
  expect(asked).toEqual([]);
  const missing = await haft.call("Edit", { file_path: "b.txt", old_string: "three", new_string: "3" });
  expect(missing.error?.code).toBe("file_not_found");
  expect(asked).toEqual([]);
});

it("F15 a patch that cannot apply fails with its reason, and nobody is asked", async () => {
  const input = "*** Begin Patch\n*** Update File: a.txt\n@@\n-three\n+3\n*** End Patch";
  expect((await haft.call("ApplyPatch", { input })).error).toBeDefined();
  expect(asked).toEqual([]);
});

it("F15 a dry run of an edit that cannot apply says so", async () => {
  const batch = haft.open({ dryRun: true });
  void batch.add({ id: "dry", tool: "Edit", input: { file_path: "a.txt", old_string: "three", new_string: "3" } });
  const [outcome] = await batch.end();
  expect(outcome?.result.error?.code).toBe("match_not_found");
});

it("F15 any tool ends a call by failing in its preview; a preview that merely breaks does not", async () => {
  expect((await haft.call("Odd", { note: "x" })).error?.code).toBe("no_change");
  expect(asked).toEqual([]);
  expect((await haft.call("Odd", { note: "bug" })).error).toBeUndefined();
  const plain = { kind: "text", text: "note: bug" };
  expect(asked[0]?.show).toMatchObject({
    kind: "group",
    title: expect.stringContaining("The preview of Odd failed"),
    items: [plain],
  });
});

it("F15 whether a private file holds a text is nothing that an edit finds out unasked", async () => {
  const { error } = await haft.call("Edit", { file_path: ".env", old_string: "SECRET=", new_string: "x" });
  expect(asked).toHaveLength(1);
  expect(JSON.stringify(asked[0]?.show)).toContain("It would fail now");
  expect(JSON.stringify(asked[0]?.show)).not.toContain('{\\"');
  expect(error?.code).toBe("match_not_found");
  expect(readFileSync(join(cwd, ".env"), "utf8")).toBe("TOKEN=abc\n");
});
