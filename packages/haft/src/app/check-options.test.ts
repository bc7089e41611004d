import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HaftError } from "@haft/core/tool";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { Haft } from "./haft.ts";

let base: string;
let haft: Loose;
const open = (options: object = {}) =>
  createHaft({ cwd: base, home: base, stateDir: join(base, "state"), env: {}, ...options });
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "haft-given-"));
  haft = (await open()) as unknown as Loose;
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Haft as a program without types sees it. */
type Loose = Readonly<Record<"call" | "run" | "explain" | "with" | "open", (...given: readonly unknown[]) => unknown>>;

/** The message about these options, with its cure. */
async function complaint(act: () => unknown): Promise<string> {
  try {
    await act();
    return "";
  } catch (thrown) {
    if (!HaftError.is(thrown)) return `not one of ours: ${thrown}`;
    return `${thrown.code} ${thrown.message} ${thrown.hint}`;
  }
}

describe("the input of a program without types", () => {
  it.each([
    [{ cwd: 5 }, "cwd cannot be 5. Give text."],
    [{ mode: "planing" }, 'mode cannot be "planing". Give one of default, acceptEdits, plan'],
    [{ rules: "Bash" }, 'rules cannot be "Bash". Give an object with the rule lists'],
    [{ rules: { deny: "Bash" } }, 'rules.deny cannot be "Bash". Give a list of rules'],
    [{ rules: { deny: [5] } }, "rules.deny cannot be this list. Give a list of rules"],
    [{ rules: { dney: ["Bash"] } }, 'unknown key "rules.dney". Did you mean "deny"?'],
    [{ rule: { deny: ["Bash"] } }, 'unknown key "rule". Did you mean "rules"?'],
    [{ tools: "all" }, 'tools cannot be "all". Give "coding", "read-only" or a list of tools.'],
    [{ tools: [null] }, "tools cannot be this list."],
    [{ hooks: {} }, "hooks cannot be this object. Give a list of hooks."],
    [{ ask: "yes" }, 'ask cannot be "yes". Give "host" or a function.'],
    [{ approvalTimeoutMs: "5s" }, 'approvalTimeoutMs cannot be "5s".'],
    [{ env: null }, "env cannot be null."],
    [{ budget: { token: 5 } }, 'unknown key "budget.token". Did you mean "tokens"?'],
    [{ budget: { tokens: "5" } }, 'budget.tokens cannot be "5". Give a number from 0.'],
    [{ shell: { colums: 80 } }, 'Unknown key "colums" in "shell". Did you mean "columns"?'],
    [{ shell: { columns: "80" } }, '"shell.columns" must be a whole number, not a text. Write a whole number.'],
    [{ queue: { url: "redis://x", placment: [] } }, 'unknown key "queue.placment". Did you mean "placement"?'],
    [
      { queue: { url: "redis://x", placement: [{ tool: "Bash", label: "gpu" }] } },
      "queue.placement cannot be this list.",
    ],
    [{ queue: { url: "redis://x", limits: [{ tool: "Bash", concurrent: "8" }] } }, "queue.limits cannot be this list."],
    [{ queue: { name: "q" } }, "queue.url is missing."],
  ])("J06 an option that cannot be is refused by its key, with what it may be: %j", async (options, words) => {
    expect(await complaint(() => open(options))).toContain(`validation_failed createHaft: ${words}`);
  });

  it("J06 options that are none, and options that are undefined", async () => {
    expect(await complaint(() => createHaft(null as never))).toContain("the argument cannot be null");
    expect(await complaint(async () => (await open({ mode: undefined, rules: undefined })).mode)).toBe("");
  });

  it.each<[keyof Loose, readonly unknown[], string]>([
    ["run", [{}], "run: calls cannot be this object. Give a list of calls"],
    ["run", [], "run: calls is missing."],
    ["run", [[null]], "run: calls[0] cannot be null."],
    ["run", [[{ id: "1", tool: "Ls" }, { id: "2" }]], "run: calls[1].tool is missing."],
    ["run", [[{ tool: "Ls", input: {} }]], "run: calls[0].id is missing."],
    ["call", [undefined, {}], "call: tool is missing."],
    ["call", ["Ls", {}, { id: 5 }], "call: options.id cannot be 5."],
    ["call", ["Ls", {}, { signal: true }], "call: options.signal cannot be true. Give an AbortSignal."],
    ["explain", [7, {}], "explain: tool cannot be 7."],
    ["with", [], "with: the argument is missing."],
    ["with", [{ tools: "Read" }], 'with: tools cannot be "Read". Give a list of names.'],
    ["with", [{ tool: ["Read"] }], 'with: unknown key "tool". Did you mean "tools"?'],
    ["with", [{ mode: "pln" }], 'with: mode cannot be "pln".'],
  ])("J06 %s(%j) is refused with the place and the cure", async (method, given, words) => {
    expect(await complaint(() => haft[method](...given))).toContain(`validation_failed ${words}`);
  });

  it("J06 a call that cannot be one is not added, and the others of its batch run", async () => {
    const batch = (haft as unknown as Haft).open();
    const ls = batch.add({ id: "1", tool: "Ls", input: { path: "." } });
    expect(await complaint(() => batch.add({ id: "2" } as never))).toContain("add: call.tool is missing.");
    expect((await ls).status).toBe("ok");
    expect(await batch.end()).toHaveLength(1);
  });
});
