import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { agentProject, command, hookLine, write } from "../../../test/support/agent-project.ts";
import { script, treeModel, turn } from "../../../test/support/agents.ts";
import { pluginPlaces } from "../../../test/support/plugin-places.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import type { HaftOptions } from "../haft.ts";

const places = sessionPlaces("agent-files");
const placeOf = pluginPlaces();
const textOf = ({ content }: Result) => contentsText(content);
const answers = (specific: object) =>
  command(`echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...specific } })}'`);

describe("hooks of an agent's file", () => {
  const guard = hookLine({
    PreToolUse: [{ matcher: "Write", hooks: [command("echo 'not by this agent' >&2; exit 2")] }],
  });

  it("S01 E24 hold in that agent and below it, and nowhere else", async () => {
    const { start, cwd, haft } = await agentProject(
      places,
      { guarded: guard, plain: "color: red" },
      {
        Own: script(write("own.txt"), "Done."),
        Top: script(turn(["Agent", { description: "x", prompt: "Low", subagent_type: "plain" }]), "Done."),
        Low: script(write("low.txt"), "Done."),
        Other: script(write("other.txt"), "Done."),
      },
      { mode: "acceptEdits" },
    );
    for (const [type, prompt] of [
      ["guarded", "Own"],
      ["guarded", "Top"],
      ["plain", "Other"],
    ] as const)
      expect((await start(type, prompt)).error).toBeUndefined();
    await haft.call("Write", { file_path: "main.txt", content: "x" });
    expect(["own", "low", "other", "main"].map((name) => existsSync(join(cwd, `${name}.txt`)))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it("S01 E24 only tighten: their yes opens nothing, their no and their changed input count", async () => {
    const allow = { permissionDecision: "allow", permissionDecisionReason: "sure" };
    const yes = command(
      `echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'`,
    );
    const no = command(
      `echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"never"}}}'`,
    );
    const asked: string[] = [];
    const { start, cwd, haft, model } = await agentProject(
      places,
      {
        loose: hookLine({ PreToolUse: [{ hooks: [answers(allow)] }], PermissionRequest: [{ hooks: [yes] }] }),
        strict: hookLine({ PermissionRequest: [{ hooks: [no] }] }),
        moved: hookLine({
          PreToolUse: [
            { matcher: "Write", hooks: [answers({ updatedInput: { file_path: "elsewhere.txt", content: "y" } })] },
          ],
        }),
      },
      { Try: script(write("a.txt"), "Tried."), Move: script(write("b.txt"), "Moved.") },
      {
        async ask({ input, agent }) {
          asked.push(`${agent.name} ${(input as { file_path: string }).file_path.split("/").at(-1)}`);
          return { behavior: "allow" };
        },
      },
    );
    await start("strict", "Try");
    expect([asked, existsSync(join(cwd, "a.txt"))]).toEqual([[], false]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("never");
    await start("loose", "Try");
    await start("moved", "Move");
    expect(asked).toEqual(["loose a.txt", "moved elsewhere.txt"]);
    expect(existsSync(join(cwd, "b.txt"))).toBe(false);
    const alone = await haft.call("Write", { file_path: "c.txt", content: "x" });
    expect([alone.error, asked.length]).toEqual([undefined, 3]);
  });

  it("S01 E24 SubagentStart and Stop: the agent gets their words, and goes on until its hook lets it end", async () => {
    const hooks = hookLine({
      SubagentStart: [
        {
          hooks: [
            command(`echo '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"be quick"}}'`),
          ],
        },
      ],
      Stop: [{ hooks: [command("test -e done.txt || { touch done.txt; echo 'check it once more' >&2; exit 2; }")] }],
      SessionStart: [{ hooks: [command("touch never.txt")] }],
      ConfigChange: [{ hooks: [command("touch never.txt")] }],
    });
    const { start, model, cwd, notices } = await agentProject(
      places,
      { keen: hooks, plain: "color: red" },
      { "[SubagentStart hook] be quick": script("First.", "Second."), Go: script("Gone.") },
    );
    expect(textOf(await start("keen", "Go"))).toContain("Second.");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("check it once more");
    expect(textOf(await start("plain", "Go"))).toContain("Gone.");
    expect(existsSync(join(cwd, "never.txt"))).toBe(false);
    expect(notices.join("\n")).toContain("hooks.SessionStart runs only where a session runs as this agent");
    expect(notices.join("\n")).toContain("hooks.ConfigChange has no effect");
  });

  it("S01 E24 run for nobody in an untrusted project; hooks that cannot be read define no agent", async () => {
    const { haft, open, notices } = await agentProject(
      places,
      { guarded: guard, broken: "hooks:\n  PreToolUsed: []" },
      { Own: script(write("own.txt"), "Done.") },
    );
    const names = (of: typeof haft) => of.agents?.types().map(({ name }) => name);
    expect(names(haft)).toContain("guarded");
    expect(names(haft)).not.toContain("broken");
    expect(notices.join("\n")).toMatch(/broken\.md defines no agent: hooks\.PreToolUsed.*PreToolUse/);
    expect(names(await open({ trusted: false }))).not.toContain("guarded");
  });

  it("S01 E24 have no effect in a plugin, whose programs a person agrees to when it is installed", async () => {
    const place = placeOf({
      ".claude-plugin/plugin.json": '{"name": "kit", "description": "A kit."}',
      "agents/critic.md": `---\nname: critic\ndescription: Finds faults.\n${guard}\n---\nYou find faults.`,
    });
    (await place.stage()).install({ tools: [] });
    const model = treeModel({ Own: script(write("own.txt"), "Done.") });
    const haft = await place.open({ model: model.name, openModel: () => model });
    await haft.call("Agent", { description: "x", prompt: "Own", subagent_type: "critic" });
    expect(place.notices()).toContain("hooks have no effect in a plugin's agent");
    expect(existsSync(join(place.cwd, "own.txt"))).toBe(true);
  });
});

describe("the memory of an agent's file", () => {
  const save = (fact: string) => turn(["Memory", { fact }]);
  const scripts = {
    Learn: script(save("Tests run with make check."), "Learnt."),
    Recall: script("Known."),
  };

  it.each(["user", "project", "local"])(
    "S01 N10 memory: %s is its own, and it knows it in later sessions",
    async (scope) => {
      const heads = { keeper: `memory: ${scope}\ntools: Read`, plain: "color: red" };
      const { start, open, model, base } = await agentProject(places, heads, scripts, { rules: { allow: ["Memory"] } });
      await start("keeper", "Learn");
      const names = model.requests[0]?.tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["Read", "Memory"]));
      expect(names).not.toContain("Write");
      const second = await open();
      for (const subagent_type of ["keeper", "plain"])
        await second.call("Agent", { description: "x", prompt: "Recall", subagent_type });
      const [ofKeeper, ofPlain] = model.requests.slice(-2).map(({ system }) => system.includes("make check"));
      expect([ofKeeper, ofPlain]).toEqual([true, false]);
      expect((await second.call("Memory", { action: "list" })).output).toMatchObject({ entries: [] });
      const pages = readdirSync(join(base, "state"), { recursive: true, encoding: "utf8" });
      const own = pages.filter((path) => path.endsWith("agent-memory/keeper/MEMORY.md"));
      expect(own.map((path) => path.startsWith("agent-memory"))).toEqual([scope === "user"]);
    },
  );

  it("S01 N10 asks as the session's does, and nothing is written where the session keeps nothing", async () => {
    const asked: string[] = [];
    const heads = { keeper: "memory: project", wrong: "memory: everywhere" };
    const ask: HaftOptions["ask"] = async ({ tool, agent }) => {
      asked.push(`${agent.name}: ${tool}`);
      return { behavior: "deny", message: "no" };
    };
    const { start, open, model, notices } = await agentProject(places, heads, scripts, { ask });
    await start("keeper", "Learn");
    expect(asked).toEqual(["keeper: Memory"]);
    expect(notices.join("\n")).toContain("wrong.md defines no agent: memory must be one of user, project, local");
    const without = await open({ stateDir: false });
    await without.call("Agent", { description: "x", prompt: "Recall", subagent_type: "keeper" });
    expect(model.requests.at(-1)?.tools.map(({ name }) => name)).not.toContain("Memory");
  });
});
