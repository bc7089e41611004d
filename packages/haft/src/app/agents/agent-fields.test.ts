import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { agentProject, command, hookLine, write } from "../../../test/support/agent-project.ts";
import { script, turn } from "../../../test/support/agents.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import { drawQuestion } from "../../draw/question.ts";
import { openSession } from "../../session/index.ts";
import type { HaftOptions } from "../haft.ts";

const places = sessionPlaces("agent-fields");
const textOf = ({ content }: Result) => contentsText(content);

describe("further fields of an agent's file", () => {
  it("S01 effort goes to the model, color to the question, and each spelling of a switch counts", async () => {
    const switches = { yes: true, on: true, 1: true, TRUE: true, no: false, off: false, 0: false };
    const heads = {
      ...{ deep: "effort: xhigh\ncolor: purple", odd: "effort: huge\ncolor: beige", vague: "background: maybe" },
      ...Object.fromEntries(Object.keys(switches).map((word) => [`b${word.toLowerCase()}`, `background: ${word}`])),
    };
    const questions: string[] = [];
    const { start, model, haft, notices } = await agentProject(
      places,
      heads,
      { Go: script("Gone."), Write: script(write("a.txt"), "Done.") },
      {
        async ask(request) {
          questions.push(drawQuestion(request, { color: true, width: 200 }));
          return { behavior: "deny", message: "no" };
        },
      },
    );
    await start("deep", "Write");
    await start("odd", "Go");
    expect(model.requests.map(({ effort }) => effort)).toEqual(["xhigh", "xhigh", undefined]);
    expect(questions.join()).toContain("\u001b[35mthe agent deep (a1), test/scripted\u001b[39m");
    expect(notices.join("\n")).toMatch(/odd\.md: effort has no effect.*color has no effect/);
    expect(notices.join("\n")).toContain("vague.md defines no agent: background is yes or no");
    const background: Record<string, boolean> = {};
    for (const word of Object.keys(switches)) {
      const { output } = await start(`b${word.toLowerCase()}`, "Go");
      background[word] = (output as { background: boolean }).background;
    }
    expect(background).toEqual(switches);
    await haft[Symbol.asyncDispose]();
  });

  it("S01 maxTurns, permissionMode, disallowedTools and tools with Agent(type) count", async () => {
    const heads = {
      short: "maxTurns: 1",
      planner: "permissionMode: plan",
      loose: "permissionMode: bypassPermissions",
      less: "disallowedTools: [Write, Grep]",
      chief: "tools: Agent(explore), Read",
    };
    const delegate = (subagent_type: string) => turn(["Agent", { description: "x", prompt: "Low", subagent_type }]);
    const { start, model, cwd } = await agentProject(places, heads, {
      Long: script(turn(["Ls", {}]), turn(["Ls", {}]), "Never."),
      Write: script(write("a.txt"), "Tried."),
      Lead: script(delegate("general"), delegate("explore"), "Led."),
      Low: script("Low."),
    });
    expect((await start("short", "Long")).error?.message).toContain("1 turn");
    for (const type of ["planner", "loose", "less"]) await start(type, "Write");
    expect(existsSync(join(cwd, "a.txt"))).toBe(false);
    const said = (type: string) =>
      JSON.stringify(model.requests.findLast(({ system }) => system.startsWith(`You are ${type}.`))?.messages.at(-1));
    expect(said("planner")).toContain("plan");
    expect(said("loose")).toContain("nobody");
    expect(said("less")).toContain("this agent may not use it");
    const { output } = await start("chief", "Lead");
    expect(output).toMatchObject({ calls: 2, failedCalls: 1, text: "Led." });
    expect(said("chief")).toContain("Low.");
    const chief = model.requests.find(({ system }) => system.startsWith("You are chief."));
    expect(chief?.tools.map(({ name }) => name).toSorted()).toEqual(["Agent", "Read"]);
  });

  it("S01 isolation: worktree gives it a worktree of its own", async () => {
    const { start, cwd } = await agentProject(
      places,
      { apart: "isolation: worktree" },
      { Write: script(write("a.txt"), "Done.") },
      { mode: "acceptEdits" },
    );
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", cwd, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args]);
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "one");
    expect(textOf(await start("apart", "Write"))).toContain("on the branch haft/agent-a1");
    expect([existsSync(join(cwd, "a.txt")), existsSync(join(cwd, ".haft/worktrees/agent-a1/a.txt"))]).toEqual([
      false,
      true,
    ]);
  });
});

