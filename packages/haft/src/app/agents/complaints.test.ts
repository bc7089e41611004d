import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { agentSession, script, treeModel, turn } from "../../../test/support/agents.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";

const places = sessionPlaces("complaints");
const write = (file_path: string) => script(turn(["Write", { file_path, content: "x" }]), "Done.");
const general = (prompt: string) => ({ type: "general", description: prompt, prompt, name: prompt });

describe("what users of other agents suffer", () => {
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

  it("S11 what the person allowed for the session is not asked again by the next agents", async () => {
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

  it("S01 an agent has the texts of the skills that its file names; a missing one is told, and nothing is granted", async () => {
    const model = treeModel({ go: script("Done.") });
    const place = places.make("work/.git", "work/.claude/agents", "work/.claude/skills/pdf");
    const head = "name: reader\ndescription: Reads.\nskills: pdf, gone\nmcpServers: [docs]";
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
    expect(model.requests[0]?.system).toContain("The skill gone belongs to your work, but could not be loaded.");
    expect(notices.filter((text) => text.includes("no effect"))).toEqual([]);
    const { decision } = await haft.explain("Bash", { command: "touch x" });
    expect(decision?.decision).toBe("ask");
  });
});
