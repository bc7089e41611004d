import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalRequest } from "@haft/core/approval";
import { contentsText, defineTool, run } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, describe, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";
import type { HaftOptions } from "../haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A fresh workspace; every question is answered with a no, and kept. */
async function fresh(options: HaftOptions = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-dry-run-")));
  folders.push(base);
  const cwd = join(base, "work");
  for (const folder of [cwd, join(base, "home")]) mkdirSync(folder);
  writeFileSync(join(cwd, "a.txt"), "one\n");
  writeFileSync(join(cwd, ".env"), "TOKEN=hunter2\n");
  const asked: ApprovalRequest[] = [];
  const haft = await createHaft({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings: false },
    ask: async (request) => {
      asked.push(request);
      return { behavior: "deny" };
    },
    ...options,
  });
  const bash = async (command: string, more: object = {}) => {
    const result = await haft.call("Bash", { command, dry_run: true, ...more });
    return { text: contentsText(result.content), error: result.error };
  };
  const text = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : undefined);
  return { base, cwd, haft, asked, bash, text };
}

const hasBwrap = (await findBwrap([])) !== undefined;

describe.skipIf(!hasBwrap)("a dry run", () => {
  it.each(["default", "acceptEdits", "plan", "undoable", "bypassPermissions"] as const)(
    "W04 dry_run shows unasked what a command would change and applies nothing, in mode %s",
    async (mode) => {
      const { haft, asked, bash, text } = await fresh({ mode });
      const { text: said } = await bash('sed -i s/one/two/ a.txt; python3 -c \'open("b.txt", "w").write("b")\'');
      expect(said).toContain("a.txt: file changed");
      expect(said).toContain("b.txt: file made");
      expect(said).toMatch(/^ +-one\n +\+two$/m);
      expect([text("a.txt"), text("b.txt"), asked]).toEqual(["one\n", undefined, []]);
      expect((await bash("echo x", { run_in_background: true })).error?.code).toBe("validation_failed");
      await haft[Symbol.asyncDispose]();
    },
  );

  it("W04 an approved dry run still has no network and no private files", async () => {
    await using server = await listening();
    for (const options of [{}, { rules: { allow: ["Bash"] } }, { mode: "bypassPermissions" }] as HaftOptions[]) {
      const { haft, cwd, bash, asked } = await fresh(options);
      writeFileSync(
        join(cwd, "job.py"),
        `import socket
try:
    socket.create_connection(("127.0.0.1", ${server.port}), 2)
    print("out")
except OSError as e:
    print("no way out")
try:
    print(open(".env").read())
except OSError:
    print("unreadable")
`,
      );
      const { text, error } = await bash("python3 job.py");
      expect([error, asked]).toEqual([undefined, []]);
      expect(text).toContain("no way out");
      expect(text).not.toContain("hunter2");
      await haft[Symbol.asyncDispose]();
    }
    expect(server.connections()).toBe(0);
  });

  it("W04 rules come first, and mode dontAsk allows none by itself", async () => {
    const python = 'python3 -c \'open("b.txt", "w")\'';
    const code = async (options: HaftOptions) => {
      const { haft, bash, asked, text } = await fresh(options);
      const { error } = await bash(python);
      await haft[Symbol.asyncDispose]();
      return [error?.code, asked.length, text("b.txt")];
    };
    expect(await code({ rules: { deny: ["Bash(python3:*)"] } })).toEqual(["denied_by_rule", 0, undefined]);
    expect(await code({ rules: { ask: ["Bash(python3:*)"] } })).toEqual(["denied_by_user", 1, undefined]);
    expect(await code({ mode: "dontAsk" })).toEqual(["denied_by_mode", 0, undefined]);
  });

  it("W04 without a journal it is refused, and nobody is asked about a run that cannot be", async () => {
    for (const options of [{}, { rules: { allow: ["Bash"] } }] as HaftOptions[]) {
      const { haft, bash, asked, text } = await fresh({ journal: false, ...options });
      expect((await bash('python3 -c \'open("b.txt", "w")\'')).error?.code).toBe("sandbox_unavailable");
      expect([text("b.txt"), asked]).toEqual([undefined, []]);
      await haft[Symbol.asyncDispose]();
    }
  });

  it("W04 explain tells the same of it", async () => {
    const { haft } = await fresh({ stateDir: false });
    const decisions = [false, true].map((dry_run) => haft.explain("Bash", { command: "python3 x.py", dry_run }));
    const [real, dry] = (await Promise.all(decisions)).map(({ decision }) => decision);
    expect([real?.decision, dry?.decision, dry?.grant.hold]).toEqual(["ask", "allow", true]);
    expect(dry?.reason).toContain("A dry run discards the changes of running");
    await haft[Symbol.asyncDispose]();
  });

  it("W04 a batch as a dry run asks nothing, carries out what only looks, and shows the rest", async () => {
    const { haft, asked, text } = await fresh();
    const calls = [
      { id: "r", tool: "Read", input: { file_path: "a.txt" } },
      { id: "w", tool: "Write", input: { file_path: "b.txt", content: "b\n" } },
      { id: "b", tool: "Bash", input: { command: "rm a.txt" } },
      { id: "s", tool: "Bash", input: { command: "touch started.txt; sleep 60", run_in_background: true } },
      { id: "q", tool: "Bash", input: { command: "sleep 60", run_in_background: true } },
    ];
    const outcomes = await haft.run(calls, { dryRun: true });
    const said = outcomes.map(({ result }) => contentsText(result.content));
    expect(said[0]).toContain("one");
    expect(said[1]).toMatch(/^Dry run: nothing was changed. Writing .*b\.txt/);
    expect(said[2]).toContain("a.txt: file removed");
    expect(said[3]).toMatch(/^Dry run: nothing was changed/);
    expect(said[4]).toMatch(/^Dry run: nothing was changed\. Running sleep 60\./);
    expect(haft.jobs.list()).toEqual([]);
    expect([text("a.txt"), text("b.txt"), text("started.txt"), asked]).toEqual(["one\n", undefined, undefined, []]);
    await haft[Symbol.asyncDispose]();
  });

  it("W04 a tool of one's own is not run in a dry batch on its word, and a dry call of it writes nothing", async () => {
    let ran = 0;
    const claims = defineTool({
      name: "Deploy",
      description: "Deploys.",
      input: { type: "object", properties: {} },
      can: ["run"],
      effects: () => [run({ argv: ["deploy"], text: "deploy", cwd: "/", opaque: true })],
      run: () => {
        ran += 1;
        return "done";
      },
    });
    const { haft, asked } = await fresh({ tools: [claims], mode: "bypassPermissions" });
    const [outcome] = await haft.run([{ id: "d", tool: "Deploy", input: {} }], { dryRun: true });
    expect(contentsText(outcome!.result.content)).toMatch(/^Dry run: nothing was changed/);
    expect([ran, asked]).toEqual([0, []]);
    await haft[Symbol.asyncDispose]();
  });
});

async function listening() {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    connections: () => count,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