describe("a session that runs as an agent", () => {
  const head = [
    "tools: Read, Write, Agent(explore)",
    "permissionMode: plan",
    "model: test/other",
    "effort: low",
    "maxTurns: 2",
    "initialPrompt: Look around first.",
    "memory: project",
    hookLine({ UserPromptSubmit: [{ hooks: [command("echo 'from the file'")] }] }),
  ].join("\n");

  async function asAgent(more: HaftOptions = {}) {
    const place = await agentProject(
      places,
      { lead: head },
      { "[UserPromptSubmit hook]": script(write("a.txt"), turn(["Ls", {}])) },
    );
    const { model: _, ...options } = place.options;
    const session = await openSession({ ...options, agent: "lead", fallbackModel: "test/first", ...more } as never);
    return { ...place, session };
  }

  it("S01 has its instructions, tools, mode, model, turns, effort, hooks and first prompt, which opens the conversation", async () => {
    const { session, model, cwd } = await asAgent();
    expect([session.haft.mode, session.model?.name]).toEqual(["plan", "test/other"]);
    const end = await session.prompt("Then fix it.");
    expect(end.reason).toBe("max_turns");
    const [first] = model.requests;
    expect(first?.system).toMatch(/^You are lead\./);
    expect(first?.effort).toBe("low");
    expect(first?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["Read", "Agent", "Memory"]));
    expect(first?.tools.map(({ name }) => name)).not.toContain("Bash");
    const words = JSON.stringify(first?.messages);
    expect(words).toContain("from the file");
    expect(words).toContain("Look around first.\\n\\nThen fix it.");
    expect(existsSync(join(cwd, "a.txt"))).toBe(false);
    await session.prompt("And now?");
    expect(JSON.stringify(session.messages).split("Look around first.")).toHaveLength(2);
    await session.setMode("acceptEdits");
    expect(session.haft.mode).toBe("plan");
    await session[Symbol.asyncDispose]();
  });

  it("S01 a model that the person names wins; an unknown agent is refused with the known ones", async () => {
    const { session, options } = await asAgent({ model: "test/mine" });
    expect(session.model?.name).toBe("test/mine");
    await session[Symbol.asyncDispose]();
    await expect(openSession({ ...options, agent: "leed" } as never)).rejects.toThrow(
      'There is no agent "leed". Did you mean lead?',
    );
  });

  it("S01 a conversation that goes on works as the same agent, as its copies do, until another is named", async () => {
    const { session, options, cwd } = await asAgent();
    await session.prompt("Then fix it.");
    const resume = session.id;
    await session[Symbol.asyncDispose]();
    const reopened = async (more: object) => {
      const again = await openSession({ ...options, resume, ...more } as never);
      const { role } = again.haft;
      const tools = (await again.haft.offer()).tools.map(({ name }) => name);
      await again[Symbol.asyncDispose]();
      return { agent: role?.name, hasBash: tools.includes("Bash") };
    };
    expect(await reopened({ fork: true })).toEqual({ agent: "lead", hasBash: false });
    expect(await reopened({})).toEqual({ agent: "lead", hasBash: false });
    expect(await reopened({})).toEqual({ agent: "lead", hasBash: false });
    rmSync(join(cwd, ".claude/agents/lead.md"));
    await expect(reopened({})).rejects.toMatchObject({
      message: expect.stringMatching(/works as the agent "lead"\. There is no agent "lead"/),
      hint: expect.stringContaining("--agent general"),
    });
    expect(await reopened({ agent: "general" })).toEqual({ agent: "general", hasBash: true });
    expect(await reopened({})).toEqual({ agent: "general", hasBash: true });
  });
});
