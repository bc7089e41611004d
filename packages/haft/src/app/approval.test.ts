import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Confirmation, canUseToolAsker, confirmationOf } from "@haft/core/approval";
import { contentsText } from "@haft/core/tool";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { Notice } from "./notice.ts";

let base: string;
let cwd: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-approval-")));
  cwd = join(base, "work");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const asking = () => createHaft({ cwd, settings: false, stateDir: false, ask: "host" });

async function pendingOf(haft: Awaited<ReturnType<typeof asking>>, count = 1) {
  await expect.poll(() => haft.pending().length).toBe(count);
  return haft.pending();
}

it("F15 before an edit the file, the diff, the old and the new text are shown, and nothing is written yet", async () => {
  const haft = await asking();
  const editing = haft.call("Edit", { file_path: "a.txt", old_string: "two", new_string: "2" });
  const [request] = await pendingOf(haft);
  expect(request).toMatchObject({
    tool: "Edit",
    show: { kind: "diff", before: "one\ntwo\n", after: "one\n2\n", added: 1, removed: 1 },
  });
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\ntwo\n");
  haft.answer(request!.id, { behavior: "deny", message: "no" });
  expect((await editing).error?.code).toBe("denied_by_user");
});

it("F16 before a command every part of it is shown, exactly as it would run", async () => {
  const haft = await asking();
  const command = "make build && rm -rf out; echo done > log";
  const running = haft.call("Bash", { command });
  const [request] = await pendingOf(haft);
  const shown = JSON.stringify(request!.show);
  for (const part of [command, "make build", "rm -rf out"]) expect(shown).toContain(part);
  expect(request!.effects).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ do: "run", argv: ["make", "build"], opaque: true }),
      expect.objectContaining({ do: "write", path: join(cwd, "out"), change: "delete" }),
      expect.objectContaining({ do: "write", path: join(cwd, "log") }),
    ]),
  );
  haft.answer(request!.id, { behavior: "deny", message: "no" });
  await running;
});

it("F27 two questions of two agents are answered independently, in any order", async () => {
  const haft = await asking();
  const child = haft.with({ agent: { id: "child", parent: "main" } });
  const write = (who: typeof haft, name: string) => who.call("Write", { file_path: name, content: name }, { id: name });
  const [first, second] = [write(haft, "1.txt"), write(child, "2.txt")];
  const requests = await pendingOf(haft, 2);
  expect(requests.map(({ agent }) => agent.id).sort()).toEqual(["child", "main"]);
  const of = (callId: string) => requests.find((request) => request.callId === callId)!.id;
  haft.answer(of("2.txt"), { behavior: "allow" });
  expect((await second).error).toBeUndefined();
  expect(haft.pending().map(({ callId }) => callId)).toEqual(["1.txt"]);
  haft.answer(of("1.txt"), { behavior: "deny", message: "not this" });
  expect((await first).error?.code).toBe("denied_by_user");
});

it("F28 a host's callback decides where no rule does; its refusal reaches the model, its rewrite is decided anew", async () => {
  const asked: string[] = [];
  const haft = await createHaft({
    cwd,
    settings: false,
    stateDir: false,
    rules: { allow: ["Edit(/free/**)"], deny: ["Edit(/never/**)"] },
    ask: async ({ callId }) => {
      asked.push(callId);
      if (callId === "no") return { behavior: "deny", message: "use another name" };
      return { behavior: "allow", input: { file_path: "never/x", content: "" } };
    },
  });
  const write = (id: string, file_path: string) => haft.call("Write", { file_path, content: "" }, { id });
  expect((await write("free", "free/x")).error).toBeUndefined();
  expect(contentsText((await write("no", "x")).content)).toContain("use another name");
  expect((await write("rewritten", "y")).error?.code).toBe("denied_by_rule");
  expect(asked).toEqual(["no", "rewritten"]);
});

