import { existsSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer, ApprovalRequest } from "@haft/core/approval";
import { describe, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";
import type { HaftOptions } from "../haft.ts";

type Input = Readonly<Record<string, string>>;

/** A Haft whose every question `answer` is asked, and what was asked. */
async function asking(answer: (input: Input, asked: number) => Answer, options: HaftOptions = {}) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-edited-")));
  const requests: ApprovalRequest[] = [];
  const haft = await createHaft({
    cwd,
    settings: false,
    stateDir: false,
    ask: async (request) => {
      requests.push(request);
      return answer(request.input as Input, requests.length);
    },
    ...options,
  });
  const text = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : undefined);
  return { haft, requests, text };
}

const instead = (input: object): Answer => ({ behavior: "allow", input });

describe("an approval with another input", () => {
  it("F24 needs one answer when the call then does nothing that was not shown", async () => {
    const { haft, requests, text } = await asking(({ file_path }) => instead({ file_path, content: "mine\n" }));
    const result = await haft.call("Write", { file_path: "a.txt", content: "theirs\n" });
    expect([result.error, text("a.txt"), requests.length]).toEqual([undefined, "mine\n", 1]);
  });

  it("F24 needs one answer for a command that does less", async () => {
    const { haft, requests, text } = await asking(({ command }) =>
      command?.includes("rm") ? instead({ command: "rm a.txt" }) : { behavior: "allow" },
    );
    for (const file_path of ["a.txt", "b.txt"]) await haft.call("Write", { file_path, content: "x" });
    const before = requests.length;
    await haft.call("Bash", { command: "rm a.txt b.txt" });
    expect([text("a.txt"), text("b.txt"), requests.length - before]).toEqual([undefined, "x", 1]);
  });

  it("F24 is asked about again when the call then does more than was shown", async () => {
    const { haft, requests, text } = await asking((_input, asked) =>
      asked === 1 ? instead({ file_path: "b.txt", content: "x" }) : { behavior: "deny", message: "no" },
    );
    const result = await haft.call("Write", { file_path: "a.txt", content: "x" });
    expect([result.error?.code, text("b.txt"), requests.length]).toEqual(["denied_by_user", undefined, 2]);
    expect(requests[1]?.input).toMatchObject({ content: "x" });
  });

  for (const [what, command] of [
    ["another command that cannot be read", "./other.sh"],
    ["a command that reaches the network", "curl https://example.invalid"],
  ] as const)
    it(`F24 is asked about again when it is ${what}`, async () => {
      const { haft, requests } = await asking((_input, asked) =>
        asked === 1 ? instead({ command }) : { behavior: "deny", message: "no" },
      );
      await haft.call("Bash", { command: "./build.sh" });
      expect(requests).toHaveLength(2);
    });

  it("F24 is asked about again when a rule wants a person for it", async () => {
    const { haft, requests } = await asking(
      ({ file_path }, asked) =>
        asked === 1 ? instead({ file_path, content: "secret" }) : { behavior: "deny", message: "no" },
      { rules: { ask: ["Write(content:secret)"] } },
    );
    await haft.call("Write", { file_path: "a.txt", content: "x" });
    expect(requests).toHaveLength(2);
  });

  it("F24 never gets past a rule that forbids it", async () => {
    const { haft, text } = await asking(({ file_path }) => instead({ file_path, content: "secret" }), {
      rules: { deny: ["Write(content:secret)"] },
    });
    const { error } = await haft.call("Write", { file_path: "a.txt", content: "x" });
    expect([error?.code, text("a.txt")]).toEqual(["denied_by_rule", undefined]);
  });

  it("F24 by a callback that always names something new ends after a few questions", async () => {
    const { haft, requests } = await asking((_input, asked) => instead({ file_path: `${asked}.txt`, content: "x" }));
    const { error } = await haft.call("Write", { file_path: "a.txt", content: "x" });
    expect([error?.code, requests.length]).toEqual(["limit_reached", 4]);
  });
});
