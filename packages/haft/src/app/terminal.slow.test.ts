import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { seenPlace } from "../../test/support/seen-place.ts";
import { createHaft } from "./create-haft.ts";
import type { Haft } from "./haft.ts";

let base: string;
let haft: Haft;
beforeEach(() => {
  base = seenPlace("terminal");
  for (const name of ["work/.haft", "home"]) mkdirSync(join(base, name), { recursive: true });
});
afterEach(async () => {
  await haft[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

async function open(tier: string): Promise<void> {
  const file = join(base, "settings.json");
  writeFileSync(file, JSON.stringify({ sandbox: { tier } }));
  const place = { cwd: join(base, "work"), home: join(base, "home"), stateDir: join(base, "state"), env: {} };
  haft = await createHaft({ ...place, settings: file, mode: "bypassPermissions", shell: { columns: 91, rows: 17 } });
}

const textOf = ({ content }: Result): string => contentsText(content);
async function start(command: string): Promise<{ id: string; pid: number }> {
  const { output, error } = await haft.call("Bash", { command, run_in_background: true, tty: true });
  expect(error).toBeUndefined();
  return (output as { job: { id: string; pid: number } }).job;
}
const log = async (id: string) => textOf(await haft.call("process", { action: "log", id }));
const jobOf = (id: string) => haft.jobs.list().find((job) => job.id === id);
const write = (id: string, stdin: string) => haft.call("process", { action: "write", id, stdin });
const isThere = (seconds: string): boolean =>
  readdirSync("/proc").some((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  });

const hasBwrap = (await findBwrap([])) !== undefined;
const ASK = [
  "test -t 0 && test -t 1 && test -t 2 && echo terminal; stty size; echo $COLUMNS",
  "read -sp 'secret: ' word; echo; printf '\\033[31mgot %s\\033[0m\\n' \"$word\"; exit 4",
].join("; ");

describe.each(hasBwrap ? ["none", "bwrap"] : ["none"])("a job in a terminal, sandbox tier %s", (tier) => {
  beforeEach(() => open(tier));

  it("L03 L04 has its size, takes keys, and does not show a secret", { tags: ["smoke"] }, async () => {
    const { id } = await start(ASK);
    await vi.waitFor(async () => expect(await log(id)).toContain("secret:"), 8000);
    await write(id, "hunter2\r");
    await haft.call("TaskOutput", { task_id: id, timeout: 8000 });
    const shown = await log(id);
    expect(shown).toMatch(/^terminal\n17 91\n91\nsecret: \ngot hunter2\n/);
    expect(shown).toContain("exit code 4");
    // The person still sees the colours.
    const { output } = await haft.call("process", { action: "log", id });
    expect((output as { output: string }).output).toContain("\u001b[31mgot hunter2");
  });

  it("L04 Ctrl-C ends what runs there, Ctrl-D its input", async () => {
    const { id } = await start("sleep 4711; echo after $?");
    await vi.waitFor(() => expect(isThere("4711")).toBe(true), 8000);
    await write(id, "\u0003");
    await vi.waitFor(() => expect(jobOf(id)?.status).toBe("ended"), 8000);
    expect(isThere("4711")).toBe(false);
    const cat = await start("cat; echo over");
    await write(cat.id, "line\r");
    expect((await haft.call("process", { action: "write", id: cat.id, eof: true })).error).toBeUndefined();
    await vi.waitFor(async () => expect(await log(cat.id)).toContain("over"), 8000);
  });

  it("L03 ends with its session, and its child processes too", async () => {
    await start("(trap '' HUP TERM; sleep 4712) & sleep 4712");
    await vi.waitFor(() => expect(isThere("4712")).toBe(true), 8000);
    await haft[Symbol.asyncDispose]();
    await vi.waitFor(() => expect(isThere("4712")).toBe(false), 4000);
  });
});

describe("a terminal", () => {
  it("L03 is for the background, and says so", async () => {
    await open("none");
    const { error } = await haft.call("Bash", { command: "true", tty: true });
    expect(error).toMatchObject({ code: "validation_failed", hint: expect.stringContaining("run_in_background") });
  });

  it("L04 typed input is judged like a command: a program at a terminal may take keys that do more", async () => {
    await open("none");
    const { id } = await start("cat");
    expect(jobOf(id)).toMatchObject({ isOpaque: true, hasTerminal: true });
  });
});
