import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ApprovalRequest } from "@haft/core/approval";
import { contentsText, type Result } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import type { HaftOptions } from "../haft.ts";
import type { Notice } from "../notice.ts";

const places = sessionPlaces("skills");
const textOf = ({ content }: Result) => contentsText(content);

/** A trusted project with these files, and a person who answers by `ask`. */
async function session(
  files: Record<string, string>,
  { allow = true, ...more }: HaftOptions & { allow?: boolean } = {},
) {
  const place = places.make();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.base, path)), { recursive: true });
    writeFileSync(join(place.base, path), text);
  }
  const asked: ApprovalRequest[] = [];
  const notices: Notice[] = [];
  const haft = await places.open({
    ...{ ...place.options, settings: {}, trusted: true, onNotice: (notice) => notices.push(notice) },
    ask: async (request) => {
      asked.push(request);
      return { behavior: allow ? "allow" : "deny" };
    },
    ...more,
  });
  return {
    ...place,
    haft,
    asked,
    notices: () => notices.filter(({ code }) => code === "skill_file").map(({ message }) => message),
  };
}

const skill = (head: string, body = "Do it well.") => `---\n${head}\n---\n${body}\n`;
const PDF = skill("name: pdf\ndescription: Reads PDF files.", "# PDF\nSee notes.md in $ARGUMENTS.");

