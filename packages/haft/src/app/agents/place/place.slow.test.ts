import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CallEvent } from "@haft/core/executor";
import { contentsText, type Result } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { agentSession, script, treeModel, turn } from "../../../../test/support/agents.ts";
import { sessionPlaces } from "../../../../test/support/session-places.ts";
import { userMessage } from "../../../agent/index.ts";
import { drawQuestion } from "../../../draw/question.ts";
import { PLAIN } from "../../../draw/style.ts";
import { runOn } from "../../../session/run-on.ts";

const places = sessionPlaces("agent-places");
const textOf = ({ content }: Result) => contentsText(content);
const agent = (prompt: string, more: object = {}) => ({
  id: prompt,
  tool: "Agent",
  input: { description: "a part", prompt, ...more },
});
const write = (file_path: string, content: string) => turn(["Write", { file_path, content }]);
const edit = (file_path: string, old_string: string, new_string: string) =>
  turn(["Read", { file_path }], ["Edit", { file_path, old_string, new_string }]);

/** A step at which two agents wait for each other, so that neither is merged before the other has its copy. */
function meeting() {
  const both = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === 2) both.resolve();
    return both.promise;
  };
}

async function workspace(scripts: Parameters<typeof treeModel>[0], more: Parameters<typeof agentSession>[2] = {}) {
  const model = treeModel(scripts);
  const session = await agentSession(places, model, { mode: "acceptEdits", ...more });
  const { cwd } = session;
  execFileSync("git", ["init", "-q", cwd]);
  mkdirSync(join(cwd, "node_modules/x"), { recursive: true });
  writeFileSync(join(cwd, ".gitignore"), "node_modules\n");
  writeFileSync(join(cwd, "node_modules/x/index.js"), "installed\n");
  writeFileSync(join(cwd, "a.txt"), "1\n2\n3\n4\n5\n");
  writeFileSync(join(cwd, "untracked.txt"), "u\n");
  const read = (path: string) => readFileSync(join(cwd, path), "utf8");
  return { ...session, model, read };
}

