import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ended, type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { serverEntry } from "../../../../test/support/mcp-workspace.ts";

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => {
  // A test that fails must not leave a process that waits for ever.
  for (const child of waiting.splice(0)) child.kill("SIGKILL");
  place[Symbol.dispose]();
});

const waiting: ReturnType<Scratch["start"]>[] = [];
/** Starts a call that waits for an answer. */
function wait(...args: string[]) {
  const child = place.start(["call", ...args, "--wait"]);
  waiting.push(child);
  return child;
}

const input = JSON.stringify({ file_path: "a.txt", content: "hello\n" });

/** The open questions, as programs see them. */
async function listed(): Promise<Record<string, unknown>[]> {
  return JSON.parse((await place.haft(["approvals", "list", "--json"])).stdout);
}

it("F11 a waiting call is shown, allowed and refused by another process", async () => {
  const end = ended(wait("Write", input));
  await expect.poll(listed, { timeout: 15_000, interval: 300 }).toHaveLength(1);
  const [{ id }] = (await listed()) as [{ id: string }];
  const shown = await place.haft(["approvals", "show", id.slice(0, 8)]);
  expect(shown.stdout).toContain("Write a.txt");
  expect(shown.stdout).toContain("1 + hello");
  expect(shown.stdout).toContain(`haft approvals allow ${id.slice(0, 8)} --always session   remembers: Edit(/a.txt)`);
  expect(existsSync(join(place.cwd, "a.txt"))).toBe(false);

  const [allowed, late] = await Promise.all([
    place.haft(["approvals", "allow", id.slice(0, 8)]),
    end.then(() => place.haft(["approvals", "deny", id])),
  ]);
  expect([allowed.code, allowed.stdout]).toEqual([0, "Allowed Write: Write a.txt\n"]);
  expect((await end).code).toBe(0);
  expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("hello\n");
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("haft approvals allowed it")]);
  expect(await listed()).toEqual([]);
});

it("F31 an unanswered question is answered later, and the same call then runs", {
  tags: ["smoke"],
}, async () => {
  const refused = await place.haft(["call", "Write", input, "--session", "s1"]);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("--session s1")]);
  const [question] = await listed();
  expect(question).toMatchObject({ state: "left", session: "s1", tool: "Write" });
  const { stdout } = await place.haft(["approvals", "allow", String(question!.id)]);
  expect(stdout).toContain("applies when the same call is made again");
  expect((await place.haft(["call", "Write", input, "--session", "s1"])).code).toBe(0);
});

it("F11 a killed process leaves its question; the answer to it lets the call run after the restart", async () => {
  const killed = wait("Write", input, "--session", "s1");
  await expect.poll(listed, { timeout: 15_000, interval: 300 }).toHaveLength(1);
  const [{ id }] = (await listed()) as [{ id: string }];
  killed.kill("SIGKILL");
  await ended(killed);
  expect(await listed()).toMatchObject([{ id, state: "left", answered: false }]);
  expect((await place.haft(["approvals", "allow", id])).stdout).toContain("applies when the same call is made again");
  const again = await place.haft(["call", "Write", input, "--wait", "--session", "s1", "--json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ status: "ok", approval: { by: "haft approvals", scope: "once" } });
});

it("F20 always from another process is kept by the one that waits, in the project's local settings", async () => {
  const end = ended(wait("Bash", JSON.stringify({ command: "make all" })));
  await expect.poll(listed, { timeout: 15_000, interval: 300 }).toHaveLength(1);
  const [{ id }] = (await listed()) as [{ id: string }];
  const wrong = await place.haft(["approvals", "allow", id, "--always", "server"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("It offers: session, project, user.")]);
  const allowed = await place.haft(["approvals", "allow", id, "--always", "project"]);
  expect(allowed.stdout).toBe("Allowed Bash: make all\n  always (project): Bash(make all)\n");
  await end;
  expect(readFileSync(join(place.cwd, ".haft/settings.local.json"), "utf8")).toContain('"Bash(make all)"');
});

it("Q07 the form of a server is filled in by another process; an invalid answer is refused, and it still waits", async () => {
  const settings = { mcpServers: { pal: serverEntry("friendly", "legacy") }, permissions: { allow: ["mcp__pal"] } };
  place.write("settings.json", JSON.stringify(settings));
  const end = ended(wait("mcp__pal__confirm", "{}", "--settings", join(place.cwd, "settings.json")));
  await expect.poll(listed, { timeout: 15_000, interval: 300 }).toHaveLength(1);
  const [{ id }] = (await listed()) as [{ id: string }];
  const shown = await place.haft(["approvals", "show", id]);
  expect(shown.stdout).toContain(`haft approvals allow ${id.slice(0, 8)} --input '{"size":"M"}'`);
  const wrong = await place.haft(["approvals", "allow", id, "--input", '{"size":"XXL"}']);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('incomplete: "size" must be one of S, M')]);
  expect(await listed()).toHaveLength(1);
  expect((await place.haft(["approvals", "allow", id, "--input", '{"size":"S"}'])).code).toBe(0);
  expect(JSON.parse((await end).stdout)).toEqual({ action: "accept", content: { size: "S" } });
});

it("F11 a changed input that the tool cannot take is refused, and it still waits; one that fits is told and runs", async () => {
  const end = ended(wait("Bash", JSON.stringify({ command: "touch first" })));
  await expect.poll(listed, { timeout: 15_000, interval: 300 }).toHaveLength(1);
  const [{ id }] = (await listed()) as [{ id: string }];
  const wrong = await place.haft(["approvals", "allow", id, "--input", '{"cmd":"x"}']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("does not fit Bash: command")]);
  expect(await listed()).toHaveLength(1);
  const right = await place.haft(["approvals", "allow", id, "--input", '{"command":"echo second"}']);
  expect(right.stdout).toContain('with the input changed to {"command":"echo second"}');
  expect((await end).stdout).toContain("$ echo second");
  expect(existsSync(join(place.cwd, "first"))).toBe(false);
});

it("F11 an invalid command is refused with its cure", async () => {
  const [unknown, slip, none] = await Promise.all([
    place.haft(["approvals", "allow", "abc"]),
    place.haft(["approvals", "alow", "abc"]),
    place.haft(["approvals"]),
  ]);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("approvals list")]);
  expect([slip.code, slip.stderr]).toEqual([2, expect.stringContaining("Did you mean approvals allow?")]);
  expect([none.code, none.stdout]).toEqual([0, "No questions are waiting.\n"]);
});
