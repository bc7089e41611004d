import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, ApprovalRequest } from "@haft/core/approval";
import { contentsText, type Result } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import { personAsker } from "../../cli/approval/ask-person.ts";
import { PLAIN } from "../../draw/style.ts";
import type { Haft, HaftOptions } from "../haft.ts";

const places = sessionPlaces("plan");
const textOf = ({ content }: Result) => contentsText(content);
const write = (haft: Haft, file_path: string) => haft.call("Write", { file_path, content: "x" });
const plan = { plan: "# The plan\nWrite a.txt.", effects: ["write(a.txt)", "Bash(touch b.txt)"] };

/** Answers come in turn; what is asked is written down. */
async function planning(answers: readonly Answer[], more: HaftOptions = {}) {
  const asked: ApprovalRequest[] = [];
  const left = [...answers];
  const place = places.make();
  const ask = async (request: ApprovalRequest) => {
    asked.push(request);
    return left.shift();
  };
  return { haft: await places.open({ ...place.options, ask, ...more }), asked, cwd: place.cwd };
}
const yes: Answer = { behavior: "allow" };

describe("plan mode", () => {
  it("N06 is entered with the user's consent and holds for the tools, the shell and subagents; a no leaves it off", async () => {
    const { haft, asked, cwd } = await planning([{ behavior: "deny" }, yes]);
    const child = haft.with({ agent: { id: "a1", parent: "main" } });
    expect((await haft.call("EnterPlanMode", {})).error?.code).toBe("denied_by_user");
    expect(haft.mode).toBe("default");
    expect((await haft.call("EnterPlanMode", {})).error).toBeUndefined();
    expect([haft.mode, child.mode]).toEqual(["plan", "plan"]);
    for (const who of [haft, child]) {
      expect((await write(who, "a.txt")).error?.code).toBe("denied_by_mode");
      expect((await who.call("Bash", { command: "echo hi > a.txt" })).error?.code).toBe("denied_by_mode");
      expect((await who.call("Bash", { command: "ls" })).error).toBeUndefined();
    }
    expect(existsSync(join(cwd, "a.txt"))).toBe(false);
    expect(asked.map(({ title }) => title)).toEqual(["Enter plan mode", "Enter plan mode"]);
  });

  it("N06 with nobody there it is not entered", async () => {
    const haft = await places.open(places.make().options);
    expect((await haft.call("EnterPlanMode", {})).error?.code).toBe("needs_approval");
    expect(haft.mode).toBe("default");
  });

  it("N07 the plan is shown with its effects; a yes grants exactly these for the run, and all else asks", async () => {
    const { haft, asked, cwd } = await planning([yes, { behavior: "deny", message: "not that" }], { mode: "plan" });
    const left = await haft.call("ExitPlanMode", plan);
    expect(textOf(left)).toContain("Granted for this run: write(a.txt), Bash(touch b.txt). Anything else asks.");
    expect(asked[0]?.show).toMatchObject({
      items: [
        { kind: "markdown", text: plan.plan },
        { kind: "table", rows: [["write(a.txt)"], ["Bash(touch b.txt)"]] },
      ],
    });
    expect(haft.mode).toBe("default");
    expect((await write(haft, "a.txt")).error).toBeUndefined();
    expect((await haft.call("Bash", { command: "touch b.txt" })).error).toBeUndefined();
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("x");
    expect(asked).toHaveLength(1);
    expect((await write(haft, "c.txt")).error).toMatchObject({ code: "denied_by_user" });
    expect(asked).toHaveLength(2);
    await haft.runHooks("UserPromptSubmit", { prompt: "Something else." });
    await write(haft, "a.txt");
    expect(asked).toHaveLength(3);
  });

  it("N07 a rejected plan leaves plan mode on, and the model is told why", async () => {
    const { haft } = await planning([{ behavior: "deny", message: "Use Postgres." }], { mode: "plan" });
    const { error } = await haft.call("ExitPlanMode", plan);
    expect(error).toMatchObject({ code: "denied_by_user" });
    expect(error?.message).toContain("Use Postgres.");
    expect(haft.mode).toBe("plan");
    expect((await write(haft, "a.txt")).error?.code).toBe("denied_by_mode");
  });

  it("N07 the next plan after a rejected one is shown and granted, and nothing of the first", async () => {
    const next = { plan: "# Another\nWrite d.txt.", effects: ["write(d.txt)"] };
    const { haft, asked } = await planning([{ behavior: "deny", message: "no" }, yes], { mode: "plan" });
    await haft.call("ExitPlanMode", plan);
    await haft.call("ExitPlanMode", next);
    expect(JSON.stringify(asked[1]?.show)).toContain("# Another");
    expect(JSON.stringify(asked[1]?.show)).not.toContain("a.txt");
    expect((await write(haft, "d.txt")).error).toBeUndefined();
    expect((await write(haft, "a.txt")).error?.code).toBe("needs_approval");
  });

  it("N07 an edited plan is what counts: its words go to the model, its effects are granted", async () => {
    const edited = { plan: "# Better\nWrite c.txt.", effects: ["write(c.txt)"] };
    const { haft, asked } = await planning([{ ...yes, input: edited }], { mode: "plan" });
    expect(textOf(await haft.call("ExitPlanMode", plan))).toContain("# Better\nWrite c.txt.");
    expect((await write(haft, "c.txt")).error).toBeUndefined();
    expect((await write(haft, "a.txt")).error?.code).toBe("needs_approval");
    expect(asked).toHaveLength(2);
  });

  it("N07 a plan that is changed in an editor is shown again, also when its effects are wrong, until a yes without changes", async () => {
    const answers = ["e", "e", "e", "y"];
    const texts: string[] = [];
    const replaced = (text: string, old: string, by: string) => {
      texts.push(text);
      return { text: text.replace(old, by) };
    };
    const edits = [
      (text: string) => replaced(text, "a.txt.", "c.txt."),
      (text: string) => replaced(text, "write(a.txt)\nBash(touch b.txt)", "Bash"),
      (text: string) => replaced(text.replace("c.txt.", "a.txt."), "\nBash\n", "\nwrite(c.txt)\n\n"),
    ];
    const said: string[] = [];
    const ask = personAsker(
      PLAIN,
      (text) => said.push(text),
      async () => answers.shift(),
      async ({ text }) => edits.shift()!(text),
    );
    const { haft } = await planning([], { mode: "plan", ask });
    const left = await haft.call("ExitPlanMode", plan);
    expect(texts[0]).toMatch(
      /^# The plan\nWrite a\.txt\.\n\n--- .*one a line.*\nwrite\(a\.txt\)\nBash\(touch b\.txt\)\n$/,
    );
    expect(said.filter((text) => text.includes("Approve the plan"))).toHaveLength(4);
    expect(said.find((text) => text.includes("every call"))).toContain("granted for this run if you say yes\n  │ Bash");
    // The last edit brings the first words back, with other effects.
    expect(left.output).toMatchObject({ plan: plan.plan, effects: ["write(c.txt)"], edited: true, mode: "default" });
    expect(textOf(left)).toContain("The user changed the plan");
    expect((await write(haft, "c.txt")).error).toBeUndefined();
  });

  it("N07 a plan without effects shows its empty list in the editor, with an example, and gets the effects that the person adds", async () => {
    const answers = ["e", "y"];
    let text = "";
    const ask = personAsker(
      PLAIN,
      () => {},
      async () => answers.shift(),
      async (part) => {
        text = part.text;
        return { text: `${text}write(a.txt)\n` };
      },
    );
    const { haft } = await planning([], { mode: "plan", ask });
    const left = await haft.call("ExitPlanMode", { plan: "# The plan" });
    expect(text).toMatch(
      /^# The plan\n\n--- no effects yet; .* for example write\(src\/a\.ts\) .*, one a line ---\n\n$/,
    );
    expect(left.output).toMatchObject({ effects: ["write(a.txt)"], edited: true });
    expect((await write(haft, "a.txt")).error).toBeUndefined();
  });

  it("N07 is there in plan mode only, and not for subagents; the mode before comes back", async () => {
    const { haft } = await planning([yes, yes], { mode: "acceptEdits" });
    const names = async (who: Haft) => (await who.offer()).tools.map(({ name }) => name);
    expect(await names(haft)).not.toContain("ExitPlanMode");
    expect((await haft.call("ExitPlanMode", plan)).error?.code).toBe("tool_unavailable");
    await haft.call("EnterPlanMode", {});
    expect(await names(haft)).toContain("ExitPlanMode");
    const child = haft.with({ agent: { id: "a1", parent: "main" } });
    expect(await names(child)).not.toContain("ExitPlanMode");
    expect((await child.call("ExitPlanMode", plan)).error?.code).toBe("tool_unavailable");
    await haft.call("ExitPlanMode", plan);
    expect(haft.mode).toBe("acceptEdits");
  });

  it.each([
    ["Bash", "would grant every call of Bash"],
    ["frobnicate(x)", "frobnicate"],
    ["write", "ambiguous"],
  ])("N07 a plan that wants %s is refused before it is shown", async (effect, why) => {
    const { haft, asked } = await planning([yes], { mode: "plan" });
    const { error } = await haft.call("ExitPlanMode", { plan: "x", effects: [effect] });
    expect(error?.code).toBe("validation_failed");
    expect(error?.message).toContain(why);
    expect(asked).toEqual([]);
  });

  it("N07 no plan lifts a deny rule or what a person always confirms", async () => {
    const { haft, asked } = await planning([yes], { mode: "plan", rules: { deny: ["write(secret/**)"] } });
    await haft.call("ExitPlanMode", { plan: "x", effects: ["write(secret/**)", "write(.git/**)"] });
    expect((await write(haft, "secret/a")).error?.code).toBe("denied_by_rule");
    expect((await write(haft, ".git/config")).error?.code).toBe("needs_approval");
    expect(asked).toHaveLength(2);
  });
});
