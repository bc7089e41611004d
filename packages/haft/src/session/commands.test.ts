import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { agentSessions } from "../../test/support/agent-sessions.ts";
import { calls, finish, says } from "../../test/support/scripted-model.ts";
import type { Message } from "../agent/index.ts";
import { type AgentSessionOptions, commandFor, typedCommand } from "./index.ts";

const sessions = agentSessions("commands");
const wordsOf = (message: Message | undefined) => (message?.role === "user" ? contentsText(message.content) : "");

/** A session in a trusted folder with these files, whose home lies in `~`. */
async function open(files: Readonly<Record<string, string>>, turns = [says("Done.")], more: AgentSessionOptions = {}) {
  const { base, cwd, options } = sessions.make();
  for (const [name, text] of Object.entries(files)) {
    const path = name.startsWith("~/") ? join(base, "home", name.slice(2)) : join(cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const { settings: _, ...rest } = options;
  const opened = await sessions.open(turns, { ...rest, trusted: true, onNotice: () => {}, ...more });
  return { ...opened, cwd, sent: (request = 0) => wordsOf(opened.model.requests[request]!.messages.at(-1)) };
}

describe("slash commands from Markdown files", () => {
  const REVIEW =
    "---\ndescription: Reviews a change.\nargument-hint: <number>\n---\nReview change $1 for $2. All: $ARGUMENTS.";

  it("P02 are listed with their description and sent with their arguments", async () => {
    const { session, sent, events } = await open({
      ".haft/commands/review.md": REVIEW,
      ".claude/commands/web/deploy.md": "Deploy it.",
      "~/.claude/commands/mine.md": "Mine.",
    });
    const listed = session.commands().filter(({ source }) => source !== "builtin");
    expect(listed).toMatchObject([
      { name: "review", description: "Reviews a change.", argumentHint: "<number>", source: "project" },
      { name: "web:deploy", source: "project" },
      { name: "mine", source: "user" },
    ]);
    const { command, args } = commandFor(session, '/review 12 "two words"')!;
    expect(await command.run(args)).toMatchObject({ end: { reason: "answered" } });
    expect(sent()).toBe('Review change 12 for two words. All: 12 "two words".');
    expect(events).toContainEqual(expect.objectContaining({ type: "prompt", text: '/review 12 "two words"' }));
  });

  it("P02 those of a folder that is not trusted do not count, and the model is not offered them", async () => {
    const { session } = await open({ ".claude/commands/a.md": "A.", "~/.claude/commands/b.md": "B." }, [], {
      trusted: false,
    });
    expect(commandFor(session, "/a")).toBeUndefined();
    expect(commandFor(session, "/b")).toBeDefined();
    expect((await session.haft.offer()).tools.map(({ name }) => name)).not.toContain("Skill");
  });

  it("P02 allowed-tools grants for the run, within the rules; commands run through the pipeline", async () => {
    const grant = "---\nallowed-tools: Bash(echo *), Edit(/out/**)\n---\nIt says !`echo hello`. Not: !`touch x`.";
    const write = (id: string, file_path: string) => calls(id, "Write", { file_path, content: "x" });
    const { session, sent } = await open(
      { ".haft/commands/go.md": grant },
      [
        [write("c1", "out/a.txt"), write("c2", "b.txt"), write("c3", "out/no.txt"), finish()],
        says("Done."),
        says("On."),
      ],
      { rules: { deny: ["Write(/out/no.txt)"] } },
    );
    await commandFor(session, "/go")!.command.run("");
    expect(sent()).toMatch(/^It says hello\. Not: \[this command did not run:/);
    const results = session.messages.flatMap((message) => (message.role === "results" ? message.results : []));
    expect(results.map(({ status }) => status)).toEqual(["ok", "denied", "denied"]);
    await session.prompt("Now without.");
    expect((await session.haft.explain("Write", { file_path: "out/b.txt", content: "x" })).decision?.decision).toBe(
      "ask",
    );
  });

  it.each([
    ["/review 1 2", { name: "review", args: "1 2" }],
    ["/a:b-c", { name: "a:b-c", args: "" }],
    ["/usr/bin is large", undefined],
    ["say /review", undefined],
    ["/ nothing", undefined],
  ])("P02 %s calls %o", (text, typed) => expect(typedCommand(text)).toEqual(typed));
});

describe("files in words", () => {
  it("E25 @path sends a file, lines of it or the files of a folder along, read under the rules", async () => {
    const { session, sent, model } = await open({
      "a.txt": "one\ntwo\nthree\n",
      "src/b.ts": "b",
      "src/deep/c.ts": "c",
      "src/skipped.log": "log",
      ".gitignore": "*.log\n",
      ".git/HEAD": "ref: refs/heads/main\n",
    });
    await session.prompt('Compare @a.txt#L2-3, (@src/b.ts) and @src. Mail me@a.txt about @nobody and @"a.txt".');
    const words = sent();
    expect(words).toContain("[a.txt, from line 2 to 3:]");
    expect(words).toMatch(/2\s+two\n.*3\s+three/);
    expect(words).toContain("[src/b.ts:]");
    expect(words).toContain("src/deep/c.ts");
    expect(words).not.toContain("skipped.log");
    expect(model.requests).toHaveLength(1);
  });

  it("E25 nothing is sent where a mentioned file may not be read", async () => {
    const { session, model } = await open({ "a.txt": "one", "secret.txt": "s" }, [], {
      rules: { deny: ["Read(secret.txt)"] },
    });
    await expect(session.prompt("See @a.txt and @secret.txt.")).rejects.toMatchObject({
      code: "denied_by_rule",
      message: expect.stringContaining("Nothing was sent, because secret.txt could not be read"),
    });
    expect(model.requests).toHaveLength(0);
    expect(session.messages).toEqual([]);
  });
});

describe("instructions", () => {
  it("E25 of AGENTS.md stand in the system prompt of every request", async () => {
    const { session, model } = await open({ "AGENTS.md": "Use tabs, never spaces." });
    await session.prompt("Hi.");
    expect(model.requests[0]!.system).toContain("Use tabs, never spaces.");
  });
});
