import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { effects } from "@haft/core/tool";
import { expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { agentSessions } from "../../test/support/agent-sessions.ts";
import { script, treeModel, turn } from "../../test/support/agents.ts";
import { headlessTerminal } from "../../test/support/headless-terminal.ts";
import { serverEntry } from "../../test/support/mcp-workspace.ts";
import { calls, finish, says } from "../../test/support/scripted-model.ts";
import { contentOf } from "../acp/tool-call.ts";
import { drawDisplay } from "../draw/display.ts";
import { drawQuestion } from "../draw/question.ts";
import { drawRow } from "../draw/rows/view-row.ts";
import { PLAIN } from "../draw/style.ts";
import { wireEvent } from "../server/live/wire-event.ts";
import type { AgentSession, SessionEvent } from "../session/index.ts";
import { type CallRow, emptyView, foldEvent } from "../view/index.ts";
import { changingCalls } from "./commands/undo.ts";
import { imageProtocol, imageSequence, imagesIn, savedImage } from "./images.ts";
import { statusLine } from "./screen/status-line.ts";

const sessions = agentSessions("terminal-rows");

/** The terminal UI beside a session, and its live lines after each event. */
async function watched(session: AgentSession) {
  const terminal = await headlessTerminal(100, 40);
  const frames: string[] = [];
  session.on((event) => {
    terminal.screen.hear(event);
    frames.push(terminal.screen.frame().join("\n"));
  });
  return { terminal, frames };
}

it("U06 a skill that works in an agent of its own shows the calls of that agent while they run", async () => {
  const { options, cwd } = sessions.make();
  mkdirSync(join(cwd, ".claude/skills/tidy"), { recursive: true });
  writeFileSync(
    join(cwd, ".claude/skills/tidy/SKILL.md"),
    "---\nname: tidy\ndescription: Tidies.\ncontext: fork\n---\nTidy up.",
  );
  writeFileSync(join(cwd, "a.txt"), "alpha");
  const model = treeModel({
    Start: script(turn(["Skill", { skill: "tidy" }]), "All is tidy."),
    "": script([calls("s1", "Read", { file_path: "a.txt" }), finish()], "It was tidy."),
  });
  const { session } = await sessions.open([], {
    ...{ ...options, model, trusted: true, settings: {} },
    ask: async () => ({ behavior: "allow" }),
  });
  const { terminal, frames } = await watched(session);
  await using _ = terminal;
  await session.prompt("Start.");
  expect(frames.some((frame) => /skill tidy/i.test(frame) && frame.includes("Reading a.txt"))).toBe(true);
  const text = (await terminal.lines()).join("\n");
  expect(text).toMatch(/● Skill tidy.*\n.*1 call/);
  expect(text).toContain("All is tidy.");
});

it("U13 the line of a search tells what it looks for, and at its end what it has found", async () => {
  const { options, cwd } = sessions.make();
  for (const name of ["a.md", "b.md", "c.txt"]) writeFileSync(join(cwd, name), "");
  const { session } = await sessions.open(
    [[calls("c1", "Glob", { pattern: "*.md" }), finish()], says("Two.")],
    options,
  );
  const { terminal, frames } = await watched(session);
  await using _ = terminal;
  await session.prompt("How many?");
  const line = (mark: RegExp) => frames.findIndex((frame) => mark.test(frame));
  const [before, after] = [line(/(?:Searching|Finding|Looking).*\*\.md/), line(/Found 2 files/)];
  expect(before).toBeGreaterThanOrEqual(0);
  expect(after).toBeGreaterThan(before);
});

it("U15 every face ends a call with the same title, summary and content", async () => {
  const { options, cwd } = sessions.make();
  writeFileSync(join(cwd, "a.txt"), "one\n");
  const turns = [
    [
      calls("c1", "Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }),
      calls("c2", "Glob", { pattern: "*.txt" }),
      finish(),
    ],
    says("Done."),
  ];
  const { session, events } = await sessions.open(turns, { ...options, mode: "acceptEdits" });
  const { terminal } = await watched(session);
  await using _ = terminal;
  await session.prompt("Go.");
  const ends = events.flatMap((event) => (event.type === "tool:execution:complete" ? [event] : []));
  expect(ends).toHaveLength(2);
  const wired = events.map((event) => JSON.parse(JSON.stringify(wireEvent(event))) as SessionEvent);
  const web = wired.reduce((view, event) => foldEvent(view, event), emptyView);
  const screen = (await terminal.lines()).join("\n");
  for (const { call, label, title, summary, content } of ends) {
    expect(title).not.toBe("");
    const row = web.rows.find((one): one is CallRow => one.kind === "call" && one.callId === call.id);
    expect(row).toMatchObject({ title, summary, display: content });
    expect(screen).toContain(`● ${label}`);
    expect(contentOf(content).length).toBeGreaterThan(0);
  }
  expect(screen).toMatch(/1 \+ two/);
});

it("U05 the row of an MCP call shows the text and the image of its result, short and without control characters", async () => {
  const names = ["echo", "media", "picture"].map((name) => `mcp__friend__${name}`);
  const said = `\u001b]0;title\u0007first\n${"line\n".repeat(40)}last`;
  const { session } = await sessions.open([
    [calls("c1", names[0]!, { text: said }), calls("c2", names[1]!, {}), finish()],
    [calls("c3", names[2]!, { width: 30, height: 20 }), calls("c4", names[0]!, { text: "x".repeat(30_000) }), finish()],
    says("Seen."),
  ]);
  session.haft.mcp.add({ ...serverEntry("friendly"), name: "friend", origin: "cli" });
  await session.haft.mcp.settled(patience(20_000));
  await session.setMode("bypassPermissions");
  let view = emptyView;
  const { terminal } = await watched(session);
  await using _ = terminal;
  session.on((event) => {
    view = foldEvent(view, event);
  });
  await session.prompt("Call them.");
  const screen = (await terminal.lines()).join("\n");
  expect(screen).toContain("… 30 lines before");
  expect(screen).toMatch(/last\n/);
  expect(screen).not.toContain("first");
  expect(screen).toContain("… 10000 more characters");
  expect(screen.replaceAll(/[^x]/g, "").length).toBeLessThan(1_200);
  expect(screen).toContain("a note");
  expect(screen).toMatch(/1 image\n +\[media, image\/png, \d+ bytes\]/);
  expect(screen).toContain("[picture, image/jpeg");
  const images = view.rows.flatMap((row) => (row.kind === "call" ? imagesIn(row.display) : []));
  expect(images.map(({ mediaType }) => mediaType)).toEqual(["image/png", "image/jpeg"]);
  const drawn = view.rows.map((row) => drawRow(row, PLAIN, { now: 0, spinner: "" })).join("\n");
  expect(drawn).not.toContain("\u001b");
  expect(drawn).not.toContain("\u0007");
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

it("U14 an image is drawn where the terminal takes images, and named by its path where it does not", async () => {
  expect(imageProtocol({ TERM: "xterm-kitty" })).toBe("kitty");
  expect(imageProtocol({ TERM_PROGRAM: "iTerm.app" })).toBe("iterm");
  expect(imageProtocol({ TERM: "xterm-kitty", TMUX: "/tmp/x" })).toBeUndefined();
  const image = { kind: "image", data: PIXEL, mediaType: "image/png", alt: "a pixel" } as const;
  expect(imagesIn({ kind: "group", title: "", items: [image, { kind: "text", text: "" }] })).toEqual([image]);
  const kitty = imageSequence({ ...image, data: PIXEL }, "kitty")!;
  expect(kitty).toBe(`\u001b_Ga=T,f=100,q=2,r=12,m=0;${PIXEL}\u001b\\`);
  expect(imageSequence(image, "iterm")).toContain(`height=12;preserveAspectRatio=1:${PIXEL}\u0007`);
  // Nothing but base64 gets between the control characters, and no picture that would unpack to gigabytes.
  expect(imageSequence({ ...image, data: `${PIXEL}\u001b]0;x\u0007` }, "iterm")).toBeUndefined();
  const bomb = Buffer.from(PIXEL, "base64");
  bomb.writeUInt32BE(100_000, 16);
  bomb.writeUInt32BE(100_000, 20);
  expect(imageSequence({ ...image, data: bomb.toString("base64") }, "kitty")).toBeUndefined();
  const folder = join(sessions.make().base, "images");
  const style = {
    ...PLAIN,
    imageFile: (one: typeof image | { data: string; mediaType: string }) => savedImage(one, folder),
  };
  const drawn = drawDisplay(image, style);
  const path = drawn.split(" ").at(-1)!;
  expect(drawn).toMatch(/^\[a pixel, image\/png, \d+ bytes\] \//);
  expect(readFileSync(path)).toEqual(Buffer.from(PIXEL, "base64"));
  expect(statSync(path).mode & 0o077).toBe(0);
});

it("U16 the status line names the money spent, and drops it before the mode on a narrow screen", () => {
  const facts = { model: "a/b", mode: "default", folder: "~/w", branch: "main" };
  const view = { usage: {}, jobs: [], agents: [] };
  const line = (money: number | undefined, width: number) =>
    statusLine({ ...facts, money, view }, { color: false, width });
  expect(line(1.2345, 80)).toContain("$1.23 ·");
  expect(line(0.00421, 80)).toContain("$0.0042 ·");
  expect(line(undefined, 80)).not.toContain("$");
  expect(line(1.2345, 22)).toBe("  a/b · mode default");
  expect(statusLine({ ...facts, agent: "reviewer", view }, { color: false, width: 80 })).toContain(
    "· agent reviewer ·",
  );
});

const ended: CallRow = {
  ...{ kind: "call", id: "r1", callId: "c1", tool: "Bash", agent: { id: "main" }, title: "Build", label: "Build" },
  ...{
    status: "ok",
    effects: [effects.write("/w/a")],
    isRead: false,
    isSearch: false,
    answers: [],
    children: [],
  },
  durationMs: 5,
};

it("U03 a progress bar that has ended is one line, and the transcript has its states", () => {
  const text = `start\n${Array.from({ length: 30 }, (_, at) => `\r${at} %`).join("")}\ndone\n`;
  const row: CallRow = { ...ended, display: { kind: "terminal", text } };
  const moment = { now: 0, spinner: "" };
  expect(drawRow(row, PLAIN, moment).split("\n").slice(1)).toEqual(["  start", "  29 %", "  done"]);
  expect(drawRow(row, PLAIN, { ...moment, isWhole: true })).toContain("  7 %\n  8 %");
});

it("U01 a refused command is named, also where its line has the model's words for it", () => {
  const run = effects.run({ argv: ["rm", "-rf", "src"], text: "rm -rf src", cwd: "/w" });
  const refused: CallRow = { ...ended, status: "denied", effects: [run], error: "user said no" };
  const drawn = (row: CallRow) => drawRow(row, PLAIN, { now: 0, spinner: "" }).split("\n");
  expect(drawn(refused)).toEqual(["✗ Build 5 ms", "  $ rm -rf src", "  user said no"]);
  expect(drawn({ ...refused, label: "rm -rf src" }).slice(1)).toEqual(["  user said no"]);
});

it("U09 the list of changes leaves out what was only tried", () => {
  expect(changingCalls([ended, { ...ended, id: "r2", isDryRun: true }]).map(({ id }) => id)).toEqual(["r1"]);
});

it("U09 the text of a question is one block, its empty lines too", () => {
  const request = {
    ...{ id: "q", callId: "c", agent: { id: "main" }, tool: "ExitPlanMode", title: "Approve the plan", input: {} },
    ...{
      effects: [],
      show: { kind: "markdown", text: "# Plan\n\n1. Round." } as const,
      why: "Plan mode.",
      destructive: false,
    },
    suggestions: [],
  } as const;
  expect(drawQuestion(request, PLAIN).split("\n").slice(1, 4)).toEqual(["  │ # Plan", "  │", "  │ 1. Round."]);
});