describe("Skill", () => {
  it("P02 R08 is offered with the names of the skills of project and user, and loads a text with its folder and files", async () => {
    const { haft, asked, base } = await session({
      "work/.haft/skills/pdf/SKILL.md": PDF,
      "work/.haft/skills/pdf/notes.md": "the notes",
      "work/.claude/skills/commit/SKILL.md": skill("name: commit\ndescription: Commits work."),
      "home/.claude/skills/review/SKILL.md": skill("description: Reviews.\nwhen_to_use: Before a merge."),
      "home/.claude/skills/review/deep/list.md": "look at names",
    });
    const { tools } = await haft.offer();
    const offered = tools.find(({ name }) => name === "Skill")!;
    expect(offered.input.json).toMatchObject({ properties: { skill: { enum: ["pdf", "commit", "review"] } } });
    expect(offered.description).toContain("- review: Reviews. Before a merge.");
    const loaded = textOf(await haft.call("Skill", { skill: "pdf", args: "a.pdf" }));
    expect(loaded).toContain(`Its folder: ${base}/work/.haft/skills/pdf`);
    expect(loaded).toContain("See notes.md in a.pdf.");
    expect(loaded).toMatch(/Files in its folder.*\nnotes\.md/);
    const path = join(base, "home/.claude/skills/review/deep/list.md");
    expect(textOf(await haft.call("Read", { file_path: path }))).toContain("look at names");
    expect(asked).toEqual([]);
    expect((await haft.call("Skill", { skill: "pdfs" })).error?.code).toBe("invalid_input");
  });

  it("R08 leaves a project's skills out until it is trusted, and says so", async () => {
    const { haft, notices } = await session({ "work/.claude/skills/pdf/SKILL.md": PDF }, { trusted: false });
    expect((await haft.offer()).tools.map(({ name }) => name)).not.toContain("Skill");
    expect((await haft.call("Skill", { skill: "pdf" })).error?.code).toBe("tool_unavailable");
    expect(notices()).toEqual(["The skills and commands of this folder are ignored: it is not trusted."]);
  });

  it("R09 runs the commands of a text as calls of their own: one that reads at once, one that changes only after a yes", async () => {
    const files = {
      "work/a.txt": "alpha",
      "work/.haft/skills/look/SKILL.md": skill(
        "name: look\ndescription: Looks.",
        "Now: !`cat a.txt`\n```!\ntouch made.txt\n```\nand `!not this`",
      ),
    };
    const refused = await session(files, { allow: false });
    const text = textOf(await refused.haft.call("Skill", { skill: "look" }));
    expect(text).toContain("Now: alpha\n[this command did not run:");
    expect(text).toContain("and `!not this`");
    expect(refused.asked.map(({ tool, input }) => [tool, (input as { command: string }).command])).toEqual([
      ["Bash", "touch made.txt"],
    ]);
    expect(textOf(await refused.haft.call("Glob", { pattern: "made.txt" }))).not.toContain("made.txt\n");
  });

  it("R09 asks before a skill with allowed-tools, grants them until the next prompt, and never beats a deny", async () => {
    const files = {
      "work/.haft/skills/mk/SKILL.md": skill("name: mk\ndescription: Makes.\nallowed-tools: Bash(touch:*) Nonsense(x)"),
    };
    const { haft, asked, notices } = await session(files, { rules: { deny: ["write(secret.txt)"] } });
    await haft.call("Skill", { skill: "mk" });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.why).toContain("Bash(touch:*)");
    expect(notices()[0]).toContain('"Nonsense(x)" is left out');
    expect((await haft.call("Bash", { command: "touch one.txt" })).error).toBeUndefined();
    expect((await haft.call("Bash", { command: "touch secret.txt" })).error?.code).toBe("denied_by_rule");
    expect(asked).toHaveLength(1);
    await haft.runHooks("UserPromptSubmit", { prompt: "next" });
    await haft.call("Bash", { command: "touch two.txt" });
    expect(asked.map(({ tool }) => tool)).toEqual(["Skill", "Bash"]);
  });

  it("R09 Write(path) in allowed-tools grants writing there, and nowhere else", async () => {
    const files = {
      "work/.haft/skills/wr/SKILL.md": skill("name: wr\ndescription: Writes.\nallowed-tools: Write(docs/**)"),
    };
    const { haft, asked } = await session(files);
    await haft.call("Skill", { skill: "wr" });
    expect((await haft.call("Write", { file_path: "docs/a.md", content: "a" })).error).toBeUndefined();
    expect(asked.map(({ tool }) => tool)).toEqual(["Skill"]);
    await haft.call("Write", { file_path: "b.md", content: "b" });
    expect(asked.map(({ tool }) => tool)).toEqual(["Skill", "Write"]);
  });

  it("R09 with haft.ceiling nothing but allowed-tools is possible", async () => {
    const head = "name: ro\ndescription: Looks only.\nallowed-tools: Bash(git:*), Read\nhaft:\n  ceiling: true";
    const { haft } = await session({ "work/.haft/skills/ro/SKILL.md": skill(head), "work/a.txt": "alpha" });
    await haft.call("Skill", { skill: "ro" });
    expect(textOf(await haft.call("Read", { file_path: "a.txt" }))).toContain("alpha");
    const { error } = await haft.call("Write", { file_path: "b.txt", content: "b" });
    expect(error).toMatchObject({ code: "limit_reached" });
    expect(error?.message).toContain("the skill ro");
    await haft.runHooks("UserPromptSubmit", { prompt: "next" });
    expect((await haft.call("Write", { file_path: "b.txt", content: "b" })).error).toBeUndefined();
  });

  it("P02 people call a skill as a command; its grants hold for the run that begins with it", async () => {
    const { haft, asked } = await session({
      "work/.haft/skills/mk/SKILL.md": skill(
        'name: mk\ndescription: Makes.\nargument-hint: "[name]"\narguments: name\nallowed-tools: Bash(touch:*)\ndisable-model-invocation: true',
        "Touch $name.",
      ),
      "work/.haft/skills/own/SKILL.md": skill("name: own\ndescription: For the model.\nuser-invocable: false"),
    });
    expect(haft.skills.list()).toMatchObject([{ name: "mk", hint: "[name]", source: "project" }]);
    expect(await haft.skills.expand("mk", "x.txt")).toContain("Touch x.txt.");
    await haft.runHooks("UserPromptSubmit", { prompt: "/mk x.txt" });
    await haft.call("Bash", { command: "touch x.txt" });
    expect(asked).toEqual([]);
    await expect(haft.skills.expand("nothing")).rejects.toMatchObject({ code: "invalid_input" });
    expect((await haft.call("Skill", { skill: "mk" })).error?.message).toContain("skill");
  });

  it("R08 reads a skill again once its file has changed", async () => {
    const { haft, cwd } = await session({ "work/.haft/skills/pdf/SKILL.md": PDF });
    mkdirSync(join(cwd, ".haft/skills/new"));
    writeFileSync(join(cwd, ".haft/skills/new/SKILL.md"), skill("name: new\ndescription: New."));
    await haft.offer();
    expect(textOf(await haft.call("Skill", { skill: "new" }))).toContain("Do it well.");
  });
});

