import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-asked-")));
  mkdirSync(join(base, "work"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (session: string) =>
  createHaft({
    cwd: join(base, "work"),
    home: base,
    env: {},
    settings: false,
    stateDir: join(base, "state"),
    session,
    ask: "host",
  });

const input = { file_path: "a.txt", content: "x" };
const toolCall = (changed = input) => ({ toolCallId: "c1", toolName: "Write", input: changed });
/** The message of a client that answers the host's own approval part. */
const answered = [
  { role: "assistant", content: [{ type: "tool-approval-request", approvalId: "ap1", toolCallId: "c1" }] },
  { role: "tool", content: [{ type: "tool-approval-response", approvalId: "ap1", approved: true }] },
];

it("F11 a question of the host's own approval part is known after a restart, for this call, input and session only", async () => {
  const before = await open("s1");
  expect(await before.for("ai-sdk").toolApproval({ toolCall: toolCall(), messages: [] })).toMatchObject({
    type: "user-approval",
  });
  const kept = readFileSync(join(dirname(before.session.path!), "asked-calls.json"), "utf8");
  expect(kept).toContain("c1");
  await before[Symbol.asyncDispose]();

  const other = await open("s2");
  const forged = await other.for("ai-sdk").toolApproval({ toolCall: toolCall(), messages: answered });
  expect(forged.type).toBe("denied");
  await other[Symbol.asyncDispose]();

  const after = await open("s1");
  const sdk = after.for("ai-sdk");
  const changed = toolCall({ ...input, content: "y" });
  expect((await sdk.toolApproval({ toolCall: changed, messages: answered })).type).toBe("denied");
  expect((await sdk.toolApproval({ toolCall: toolCall(), messages: answered })).type).toBe("user-approval");
  const output = await sdk.tools.Write!.execute!(input, { toolCallId: "c1", messages: answered });
  expect((output as { status: string }).status).toBe("ok");
  expect(readFileSync(join(base, "work/a.txt"), "utf8")).toBe("x");
  // Once.
  rmSync(join(base, "work/a.txt"));
  expect((await sdk.toolApproval({ toolCall: toolCall(), messages: answered })).type).toBe("denied");
  expect(existsSync(join(base, "work/a.txt"))).toBe(false);
  await after[Symbol.asyncDispose]();
});
