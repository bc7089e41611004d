import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Asker, Remembered } from "@haft/core/approval";
import type { Suggestion } from "@haft/core/policy";
import { stateFolder } from "@haft/service";
import { afterEach, beforeEach, expect, it } from "vitest";
import { mcpWorkspace, serverEntry, USER_SETTINGS } from "../../../test/support/mcp-workspace.ts";
import { createHaft } from "../create-haft.ts";
import type { Haft, HaftOptions } from "../haft.ts";
import { openServerGrants } from "../mcp/server-grants.ts";

let base: string;
let cwd: string;
let local: string;
const opened: Haft[] = [];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-grants-")));
  cwd = join(base, "work");
  local = join(cwd, ".haft", "settings.local.json");
  mkdirSync(cwd);
});
afterEach(async () => {
  for (const haft of opened.splice(0)) await haft[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

interface Person {
  readonly haft: Haft;
  readonly asked: string[];
  readonly kept: (Remembered | undefined)[];
}

/** Somebody who says "always" for a scope, wherever that is offered. */
async function person(
  scope: Suggestion["scope"] | "once",
  options: HaftOptions = {},
  open: (options: HaftOptions) => Promise<Haft> = createHaft,
): Promise<Person> {
  const asked: string[] = [];
  const kept: (Remembered | undefined)[] = [];
  const ask: Asker = async ({ title, suggestions }) => {
    asked.push(title);
    const remember = suggestions.find((suggestion) => suggestion.scope === scope);
    return { behavior: "allow", ...(remember ? { remember } : {}) };
  };
  const haft = await open({ cwd, home: base, env: {}, stateDir: join(base, "state"), ask, ...options });
  opened.push(haft);
  haft.on((event) => {
    if (event.type === "tool:permission:response") kept.push(event.kept);
  });
  return { haft, asked, kept };
}

const make = (haft: Haft, target: string) => haft.call("Bash", { command: `make ${target}` });

it("F19 once is once: the same call asks again", { tags: ["smoke"] }, async () => {
  const { haft, asked, kept } = await person("once");
  await make(haft, "all");
  await make(haft, "all");
  expect([asked.length, kept]).toEqual([2, [undefined, undefined]]);
});

it("F20 always in this project writes exactly what was shown, keeps the file's comments, and holds in later sessions", async () => {
  mkdirSync(join(cwd, ".haft"));
  writeFileSync(local, '{\n  // ours\n  permissions: { deny: ["Bash(make clean)"] },\n}\n');
  const first = await person("project");
  await make(first.haft, "all");
  expect(first.kept).toMatchObject([{ scope: "project", saved: true, file: local }]);
  expect(readFileSync(local, "utf8")).toBe(
    '{\n  // ours\n  permissions: { deny: ["Bash(make clean)"], "allow": ["Bash(make all)"] },\n}\n',
  );
  const later = await person("once");
  await make(later.haft, "all");
  expect(later.asked).toEqual([]);
  await make(later.haft, "other");
  expect(later.asked).toHaveLength(1);
  expect((await make(later.haft, "clean")).error?.code).toBe("denied_by_rule");
});

it("F20 always everywhere goes to the user's own settings, made for their owner only", async () => {
  const { haft } = await person("user");
  await make(haft, "all");
  const file = join(base, ".config/haft/settings.json");
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([
    '{\n  "permissions": { "allow": ["Bash(make all)"] }\n}\n',
    0o600,
  ]);
  expect(existsSync(local)).toBe(false);
  const elsewhere = join(base, "elsewhere");
  mkdirSync(elsewhere);
  const later = await person("once", { cwd: elsewhere });
  await make(later.haft, "all");
  expect(later.asked).toEqual([]);
});

it("F20 for the session it survives a restart of that session and no other", async () => {
  const first = await person("session", { session: "s1" });
  await make(first.haft, "all");
  await first.haft[Symbol.asyncDispose]();
  const same = await person("once", { session: "s1" });
  await make(same.haft, "all");
  const other = await person("once", { session: "s2" });
  await make(other.haft, "all");
  expect([same.asked.length, other.asked.length, existsSync(local)]).toEqual([0, 1, false]);
});

it("F20 a permission for a project stays out of its repository, where it would be everybody's word", async () => {
  const git = (...args: string[]) => execFileSync("git", ["-C", cwd, ...args], { encoding: "utf8" });
  git("init", "-q");
  const first = await person("project");
  await make(first.haft, "all");
  git("add", ".");
  expect(git("ls-files")).toBe(".haft/.gitignore\n");
  const later = await person("once");
  await make(later.haft, "all");
  expect(later.asked).toEqual([]);
});

it("F20 a local file that came with the repository is not written; the grant holds for now and the person is told", async () => {
  mkdirSync(join(cwd, ".haft"));
  writeFileSync(local, "{}\n");
  const git = (...args: string[]) => execFileSync("git", ["-C", cwd, ...args], { stdio: "ignore" });
  git("init", "-q");
  git("add", "-f", ".haft/settings.local.json");
  const { haft, asked, kept } = await person("project");
  await make(haft, "all");
  await make(haft, "all");
  expect(asked).toHaveLength(1);
  expect(kept).toMatchObject([{ saved: false, notice: expect.stringContaining("under version control") }]);
  expect(readFileSync(local, "utf8")).toBe("{}\n");
});

it.each(["bash -c 'make all'", "sudo make all", "python3 -c 'print(1)'", "env X=1 make all"])(
  "F20 nothing is offered to remember for %s",
  async (command) => {
    let offered: readonly Suggestion[] | undefined;
    const ask: Asker = async ({ suggestions }) => {
      offered = suggestions;
      return { behavior: "deny", message: "no" };
    };
    const { haft } = await person("once", { ask });
    await haft.call("Bash", { command });
    expect(offered ?? []).toEqual([]);
  },
);

const two = (...args: string[]) => ({
  [USER_SETTINGS]: { mcpServers: { one: serverEntry("friendly", ...args), two: serverEntry("friendly") } },
});
const echo = (haft: Haft, server: string) => haft.call(`mcp__${server}__echo`, { text: "x" });
const fail = (haft: Haft, server: string) => haft.call(`mcp__${server}__fail`, {});

it("F21 always for a server spares its other tools, asks for other servers, and ends when its configuration changes", async () => {
  using place = mcpWorkspace(two());
  const session = (scope: "server" | "once") => person(scope, {}, ({ ask }) => place.open(ask ? { ask } : {}));
  const first = await session("server");
  await echo(first.haft, "one");
  await fail(first.haft, "one");
  expect([first.asked.length, first.kept]).toMatchObject([1, [{ scope: "server", saved: true }]]);
  await echo(first.haft, "two");
  expect(first.asked).toHaveLength(2);
  await first.haft[Symbol.asyncDispose]();

  writeFileSync(join(place.base, USER_SETTINGS), JSON.stringify(two("--other")[USER_SETTINGS]));
  const changed = await session("once");
  await echo(changed.haft, "two");
  expect(changed.asked).toHaveLength(0);
  await echo(changed.haft, "one");
  expect(changed.asked).toHaveLength(1);
});

it("F21 a permanent permission counts in an explanation too, and is asked again once forgotten", async () => {
  using place = mcpWorkspace(two());
  const { haft } = await person("server", {}, ({ ask }) => place.open(ask ? { ask } : {}));
  await echo(haft, "one");
  await haft[Symbol.asyncDispose]();
  const explained = async () => {
    await using looking = await place.open({ lookOnly: true });
    const { decision } = await looking.explain("mcp__one__echo", { text: "x" });
    return [decision?.decision, looking.session.path];
  };
  expect(await explained()).toEqual(["allow", undefined]);
  const workspaceDir = stateFolder("", { HAFT_STATE_DIR: join(place.base, "state") }).workspace(place.cwd);
  expect(openServerGrants(workspaceDir).forget("one")).toEqual(["mcp__one"]);
  expect(await explained()).toEqual(["ask", undefined]);
});

it("F22 always for a tool spares that tool, also later, and its siblings ask", async () => {
  using place = mcpWorkspace(two());
  const session = () => person("tool", {}, ({ ask }) => place.open(ask ? { ask } : {}));
  const first = await session();
  await echo(first.haft, "one");
  await echo(first.haft, "one");
  expect([first.asked.length, first.kept]).toMatchObject([1, [{ scope: "tool", saved: true }]]);
  await first.haft[Symbol.asyncDispose]();
  const later = await session();
  await echo(later.haft, "one");
  expect(later.asked).toEqual([]);
  await fail(later.haft, "one");
  expect(later.asked).toHaveLength(1);
});
