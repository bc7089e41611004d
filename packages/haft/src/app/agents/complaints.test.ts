import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { agentSession, script, treeModel, turn } from "../../../test/support/agents.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";

const places = sessionPlaces("complaints");
const write = (file_path: string) => script(turn(["Write", { file_path, content: "x" }]), "Done.");
const general = (prompt: string) => ({ type: "general", description: prompt, prompt, name: prompt });

describe("complaints of users of other agents", () => {
  it("S11 questions of agents that work at once are a list, each with its agent, in any order of answers", async () => {
    const model = treeModel({ one: write("1.txt"), two: write("2.txt"), three: write("3.txt") });
    const settings = { toolAgent: { isolation: "none" as const } };
    const { haft } = await agentSession(places, model, { ask: "host", settings });
    const all = Promise.all(["one", "two", "three"].map((name) => haft.agents!.start(general(name))));
    await expect.poll(() => haft.pending().length, { timeout: patience(5_000) }).toBe(3);
    const asked = haft.pending();
    expect(asked.map(({ agent }) => agent.name).toSorted()).toEqual(["one", "three", "two"]);
    for (const { id, agent } of asked.toReversed())
      haft.answer(id, agent.name === "two" ? { behavior: "deny", message: "not you" } : { behavior: "allow" });
    const reports = await all;
    expect(reports.map(({ name, filesModified }) => [name, filesModified.length])).toEqual([
      ["one", 1],
      ["two", 0],
      ["three", 1],
    ]);
  });

  it("S11 a permission for the session is not asked again by the next agents", async () => {
    const model = treeModel({ one: write("same.txt"), two: write("same.txt"), three: write("other.txt") });
    const { haft, asked } = await agentSession(places, model, {
      ask: async ({ suggestions }) => ({
        behavior: "allow",
        ...(suggestions[0] ? { remember: { ...suggestions[0], scope: "session" } } : {}),
      }),
    });
    for (const name of ["one", "two", "three"]) await haft.agents!.start(general(name));
    expect(asked.map(({ agent }) => agent.name)).toEqual(["one", "three"]);
  });

  it("S11 S16 a question of a named agent in the background reaches the person, and holds up nobody else", async () => {
    const model = treeModel({ late: write("late.txt"), now: script(turn(["Ls", {}]), "Listed.") });
    const { haft } = await agentSession(places, model, { ask: "host", settings: { toolAgent: { isolation: "none" } } });
    await haft.call("Agent", { description: "x", prompt: "late", name: "late", run_in_background: true });
    await expect.poll(() => haft.pending().length, { timeout: patience(5_000) }).toBe(1);
    expect((await haft.agents!.start(general("now"))).status).toBe("completed");
    const [question] = haft.pending();
    expect(question?.agent).toMatchObject({ name: "late", parent: "main" });
    haft.answer(question!.id, { behavior: "allow" });
    const { output } = await haft.call("TaskOutput", { task_id: "late" });
    expect(output).toMatchObject({
      agent: { status: "completed", filesModified: [expect.stringContaining("late.txt")] },
    });
  });

  it("S11 S17 E24 a member of a team asks the person, and hooks of the settings run for its calls, with its name", async () => {
    const model = treeModel({ Make: write("made.txt") });
    const hook = {
      type: "command" as const,
      command: 'printf "%s\\n" "$(cat)" >> "$HAFT_PROJECT_DIR/seen.jsonl"',
    };
    const { haft, asked, cwd } = await agentSession(places, model, {
      settings: { gates: { agentSwarms: true }, hooks: { PreToolUse: [{ matcher: "Write", hooks: [hook] }] } },
      ask: async () => ({ behavior: "allow" }),
    });
    await haft.call("TeamCreate", { team_name: "red" });
    await haft.call("Agent", { description: "x", prompt: "Make", name: "bob", team_name: "red" });
    expect(asked.map(({ agent }) => agent.name)).toEqual(["bob"]);
    const [first] = readFileSync(join(cwd, "seen.jsonl"), "utf8").trim().split("\n");
    expect(JSON.parse(first!)).toMatchObject({ hook_event_name: "PreToolUse", agent_id: "a1", agent_type: "bob" });
  });

  it("S11 a call that is refused with words leaves the agent's other calls of that moment alone", async () => {
    const three = turn(...["1", "2", "3"].map((name) => ["Write", { file_path: name, content: "x" }] as const));
    const model = treeModel({ Go: script(three, "Done.") });
    const { haft, cwd } = await agentSession(places, model, {
      ask: async ({ input }) =>
        (input as { file_path: string }).file_path.endsWith("2")
          ? { behavior: "deny", message: "not this one" }
          : { behavior: "allow" },
    });
    const report = await haft.agents!.start(general("Go"));
    expect(report).toMatchObject({ status: "completed", calls: 3, failedCalls: 1 });
    expect(["1", "2", "3"].map((name) => existsSync(join(cwd, name)))).toEqual([true, false, true]);
  });

  it("S15 two kinds of agents that start each other come to an end", async () => {
    const model = treeModel({
      ping: script(turn(["Agent", { description: "x", prompt: "pong", subagent_type: "pong" }]), "Ping."),
      pong: script(turn(["Agent", { description: "x", prompt: "ping", subagent_type: "ping" }]), "Pong."),
    });
    const place = places.make("work/.git", "work/.claude/agents");
    for (const [own, other] of [
      ["ping", "pong"],
      ["pong", "ping"],
    ])
      writeFileSync(
        join(place.cwd, `.claude/agents/${own}.md`),
        `---\nname: ${own}\ndescription: x\ntools: Agent(${other})\n---\nYou are ${own}.`,
      );
    const haft = await places.open({
      ...place.options,
      ...{ settings: undefined as never, model: "test/scripted", openModel: () => model, trusted: true },
    });
    const report = await haft.agents!.start({ type: "ping", description: "x", prompt: "ping" });
    expect(report).toMatchObject({ status: "completed", text: "Ping." });
    expect(haft.agents!.list().map(({ id }) => id)).toEqual(["a1", "a1.1"]);
    expect(JSON.stringify(model.requests)).toContain("would start another copy of itself");
  });

  it("S01 an agent has the texts of the skills that its file names; a missing one is told, and nothing is granted", async () => {
    const model = treeModel({ go: script("Done.") });
    const place = places.make("work/.git", "work/.claude/agents", "work/.claude/skills/pdf");
    const head = "name: reader\ndescription: Reads.\nmode: subagent\nskills: pdf, gone\nmcpServers: [docs]";
    writeFileSync(join(place.cwd, ".claude/agents/reader.md"), `---\n${head}\n---\nYou read.`);
    mkdirSync(join(place.cwd, ".claude/skills/pdf"), { recursive: true });
    writeFileSync(
      join(place.cwd, ".claude/skills/pdf/SKILL.md"),
      "---\nname: pdf\ndescription: Reads PDFs.\nallowed-tools: Bash\n---\nUse pdftotext.",
    );
    const notices: string[] = [];
    const haft = await places.open({
      ...place.options,
      ...{ settings: undefined as never, model: "test/scripted", openModel: () => model, trusted: true },
      onNotice: ({ message }) => void notices.push(message),
    });
    await haft.agents!.start({ type: "reader", description: "x", prompt: "go" });
    expect(model.requests[0]?.system).toContain("# Skill pdf\n\nUse pdftotext.");
    expect(model.requests[0]?.system).toContain("The skill gone is needed for your work but could not be loaded.");
    expect(notices.filter((text) => text.includes("no effect"))).toEqual([]);
    const { decision } = await haft.explain("Bash", { command: "touch x" });
    expect(decision?.decision).toBe("ask");
  });
});
