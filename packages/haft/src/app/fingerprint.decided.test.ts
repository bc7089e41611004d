import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

let base: string;
const work = (name: string) => join(base, "work", name);
const write = () => {
  writeFileSync(work("s.sh"), "echo first > ran\n", { mode: 0o755 });
  writeFileSync(work("package.json"), '{"scripts": {"x": "echo first > ran"}}');
};
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-sealed-")));
  for (const name of ["work", "home"]) mkdirSync(join(base, name), { recursive: true });
  write();
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (options: HaftOptions) =>
  createHaft({
    ...{ cwd: join(base, "work"), home: join(base, "home"), stateDir: join(base, "state"), env: {} },
    ...options,
  });

const swap = (name: string) => writeFileSync(work(name), "echo changed > ran\n");

describe("a file that a command would run must be unchanged since the decision", () => {
  it.each([
    ["./s.sh", "s.sh", "Bash(./s.sh:*)"],
    ["./s.sh now", "s.sh", "Bash(./s.sh now)"],
    ["sh s.sh", "s.sh", "Bash(sh s.sh)"],
    ["cd . && npm run x", "package.json", "Bash(npm run x)"],
  ])(
    "G15 a rule allows %s: it does not run when %s is another by the time it would start",
    async (command, file, rule) => {
      for (const more of [{}, { run_in_background: true }]) {
        await using haft = await open({ rules: { allow: [rule] } });
        let swaps = 0;
        haft.on(() => {
          swaps++;
          swap(file);
        }, ["tool:execution:start"]);
        const { error } = await haft.call("Bash", { command, ...more });
        expect([swaps, error?.code, error?.message]).toEqual([
          1,
          "conflict",
          expect.stringContaining(`${file} has changed since the decision about this command`),
        ]);
        expect(existsSync(work("ran"))).toBe(false);
        write();
      }
    },
  );

  it("G15 with a rule it runs when nothing has changed, and after an earlier call of the message that wrote the script", async () => {
    await using haft = await open({ rules: { allow: ["Bash(./s.sh)", "Write"] } });
    const outcomes = await haft.run([
      { id: "1", tool: "Read", input: { file_path: "s.sh" } },
      { id: "2", tool: "Write", input: { file_path: "s.sh", content: "#!/bin/sh\necho second > ran\n" } },
      { id: "3", tool: "Bash", input: { command: "./s.sh" } },
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    expect(readFileSync(work("ran"), "utf8")).toBe("second\n");
  });

  it("G15 an SDK's own approval is for the files as they were when it was asked for", async () => {
    for (const isSwapped of [false, true]) {
      await using haft = await open({ rules: { ask: ["Bash"] }, ask: "host", session: `s${isSwapped}` });
      const adapter = haft.for("ai-sdk");
      const toolCall = { toolCallId: "t1", toolName: "Bash", input: { command: "sh s.sh" } };
      const asked = [{ role: "user", content: "Go." }];
      expect(await adapter.toolApproval({ toolCall, messages: asked })).toMatchObject({ type: "user-approval" });
      if (isSwapped) swap("s.sh");
      const answered = [
        ...asked,
        { role: "assistant", content: [{ type: "tool-approval-request", toolCallId: "t1", approvalId: "a1" }] },
        { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] },
      ];
      const output = await adapter.tools.Bash!.execute(toolCall.input, { toolCallId: "t1", messages: answered });
      expect(output.error?.code).toBe(isSwapped ? "needs_approval" : undefined);
      expect(await adapter.toolApproval({ toolCall, messages: answered })).toMatchObject({ type: "denied" });
      expect(existsSync(work("ran"))).toBe(!isSwapped);
      rmSync(work("ran"), { force: true });
    }
  });
});
