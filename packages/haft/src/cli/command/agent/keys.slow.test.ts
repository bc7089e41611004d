import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call, say, streamOf } from "../../../../../../test/support/anthropic-wire.ts";
import { type WireAnswer, type WireServer, wireServer } from "../../../../../../test/support/wire-server.ts";
import { HAFT, type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { hasTmux, openTmux } from "../../../../test/support/tmux.ts";

const { tmux, open, screen, shows, enter, close } = openTmux("keys");
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

async function start(answers: readonly WireAnswer[], ...args: readonly string[]): Promise<void> {
  server = await wireServer(answers);
  const command = [process.execPath, ...HAFT, "--model", "anthropic/claude-test", "--plain", ...args];
  const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1` };
  open(place, 100, ["/bin/sh", "-c", `${words}; echo left with $?; sleep 60`], env);
  await shows("/help lists");
}

/** The prompts that the model has got so far. */
const prompts = (): string[] =>
  server.bodies.map((body) => {
    const { content } = JSON.parse(body).messages.at(-1);
    return typeof content === "string" ? content : content.map(({ text }: { text: string }) => text).join("");
  });

const answer = (text: string): WireAnswer => ({ events: streamOf([say(text)]) });

it.skipIf(!hasTmux)("E24 a pasted text is one prompt, and none of its lines is a command", async () => {
  await start([answer("First answer."), answer("Second answer.")]);
  tmux("set-buffer", "-b", "p", "!touch made\nError: boom\n    at x\n");
  tmux("paste-buffer", "-p", "-b", "p", "-t", "0");
  await shows("> [Pasted text 1: 3 lines]");
  enter(" what is this?");
  await shows("First answer.");
  expect(prompts()).toEqual(["!touch made\nError: boom\n    at x what is this?"]);
  tmux("set-buffer", "-b", "p", "!touch made\n");
  tmux("paste-buffer", "-p", "-b", "p", "-t", "0");
  await shows("> !touch made");
  press("Enter");
  await shows("Second answer.");
  expect(prompts()[1]).toBe("!touch made");
  expect(existsSync(join(place.cwd, "made"))).toBe(false);
});

it.skipIf(!hasTmux)(
  "U09 text that was typed before a question is not its answer, and is there again behind it",
  async () => {
    const gate = Promise.withResolvers<void>();
    const wish = streamOf([call("t1", "Write", { file_path: "made", content: "x" })]);
    await start([{ events: [() => gate.promise, ...wish] }, answer("Second answer.")]);
    enter("go");
    await expect.poll(() => server.bodies.length).toBe(1);
    enter("y");
    await shows("waits: y");
    press("-l", "half a thought");
    await shows("> half a thought");
    gate.resolve();
    await shows("Allow? [Y/n/a/e]");
    expect(screen()).not.toContain("[Y/n/a/e] half");
    expect(screen()).toMatch(/Allow\? \[Y\/n\/a\/e\]\s*$/);
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
    enter("n do something else");
    // The line that waited is the next prompt; what was half typed is still there.
    await shows("Second answer.");
    await expect.poll(screen).toMatch(/> half a thought\s*$/);
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
  },
);

it.skipIf(!hasTmux)(
  "E24 Ctrl-C at the prompt empties the line and says how to leave; a second one leaves",
  { tags: ["smoke"] },
  async () => {
    await start([answer("An answer.")]);
    enter("hello");
    await shows("An answer.");
    press("-l", "a long prompt");
    await shows("> a long prompt");
    press("C-c");
    await shows("Up restores the line. Ctrl-C again exits.");
    expect(screen()).not.toContain("left with");
    press("Up");
    await shows("> a long prompt");
    press("C-c");
    press("C-c");
    await shows("left with 0");
    expect(screen()).toContain("haft --continue resumes this conversation.");
  },
);

it.skipIf(!hasTmux)("E24 Escape stops the model, and its text so far stays", async () => {
  const begun = streamOf([say("This much was said\nand then it went on")]);
  const head = begun.slice(
    0,
    begun.findIndex((event) => "type" in event && event.type === "content_block_stop"),
  );
  await start([{ events: [...head, () => new Promise(() => {})] }, answer("The next answer.")]);
  enter("go");
  await shows("This much was said");
  press("Escape");
  await shows("cancelled");
  expect(screen()).toContain("and then it went on");
  enter("again");
  await shows("The next answer.");
  expect(JSON.stringify(JSON.parse(server.bodies[1]!).messages)).toContain("and then it went on");
});

it.skipIf(!hasTmux)("U03 a command's output is seen while it runs", async () => {
  await start([], "--allow", "Bash");
  enter("!echo begun; while [ ! -e go ]; do sleep 0.1; done; echo over");
  await shows("  begun");
  expect(screen()).not.toMatch(/^ *over$/m);
  press("Escape");
  await shows("cancelled");
});

it.skipIf(!hasTmux)("E24 a conversation goes on in another process", async () => {
  await start([answer("One."), answer("Two.")]);
  enter("first");
  await shows("One.");
  enter("/exit");
  await shows("left with 0");
  const { code, stdout } = await place.haft(
    ["run", "second", "--session", "last", "--model", "anthropic/claude-test"],
    { env: { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1` } },
  );
  expect([code, stdout]).toEqual([0, "Two.\n"]);
  expect(JSON.parse(server.bodies[1]!).messages).toHaveLength(3);
});