it("F28 a no with a reason fails its own call; with interrupt it stops what waits behind it too", async () => {
  for (const interrupt of [false, true]) {
    const asked: string[] = [];
    const haft = await createHaft({
      cwd,
      settings: false,
      stateDir: false,
      ask: async ({ callId }) => {
        asked.push(callId);
        return { behavior: "deny", message: "not now", interrupt };
      },
    });
    // Both change one file, so the second question cannot come before the first.
    const write = (id: string) => ({ id, tool: "Write", input: { file_path: "b.txt", content: id } });
    const outcomes = await haft.run([write("1"), write("2")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["denied", interrupt ? "cancelled" : "denied"]);
    expect(asked).toEqual(interrupt ? ["1"] : ["1", "2"]);
  }
});

it("F25 a host draws its own dialog from the details and answers by the callback", async () => {
  const haft = await asking();
  const confirmations: Confirmation[] = [];
  haft.on((event) => {
    if (event.type === "tool:permission:request") confirmations.push(confirmationOf(event.request, haft.answer));
  });
  const editing = haft.call("Edit", { file_path: "a.txt", old_string: "two", new_string: "2" });
  await expect.poll(() => confirmations.length).toBe(1);
  const [{ details, onConfirm }] = confirmations as [Confirmation];
  expect(details).toMatchObject({
    kind: "edit",
    files: [{ fileName: "a.txt", originalContent: "one\ntwo\n", newContent: "one\n2\n" }],
  });
  expect(
    onConfirm("modify_with_editor", { input: { file_path: "a.txt", old_string: "two", new_string: "II" } }),
  ).toEqual({ accepted: true });
  expect(onConfirm("cancel")).toMatchObject({ accepted: false });
  await expect.poll(() => confirmations.length).toBe(2);
  expect(confirmations[1]!.details).toMatchObject({ files: [{ newContent: "one\nII\n" }] });
  confirmations[1]!.onConfirm("proceed_once");
  expect(contentsText((await editing).content)).toContain("changed the input");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\nII\n");
});

it("H12 Read never spills: it pages, and reading a spilled file pages too", async () => {
  const haft = await createHaft({ cwd, settings: false, stateDir: join(base, "state") });
  writeFileSync(join(cwd, "big.txt"), "a line of some length, to be read in pages\n".repeat(50_000));
  const page = await haft.call("Read", { file_path: "big.txt" });
  expect(page.spilled).toBeUndefined();
  expect(contentsText(page.content)).toMatch(/Read on with offset/);
  const spilled = (await haft.call("Grep", { pattern: "line", output_mode: "content", head_limit: 0 })).spilled;
  const again = await haft.call("Read", { file_path: spilled!.path });
  expect([again.error, again.spilled]).toEqual([undefined, undefined]);
  await haft[Symbol.asyncDispose]();
});

it("F28 a canUseTool callback answers; a changed input is decided anew, and asked about only if it does more", async () => {
  const asked: unknown[] = [];
  const ask = canUseToolAsker((_, input) => {
    asked.push(input.content);
    return { behavior: "allow", updatedInput: { ...input, content: "theirs" } };
  });
  await using haft = await createHaft({ cwd, settings: false, stateDir: false, ask });
  expect((await haft.call("Write", { file_path: "b.txt", content: "ours" })).error).toBeUndefined();
  expect([asked, readFileSync(join(cwd, "b.txt"), "utf8")]).toEqual([["ours"], "theirs"]);
});

it("F13 a function that fails instead of answering lets nothing run, and the program hears why", async () => {
  const notices: Notice[] = [];
  const onNotice = (notice: Notice) => notices.push(notice);
  const ask = () => Promise.reject(new Error("the window is gone"));
  await using haft = await createHaft({ cwd, settings: false, stateDir: false, ask, onNotice });
  expect((await haft.call("Write", { file_path: "b.txt", content: "x" })).error?.code).toBe("needs_approval");
  expect(notices).toMatchObject([
    { code: "answer_ignored", source: "approvals", message: expect.stringContaining("the window is gone") },
  ]);
});
