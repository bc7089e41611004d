import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { editorClients, texts } from "../../test/support/editor-client.ts";
import { calls, finish, type ScriptStep, says } from "../../test/support/scripted-model.ts";

const { connect, places } = editorClients("acp-edit");

const plan = { plan: "# The plan\nWrite a.txt.", effects: ["write(a.txt)"] };
const write = (id: string, file_path: string) => [calls(id, "Write", { file_path, content: "x" }), finish()];
const present = [calls("p1", "ExitPlanMode", plan), finish()];

const idsOf = ({ options }: RequestPermissionRequest) => options.map(({ optionId }) => optionId);
const fileOf = ({ toolCall }: RequestPermissionRequest) => toolCall.locations?.[0]?.path ?? "";

/** An editor whose person answers in turn. A step may change the file that the question names. */
async function editing(turns: readonly (readonly ScriptStep[])[], steps: readonly Step[], mode = "plan") {
  const left = [...steps];
  const files = new Set<string>();
  const made = connect(turns, (request) => {
    if (idsOf(request).includes("edited")) files.add(fileOf(request));
    const step = left.shift();
    return typeof step === "function" ? step(fileOf(request)) : step;
  });
  const { sessionId } = await made.start();
  await made.agent.request("session/set_mode", { sessionId, modeId: mode });
  await made.prompt(sessionId, "Go.");
  return { ...made, files: [...files], mode: () => texts(made.updates, "current_mode_update") };
}
type Step = string | ((file: string) => string);

/** The person changes the file, saves it and chooses. */
const saves = (change: (text: string) => string, choice: string) => (file: string) => {
  writeFileSync(file, change(readFileSync(file, "utf8")));
  return choice;
};
const removes = (file: string) => {
  rmSync(file);
  return "edited";
};
const comment = (words: string) => (text: string) => `${text}${words}\n`;

describe("an editor over ACP", () => {
  it("N07 changes a plan and its effects in a file; the changed plan is shown, and counts after the yes", async () => {
    const change = (text: string) =>
      text.replace("Write a.txt.", "Write c.txt.").replace("write(a.txt)", "write(c.txt)");
    const { asked, files, updates, model, cwd, ofCall } = await editing(
      [present, write("w1", "c.txt"), write("w2", "a.txt"), says("Done.")],
      ["edit", saves(change, "edited"), "allow", "deny"],
    );
    expect(asked[0]!.options.at(-1)).toMatchObject({ optionId: "edit", kind: "reject_once" });
    // The editor opens the file from the location of the call, and the person reads its name.
    expect(ofCall("p1")).toContainEqual(expect.objectContaining({ locations: [{ path: files[0] }] }));
    expect(texts(updates, "agent_thought_chunk")).toContain(files[0]);
    expect(asked[1]!.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once", "reject_once"]);
    expect(JSON.stringify(asked[2]!.toolCall.content)).toMatch(/Write c\.txt\..*write\(c\.txt\)/);
    expect(JSON.stringify(model.requests[1]!.messages)).toContain("The user changed the plan");
    // Exactly the changed list is granted: the fourth question is about a.txt.
    expect(asked.map(({ toolCall }) => toolCall.toolCallId)).toEqual(["p1", "p1", "p1", "w2"]);
    expect([existsSync(join(cwd, "c.txt")), existsSync(join(cwd, "a.txt"))]).toEqual([true, false]);
    expect(existsSync(files[0]!)).toBe(false);
  });

  it("N07 gives a plan without effects some, and reads why a list cannot be granted", async () => {
    const bare = [calls("p1", "ExitPlanMode", { plan: "# The plan" }), finish()];
    const add = (effect: string) => (text: string) => text.replace(/one a line ---\n/, `one a line ---\n${effect}\n`);
    const { asked, cwd } = await editing(
      [bare, write("w1", "a.txt"), says("Done.")],
      [
        "edit",
        saves(add("Bash"), "edited"),
        "edit",
        saves((text) => text.replace("\nBash\n", "\nwrite(a.txt)\n"), "edited"),
        "allow",
      ],
    );
    expect(JSON.stringify(asked[2]!.toolCall.content)).toContain("would grant every call of Bash");
    expect(asked).toHaveLength(5);
    expect(existsSync(join(cwd, "a.txt"))).toBe(true);
  });

  it("N07 rejects a plan with a comment, which the model reads; plan mode stays on", async () => {
    const { files, model, cwd } = await editing(
      [present, write("w1", "a.txt"), says("Done.")],
      ["edit", saves(comment("Use Postgres.\nAnd no cache."), "deny")],
    );
    const told = JSON.stringify(model.requests[1]!.messages);
    expect(told).toContain("Use Postgres.\\nAnd no cache.");
    expect(existsSync(join(cwd, "a.txt"))).toBe(false);
    expect(existsSync(files[0]!)).toBe(false);
  });

  it("N07 asks again when the file is as it was or gone, and nothing has happened", async () => {
    const { asked, files, updates } = await editing(
      [present, says("Done.")],
      ["edit", "edited", "edit", removes, "stop"],
    );
    expect(asked.map((one) => idsOf(one)[0])).toEqual(["allow", "edited", "allow", "edited", "allow"]);
    expect(texts(updates, "agent_thought_chunk")).toContain("The text was not changed.");
    expect(files).toHaveLength(2);
  });

  it("F23 changes a command before it runs; a deny rule counts for the changed one too", async () => {
    const turns = () => [[calls("b1", "Bash", { command: "touch a.txt" }), finish()], says("Done.")];
    const toB = saves((text) => text.replace("a.txt", "b.txt"), "edited");
    const { cwd, asked } = await editing(turns(), ["edit", toB, "allow"], "default");
    expect([existsSync(join(cwd, "a.txt")), existsSync(join(cwd, "b.txt"))]).toEqual([false, true]);
    expect(JSON.stringify(asked[2]!.toolCall)).toContain("touch b.txt");
    const toPush = saves((text) => text.replace("touch a.txt", "git push origin main"), "edited");
    const place = places.make();
    const options = { ...place.options, rules: { deny: ["Bash(git push *)"] } };
    const left: Step[] = ["edit", toPush];
    const denied = connect(
      turns(),
      (request) => {
        const step = left.shift();
        return typeof step === "function" ? step(fileOf(request)) : step;
      },
      { ...place, options },
    );
    const { sessionId } = await denied.start();
    await denied.prompt(sessionId, "Go.");
    expect(denied.asked).toHaveLength(2);
    expect(denied.ofCall("b1").at(-1)).toMatchObject({ rawOutput: { error: { code: "denied_by_rule" } } });
  });
});