describe("agents that change files at the same time", () => {
  it("S01 work in copies of their own; changes in different lines of one file are all there", {
    tags: ["smoke"],
  }, async () => {
    const meet = meeting();
    const { haft, read, model, cwd } = await workspace({
      First: script([meet, ...edit("a.txt", "1", "one")], write("first.txt", "1"), "Done."),
      Second: script([meet, ...edit("a.txt", "5", "five")], write("second.txt", "2"), "Done."),
    });
    const results = await haft.run([agent("First"), agent("Second")]);
    expect(results.map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect([read("a.txt"), read("first.txt"), read("second.txt")]).toEqual(["one\n2\n3\n4\nfive\n", "1", "2"]);
    const systems = model.requests.map(({ system }) => system);
    expect(systems.every((system) => system.includes(`your own copy of ${cwd}`))).toBe(true);
    expect(results.some(({ result }) => textOf(result).includes(`Merged with others' changes: ${cwd}/a.txt.`))).toBe(
      true,
    );
    const undone = await haft.undo();
    expect(undone.losses).toEqual([]);
    expect([existsSync(join(cwd, "first.txt")), existsSync(join(cwd, "second.txt"))].filter(Boolean)).toHaveLength(1);
    await haft.undo();
    expect(read("a.txt")).toBe("1\n2\n3\n4\n5\n");
  });

  it("S01 have untracked and ignored files, and commands in the copy", async () => {
    const list = "cat untracked.txt node_modules/x/index.js; pwd";
    const { haft, model, cwd } = await workspace(
      {
        First: script(turn(["Bash", { command: list }]), "Done."),
        Second: script(turn(["Bash", { command: "echo built > node_modules/x/built.js; echo n > new" }]), "Done."),
      },
      { mode: "bypassPermissions" },
    );
    await haft.run([agent("First"), agent("Second")]);
    const seen = JSON.stringify(model.requests.flatMap(({ messages }) => messages));
    expect(seen).toContain("u\\ninstalled\\n");
    expect(readFileSync(join(cwd, "node_modules/x/built.js"), "utf8")).toBe("built\n");
    expect(readFileSync(join(cwd, "new"), "utf8")).toBe("n\n");
  });

  it("S01 E10 a command that nobody can read holds up no call in another folder, and neither does a question about it", async () => {
    const begun = Promise.withResolvers<void>();
    const wait = (gate: string) => `node -e 'while (!require("node:fs").existsSync("${gate}"));'`;
    let gate = "";
    const { haft, cwd, base, asked } = await workspace(
      {
        First: (_, at) => (at === 0 ? turn(["Bash", { command: wait(gate), timeout: 20_000 }]) : "Done."),
        Second: script(
          [() => begun.promise, ...turn(["Read", { file_path: "a.txt" }])],
          turn(["Bash", { command: "node -e 1" }]),
        ),
      },
      {
        ask: async ({ input }) => {
          // Answered only after the question of the other agent has come.
          if (JSON.stringify(input).includes("node -e 1")) writeFileSync(gate, "");
          else begun.resolve();
          return { behavior: "allow" };
        },
      },
    );
    gate = join(base, "gate");
    const agents = haft.run([agent("First", { isolation: "base" }), agent("Second", { isolation: "base" })]);
    await begun.promise;
    expect((await haft.call("Read", { file_path: join(cwd, "a.txt") })).error).toBeUndefined();
    const results = await agents;
    expect(results.map(({ result }) => result.output)).toMatchObject([{ failedCalls: 0 }, { failedCalls: 0 }]);
    expect(asked).toHaveLength(2);
  });

  it("S01 U06 E16 every face gets paths of the workspace, in questions, events and the record", async () => {
    const allow = async () => ({ behavior: "allow" }) as const;
    const { haft, cwd, asked } = await workspace(
      {
        First: ({ system }, at) => {
          const inCopy = /^You work in (\S+) on/m.exec(system)?.[1];
          const where = turn(["Bash", { command: "pwd > where.txt && cat where.txt" }]);
          return [write("first.txt", "1"), where][at] ?? `I wrote ${inCopy}/first.txt.`;
        },
        Second: (_, at) => (at === 0 ? turn(["Read", { file_path: "no.txt" }], ["Write", second]) : "Done."),
      },
      { mode: "default", ask: allow },
    );
    const second = { file_path: join(cwd, "second.txt"), content: "2" };
    const events: CallEvent[] = [];
    haft.on((event) => events.push(event));
    const outer = ["First", "Second"].map((prompt) => agent(prompt, { isolation: "base" }));
    const results = await haft.run(outer);
    // The copy is gone: its paths would lead the parent nowhere.
    expect(textOf(results[0]!.result)).toContain(`I wrote ${cwd}/first.txt.`);
    const first = asked.find(({ title }) => title === "Write first.txt");
    expect(first).toMatchObject({ show: { path: join(cwd, "first.txt") }, agent: { path: ["general"] } });
    expect(drawQuestion(first!, { ...PLAIN, cwd })).toContain("asks before writing first.txt inside");
    expect(first?.effects).toContainEqual(expect.objectContaining({ do: "write", path: join(cwd, "first.txt") }));
    const ended = events.flatMap((event) => (event.type === "tool:execution:complete" ? [event] : []));
    expect(ended.map(({ content }) => content)).toContainEqual(
      expect.objectContaining({ kind: "terminal", text: expect.stringContaining(`${cwd}\n`) }),
    );
    expect(JSON.stringify([asked, events])).not.toContain("/frozen/");
    expect(readFileSync(haft.session.path!, "utf8")).not.toContain("/frozen/");
  });

  it("S01 U06 live output names the workspace, also when a path comes in two pieces", async () => {
    const halves = `p=$(pwd) && printf %.20s "$p" && sleep 0.3 && printf '%s/a.txt\\n' "\${p#${"?".repeat(20)}}"`;
    const { haft, cwd } = await workspace(
      { First: script(turn(["Bash", { command: halves }]), "Done.") },
      { mode: "bypassPermissions" },
    );
    let live = "";
    haft.on((event) => {
      if (event.type === "tool:execution:progress" && event.call.tool === "Bash") live += event.progress.output ?? "";
    });
    const report = await haft.run([agent("First", { isolation: "base" })]);
    expect(report[0]!.status).toBe("ok");
    expect(live).toBe(`${cwd}/a.txt\n`);
  });

  it("S01 S11 a changed input and a rule of the answer hold in the copy and in the workspace", async () => {
    const deploy = (folder: string) => `deploy-it ${folder}/site`;
    let inCopy = "";
    const { haft, cwd, read, asked } = await workspace(
      {
        First: ({ system }, at) => {
          inCopy = /^You work in (\S+) on/m.exec(system)?.[1] ?? "";
          const command = turn(["Bash", { command: deploy(inCopy) }]);
          return [write("first.txt", "1"), command, command][at] ?? "Done.";
        },
      },
      {
        mode: "default",
        ask: async ({ title, tool, suggestions }) => {
          if (title === "Write first.txt")
            return { behavior: "allow", input: { file_path: join(cwd, "other.txt"), content: "changed" } };
          return { behavior: "allow", ...(tool === "Bash" ? { remember: suggestions[0]! } : {}) };
        },
      },
    );
    await haft.run([agent("First", { isolation: "base" })]);
    expect(inCopy).toContain("/frozen/");
    expect([read("other.txt"), existsSync(join(cwd, "first.txt"))]).toEqual(["changed", false]);
    // The second run of the command needs no question, and neither does one in the workspace.
    expect(asked.map(({ title }) => title)).toEqual(["Write first.txt", `Write ${cwd}/other.txt`, deploy(cwd)]);
    expect(asked[2]?.suggestions[0]?.rules).toEqual([`Bash(${deploy(cwd)})`]);
    await haft.call("Bash", { command: deploy(cwd) });
    expect(asked).toHaveLength(3);
  });

  it("S01 a conflict is one question of the agent, with the diff; no keeps the other's version, and ends no work", {
    tags: ["smoke"],
  }, async () => {
    for (const behavior of ["deny", "allow"] as const) {
      const meet = meeting();
      const { haft, read, asked, model } = await workspace(
        {
          Main: script(turn(...["First", "Second"].map((one) => ["Agent", agent(one).input] as const)), "All done."),
          First: script([meet, ...edit("a.txt", "3", "three")], "Done."),
          Second: script([meet, ...edit("a.txt", "3", "drei")], "Done."),
        },
        { ask: async () => ({ behavior }) },
      );
      const { signal } = new AbortController();
      const end = await runOn({ haft, model, messages: [userMessage("Main")], signal, onEvent: () => {} });
      expect(end).toMatchObject({ reason: "answered", text: "All done." });
      expect(asked).toMatchObject([{ tool: "HeldChanges", agent: { parent: "main", path: ["general"] } }]);
      expect(JSON.stringify(asked[0]?.show)).toMatch(/three|drei/);
      const { output } = await haft.call("HeldChanges", { action: "list" });
      expect(output).toMatchObject({ held: behavior === "allow" ? [] : [{ tool: "Agent" }] });
      expect(read("a.txt")).toMatch(/three|drei/);
      const heard = JSON.stringify(model.requests.at(-1)?.messages);
      expect(heard.includes("is held as")).toBe(behavior === "deny");
    }
  });

  it("S01 write nothing in the original by its absolute path", async () => {
    let original = "";
    const outside = (text: string) => turn(["Write", { file_path: `${original}/x.txt`, content: text }]);
    const { haft, cwd, model } = await workspace({
      First: (_, at) => (at === 0 ? outside("x") : "Done."),
      Second: script(write("second.txt", "2"), "Done."),
    });
    original = cwd;
    await haft.run([agent("First"), agent("Second")]);
    expect(existsSync(join(cwd, "x.txt"))).toBe(false);
    expect(JSON.stringify(model.requests.flatMap(({ messages }) => messages))).toContain("is read-only");
  });

  it("S01 nor from a worktree, by a path or by a command", async () => {
    let original = "";
    const { haft, cwd } = await workspace(
      {
        Go: (_, at) =>
          [
            turn(["Write", { file_path: `${original}/x.txt`, content: "x" }]),
            turn(["Bash", { command: `echo y > ${original}/y.txt; git -C ${original} commit -qam stolen` }]),
          ][at] ?? "Done.",
      },
      { mode: "bypassPermissions" },
    );
    original = cwd;
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", cwd, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
        encoding: "utf8",
      });
    git("add", ".");
    git("commit", "-qm", "one");
    writeFileSync(join(cwd, "a.txt"), "changed by a person\n");
    await haft.call("Agent", agent("Go", { isolation: "worktree" }).input);
    expect([existsSync(join(cwd, "x.txt")), existsSync(join(cwd, "y.txt"))]).toEqual([false, false]);
    expect(git("log", "--format=%s")).toBe("one\n");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("changed by a person\n");
  });

  it("S01 a single agent, and one that only reads, work in the folder of their parent", async () => {
    const { haft, cwd, model } = await workspace({
      First: script(write("first.txt", "1"), "Done."),
      Look: script(turn(["Read", { file_path: "a.txt" }]), "Seen."),
    });
    await haft.run([agent("Look", { subagent_type: "explore" }), agent("First")]);
    expect(model.requests.every(({ system }) => !system.includes("is your own copy of"))).toBe(true);
    expect(readFileSync(join(cwd, "first.txt"), "utf8")).toBe("1");
  });

  it("S01 isolation of the call: none shares the folder, base makes a copy for a single agent, worktree a branch", async () => {
    const { haft, cwd, model } = await workspace({ Go: script(write("go.txt", "1"), "Done.") });
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", cwd, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
        encoding: "utf8",
      });
    git("add", ".");
    git("commit", "-qm", "one");
    const isCopy = () => model.requests.at(-1)?.system.includes("is your own copy of");
    await haft.call("Agent", agent("Go", { isolation: "base" }).input);
    expect(isCopy()).toBe(true);
    expect(existsSync(join(cwd, "go.txt"))).toBe(true);
    await haft.undo();
    expect(existsSync(join(cwd, "go.txt"))).toBe(false);
    const result = await haft.call("Agent", agent("Go", { isolation: "worktree" }).input);
    expect(existsSync(join(cwd, "go.txt"))).toBe(false);
    expect(readFileSync(join(cwd, ".haft/worktrees/agent-a2/go.txt"), "utf8")).toBe("1");
    expect(textOf(result)).toContain("on the branch haft/agent-a2");
    await haft.run([agent("Go", { isolation: "none" }), { ...agent("Go", { isolation: "none" }), id: "again" }]);
    expect(isCopy()).toBe(false);
  });
});