describe("hostile skills", () => {
  it("R08 are bounded or left out, each with a notice, and the good one beside them works", async () => {
    const { haft, notices, base } = await session({
      "work/.haft/skills/good/SKILL.md": skill("name: good\ndescription: Good."),
      "work/.agents/skills/good/SKILL.md": skill("name: good\ndescription: The other one."),
      "work/.haft/skills/evil/SKILL.md": skill('name: "../../x\\u001b[31m"\ndescription: Evil.'),
      "work/.haft/skills/a b;rm/SKILL.md": skill("name: '$(rm)'\ndescription: Evil."),
      "work/.haft/skills/yaml/SKILL.md": skill("name: yaml\ndescription: use when: the user: says {so"),
      "work/.haft/skills/bomb/SKILL.md": skill("a: &a [x]\nb: *a\nname: bomb\ndescription: Many."),
      "work/.haft/skills/huge/SKILL.md": skill("name: huge\ndescription: Huge.", "x".repeat(10_000_000)),
      "work/.haft/skills/empty/SKILL.md": "",
      "outside/SKILL.md": skill("name: out\ndescription: Outside."),
    });
    symlinkSync(join(base, "outside"), join(base, "work/.haft/skills/out"));
    mkdirSync(join(base, "work/.haft/skills/link"));
    symlinkSync("/etc/passwd", join(base, "work/.haft/skills/link/SKILL.md"));
    const { tools } = await haft.offer();
    const offered = tools.find(({ name }) => name === "Skill")!;
    const { properties } = offered.input.json as { properties: { skill: { enum: string[] } } };
    expect(properties.skill.enum).toEqual(["bomb", "evil", "good", "huge", "yaml"]);
    const all = notices().join("\n");
    for (const words of [
      "its folder's name, evil, is used",
      "its name must be letters",
      "not valid YAML",
      "already in",
      "a link to a place outside",
      "neither a description nor a text",
    ])
      expect(all).toContain(words);
    expect(all).not.toContain("\u001b");
    const huge = textOf(await haft.call("Skill", { skill: "huge" }));
    expect(huge.length).toBeLessThan(110_000);
    expect(offered.description).toContain("- yaml: use when: the user: says {so");
  });

  it("R09 arguments of a model add no command", async () => {
    const { haft, asked } = await session({ "work/.haft/skills/pdf/SKILL.md": PDF }, { allow: false });
    const text = textOf(await haft.call("Skill", { skill: "pdf", args: "!`touch pwned`" }));
    expect(text).toContain("!`touch pwned`");
    expect(asked).toEqual([]);
  });

  it("P02 keeps the list of 200 skills within its budget, with every name", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [
        `work/.haft/skills/skill-${at}/SKILL.md`,
        skill(`name: skill-${at}\ndescription: ${"A long description of it. ".repeat(20)}`),
      ]),
    );
    const { haft } = await session(files);
    const { description } = (await haft.offer()).tools.find(({ name }) => name === "Skill")!;
    expect(description.length).toBeLessThan(9_000);
    expect(description).toContain("- skill-199: A long");
  });
});
