import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openSchedules } from "@haft/service/schedules";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call, say, streamOf } from "../../../../test/support/anthropic-wire.ts";
import { patience } from "../../../../test/support/patience.ts";
import { type WireAnswer, type WireServer, wireServer } from "../../../../test/support/wire-server.ts";
import { viewWorks } from "../../../journal/test/support/view.ts";
import { HAFT, type Scratch, scratch } from "../../test/support/haft-process.ts";
import { hasTmux, openTmux } from "../../test/support/tmux.ts";

const { tmux, open, screen, shows, enter, close } = openTmux("terminal");
const press = (...keys: readonly string[]) => tmux("send-keys", "-t", "0", ...keys);

let place: Scratch;
let server: WireServer;
beforeEach(() => {
  place = scratch();
});
afterEach(async () => {
  close();
  await server?.[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

const WAITS = "until [ -e go ]; do sleep 0.1; done; exit 3";

async function start(answers: readonly WireAnswer[], ...more: readonly string[]): Promise<void> {
  server = await wireServer(answers);
  const command = [process.execPath, ...HAFT, "--model", "anthropic/claude-test", ...more];
  const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const env = {
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_BASE_URL: `${server.url}/v1`,
    HAFT_THEME: "dark",
    EDITOR: join(place.cwd, "../editor"),
  };
  open(place, 100, ["/bin/sh", "-c", `${words}; echo left with $?; sleep 60`], env);
  await shows(more.includes("-r") ? "Resume a conversation" : "claude-test · mode ");
}

it.skipIf(!hasTmux)(
  "U09 a task is typed, its edit is approved with one key, and undone with three",
  { tags: ["smoke"], timeout: patience(30_000) },
  async () => {
    const file = place.write("price.js", "const rate = 1;\n");
    await start([
      { events: streamOf([call("c1", "Read", { file_path: "price.js" })]) },
      {
        events: streamOf([
          call("c2", "Edit", { file_path: "price.js", old_string: "rate = 1", new_string: "rate = 2" }),
        ]),
      },
      { events: streamOf([say("The **rate** is 2 now.")]) },
    ]);
    enter("double the rate");
    await shows("Yes, always, this session");
    expect(screen()).toContain("1 + const rate = 2;");
    expect(readFileSync(file, "utf8")).toBe("const rate = 1;\n");
    press("y");
    await shows("The rate is 2 now.");
    expect(readFileSync(file, "utf8")).toBe("const rate = 2;\n");
    expect(screen()).toContain("● Edit price.js");
    // The question is gone, and what it asked about is there once.
    expect(screen().match(/const rate = 2;/g)).toHaveLength(1);
    press("Escape");
    await shows("Escape again");
    press("Escape");
    await shows("Undo from here");
    press("Enter");
    await shows("Undid 1 call.");
    expect(readFileSync(file, "utf8")).toBe("const rate = 1;\n");
    press("C-c");
    await shows("Ctrl-C again exits");
    press("C-c");
    await shows("left with 0");
    expect(screen()).toContain("resumes this conversation");
    expect(readFileSync(join(place.cwd, "price.js"), "utf8")).toBe("const rate = 1;\n");
  },
);

it.skipIf(!hasTmux)(
  "U03 the output of a command is there while it runs, and Escape stops it",
  { timeout: patience(40_000) },
  async () => {
    await start([
      { events: streamOf([call("c1", "Bash", { command: "echo first; while [ ! -e go ]; do sleep 0.1; done" })]) },
      { events: streamOf([call("c2", "Bash", { command: WAITS, run_in_background: true })]) },
      { events: streamOf([say("It runs.")]) },
      { events: streamOf([say("I have read it.")]) },
    ]);
    enter("wait");
    await shows("│ first");
    expect(screen()).toContain("Esc stops");
    press("Escape");
    await shows("Interrupted.");
    // A job in the background is counted below, and its end is told.
    enter("in the background");
    await shows("1 job");
    place.write("go", "");
    await shows("Background job j1 ended with exit code 3");
    tmux("resize-window", "-t", "0", "-x", "30", "-y", "10");
    await shows("❯");
    tmux("resize-window", "-t", "0", "-x", "100", "-y", "45");
    enter("!echo typed by hand");
    await shows("● echo typed by hand");
    // The model reads the result with the next prompt.
    enter("and now?");
    await shows("I have read it.");
    expect(server.bodies.at(-1)).toContain("The user has run");
    expect(server.bodies.at(-1)).toContain('"typed by hand"');
  },
);

it.skipIf(!hasTmux)(
  "U01 a question in a window that becomes lower and narrower leaves no copy in the history of the terminal",
  { timeout: patience(40_000) },
  async () => {
    place.write("price.js", "const rate = 1;\n");
    await start([
      { events: streamOf([say(Array.from({ length: 60 }, (_, at) => `Paragraph ${at}.`).join("\n\n"))]) },
      { events: streamOf([call("c1", "Bash", { command: "touch a" })]) },
    ]);
    enter("tell");
    await shows("Paragraph 59.");
    enter("touch it");
    await shows("Yes, always");
    for (const [columns, rows] of [
      [100, 14],
      [60, 14],
      [100, 45],
      [45, 20],
      [100, 45],
    ]) {
      tmux("resize-window", "-t", "0", "-x", String(columns), "-y", String(rows));
      await setTimeout(300);
      await shows("Yes");
    }
    const history = tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "0");
    expect(history.match(/❯ y {2}Yes/g)).toHaveLength(1);
    for (let at = 0; at < 60; at++) expect(history.split(`Paragraph ${at}.`)).toHaveLength(2);
  },
);

it.skipIf(!hasTmux)(
  "U11 a proposed edit is changed in $EDITOR, shown again, and the conversation is chosen from a list later",
  { timeout: patience(40_000) },
  async () => {
    const file = place.write("price.js", "const rate = 1;\n");
    writeFileSync(join(place.cwd, "../editor"), "#!/bin/sh\nsed -i 's/rate = 2/rate = 3/' \"$1\"\n", { mode: 0o700 });
    await start([
      { events: streamOf([call("c1", "Read", { file_path: "price.js" })]) },
      {
        events: streamOf([
          call("c2", "Edit", { file_path: "price.js", old_string: "rate = 1", new_string: "rate = 2" }),
        ]),
      },
      { events: streamOf([say("Tripled.")]) },
    ]);
    enter("double the rate");
    await shows("1 + const rate = 2;");
    press("e");
    await shows("1 + const rate = 3;");
    expect(readFileSync(file, "utf8")).toBe("const rate = 1;\n");
    press("y");
    await shows("Tripled.");
    expect(readFileSync(file, "utf8")).toBe("const rate = 3;\n");
    press("C-c");
    await shows("Ctrl-C again exits");
    press("C-c");
    await shows("left with 0");
    close();
    await server[Symbol.asyncDispose]();

    await start([{ events: streamOf([say("Still three.")]) }], "-r", "--trust");
    await shows("double the rate");
    press("Enter");
    // The record brings the diff back.
    await shows("1 + const rate = 3;");
    enter("and now?");
    await shows("Still three.");
    enter("/doctor");
    await shows("anthropic/claude-test");
  },
);

it.skipIf(!hasTmux)(
  "U10 N07 a plan is shown as Markdown, again after a change in $EDITOR, and stays in sight once it is approved",
  { timeout: patience(30_000) },
  async () => {
    const editor = "#!/bin/sh\nsed -i -e 's/double/triple/' -e '/test/d' \"$1\"\n";
    writeFileSync(join(place.cwd, "../editor"), editor, { mode: 0o700 });
    const plan = "# The plan\n\nWe **double** the rate.";
    const answers = [
      { events: streamOf([call("c1", "ExitPlanMode", { plan, effects: ["write(a.js)", "Bash(npm test)"] })]) },
      { events: streamOf([say("I start.")]) },
    ];
    await start(answers, "--mode", "plan");
    enter("plan it");
    await shows("│ We double the rate.");
    expect(screen()).toContain("Bash(npm test)");
    press("e");
    await shows("│ We triple the rate.");
    expect(screen().split("We triple the rate.").at(-1)).toContain("write(a.js)");
    expect(screen().split("We triple the rate.").at(-1)).not.toContain("Bash(npm test)");
    press("y");
    await shows("┃ We triple the rate.");
    expect(screen()).not.toContain("**");
  },
);

it.skipIf(!hasTmux || !viewWorks("user"))(
  "W04 a dry run ends with its diff, and Enter on its last line applies it",
  { timeout: patience(30_000) },
  async () => {
    const file = place.write("notes.txt", "old\n");
    await start([
      { events: streamOf([call("c1", "Bash", { command: "echo said; echo new > notes.txt", dry_run: true })]) },
      { events: streamOf([say("That is what it would do.")]) },
    ]);
    enter("try it");
    await shows("Nothing has changed yet");
    expect(screen()).toContain("+ new");
    // The row has the output, and the dialog the changes.
    expect(screen()).toMatch(/● echo said.*\n {2}said\n {2}Nothing of it is applied yet/);
    expect(screen().match(/\+ ?new/g)).toHaveLength(1);
    expect(readFileSync(file, "utf8")).toBe("old\n");
    press("Enter");
    enter("/held");
    await shows("Nothing has changed yet");
    press("Down", "Enter");
    await shows("● Applied.");
    expect(readFileSync(file, "utf8")).toBe("new\n");
  },
);

it.skipIf(!hasTmux)("N11 a schedule that is due runs beside the conversation, and its end is told", async () => {
  const store = await openSchedules({ root: place.env.HAFT_STATE_DIR! });
  const rights = { folder: place.cwd, mode: "default", grant: [], options: {} };
  const { id } = store.add(
    { expression: "0 3 * * *", name: "nightly", prompt: "Report.", zone: "UTC" },
    rights,
    Date.now(),
  );
  store.runAt(id, Date.now());
  await start([{ events: streamOf([say("All tests pass.")]) }]);
  await shows("The schedule nightly has run: All tests pass.");
  expect(store.firings(id, 9)).toMatchObject([{ status: "completed" }]);
  store.close();
});
