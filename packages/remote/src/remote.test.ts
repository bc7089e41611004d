import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { effects, type RunRequest } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openCommandHost, openContainerHost } from "./container.ts";
import type { RemoteHost } from "./remote-host.ts";
import { openSshHost, parseSshAddress } from "./ssh.ts";

const BASE = process.platform === "linux" ? "/var/tmp" : tmpdir();

let base: string;
let cwd: string;
const open: RemoteHost[] = [];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(BASE, "haft-remote-")));
  cwd = join(base, "work");
  mkdirSync(cwd);
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  rmSync(base, { recursive: true, force: true });
});

/** A "machine" with a home of its own: a program with another environment. */
const enter = () => ["/usr/bin/env", "-i", `HOME=${base}`, `PATH=${process.env.PATH}`];

async function start(command: readonly string[] = enter()): Promise<RemoteHost> {
  const host = await openCommandHost(command, { folder: cwd, node: process.execPath });
  open.push(host);
  return host;
}

const callOf = (id: string) => ({ id, tool: "Bash", turn: 1, session: "s1" });
const bound = { effects: [effects.unknown("a test")], holes: [] };
const run = (
  { options: { journal, host } }: RemoteHost,
  id: string,
  request: Pick<RunRequest, "command"> & Partial<RunRequest>,
) => journal.command(callOf(id), { cwd, bound, ...request }, (own) => host.processes.run(own));

describe("a remote host", () => {
  it("reads, writes, runs and undoes there, with the journal's state in the home there", async () => {
    writeFileSync(join(cwd, "a.txt"), "one\r\n");
    const remote = await start();
    const { files, processes } = remote.options.host;
    const { journal } = remote.options;
    expect(await files.text(join(cwd, "a.txt"))).toMatchObject({ text: "one\r\n", eol: "\r\n" });
    const path = join(cwd, "a.txt");
    const write = () => files.exact!.write(path, "two\n");
    await journal.change(callOf("c1"), { path, data: "two\n" }, write);
    const chunks: string[] = [];
    const outcome = await run(remote, "c2", {
      command: "echo hi; echo x >> a.txt; echo new > b.txt",
      onOutput: (text) => chunks.push(text),
    });
    expect([outcome.exitCode, outcome.output, chunks.join("")]).toEqual([0, "hi\n", "hi\n"]);
    expect(readFileSync(path, "utf8")).toBe("two\nx\n");
    await journal.undo({ call: "c2" });
    expect([readFileSync(path, "utf8"), existsSync(join(cwd, "b.txt"))]).toEqual(["two\n", false]);
    await journal.undo();
    expect(readFileSync(path, "utf8")).toBe("one\r\n");
    expect(existsSync(join(base, ".local/state/haft/workspaces"))).toBe(true);
    expect(await processes.run({ command: "pwd", cwd })).toMatchObject({ stdout: `${cwd}\n` });
  });

  it("finds and searches only what the session may see, also names with line breaks", async () => {
    for (const name of ["a.txt", "secret.txt", "new\nline.txt"]) writeFileSync(join(cwd, name), "needle 1\nneedle 2\n");
    const { files } = (await start()).options.host;
    const isVisible = (path: string) => !path.endsWith("secret.txt");
    const { paths, total } = await files.find({ root: cwd, pattern: "*.txt", limit: 10, isVisible });
    expect([paths.toSorted(), total]).toEqual([[join(cwd, "a.txt"), join(cwd, "new\nline.txt")], 2]);
    const query = { root: cwd, pattern: "needle", isVisible, limit: 3 };
    const lines = await files.search({ ...query, want: "lines" });
    expect([lines.total, lines.matches.length, lines.matches.some(({ path }) => path.endsWith("secret.txt"))]).toEqual([
      4,
      3,
      false,
    ]);
    expect((await files.search({ ...query, want: "files" })).total).toBe(2);
    expect((await files.text(join(cwd, "new\nline.txt"))).text).toContain("needle");
  });

  it("passes errors, timeouts and cancels on", async () => {
    const remote = await start();
    const { files, processes } = remote.options.host;
    await expect(files.text(join(cwd, "none"))).rejects.toMatchObject({ code: "file_not_found" });
    expect(await processes.run({ command: "sleep 60", cwd, timeoutMs: 50 })).toMatchObject({ timedOut: true });
    const controller = new AbortController();
    const onOutput = () => controller.abort();
    const running = processes.run({ command: "echo on; sleep 60", cwd, signal: controller.signal, onOutput });
    expect(await running).toMatchObject({ cancelled: true });
  });

  it("loses the connection in the middle: the call says so, its changes do not happen, the next call reconnects", async () => {
    // The program that carries the connection writes down its number, as a test cannot pull a cable.
    const script = join(base, "carry");
    writeFileSync(script, `#!/bin/sh\necho $$ > ${base}/carrier\nexec "$@"\n`);
    chmodSync(script, 0o755);
    const remote = await start([script, ...enter()]);
    const kill = () => process.kill(Number(readFileSync(join(base, "carrier"), "utf8")), "SIGKILL");
    const cut = run(remote, "c1", { command: "echo on; sleep 2; echo late > late.txt", onOutput: kill });
    await expect(cut).rejects.toMatchObject({ message: /lost during this call/, hint: /outcome is unknown/ });
    const { files } = remote.options.host;
    await files.write(join(cwd, "again.txt"), "x");
    expect(readFileSync(join(cwd, "again.txt"), "utf8")).toBe("x");
    // A write whose announcement went over the old connection is not carried out over a new one.
    const path = join(cwd, "torn.txt");
    const torn = remote.options.journal.change(callOf("c2"), { path, data: "x" }, async () => {
      kill();
      await expect
        .poll(() =>
          files.list(cwd).then(
            () => false,
            () => true,
          ),
        )
        .toBe(true);
      return files.write(path, "x");
    });
    await expect(torn).rejects.toThrow(/lost/);
    expect([existsSync(path), existsSync(join(cwd, "late.txt"))]).toEqual([false, false]);
  });

  it.each<[string, () => Promise<RemoteHost>, RegExp]>([
    ["a program that is missing", () => openCommandHost(["/nowhere/enter"]), /has no Node|could not be opened/],
    [
      "a machine without Node",
      () => openCommandHost(["/usr/bin/env"], { node: "no-such-node" }),
      /has no Node.*Install Node 22/s,
    ],
    [
      "a folder that is missing",
      () => openCommandHost(enter(), { folder: "/nowhere", node: process.execPath }),
      /nowhere does not exist/,
    ],
    [
      "a file as the folder",
      () => openCommandHost(enter(), { folder: "/etc/passwd", node: process.execPath }),
      /not a folder/,
    ],
    ["a program that says something else", () => openCommandHost(["/bin/echo"]), /could not be opened/],
    ["no command", () => openCommandHost([]), /no words/],
    ["an option in place of a container", () => openContainerHost("--privileged"), /cannot be the name/],
    ["a password in the address", () => openSshHost("ssh://dev:pw@localhost/"), /must not contain passwords/],
    [
      "a missing ssh",
      () => openSshHost("ssh://localhost/", { program: "/nowhere/ssh" }),
      /could not be opened|has no Node/,
    ],
  ])("refuses %s", async (_, opening, why) => {
    // It fails as a promise, never by a throw.
    const failed = await opening().then(
      () => undefined,
      (error: { message: string; hint?: string }) => error,
    );
    expect(`${failed?.message} ${failed?.hint}`).toMatch(why);
  });

  it("refuses a Node that is too old", async () => {
    const old = join(base, "old-node");
    writeFileSync(old, "#!/bin/sh\necho HAFT old 18.20.0\n");
    chmodSync(old, 0o755);
    await expect(openCommandHost(["/usr/bin/env"], { node: old })).rejects.toMatchObject({
      message: /Node 18.20.0/,
      hint: /22\.13/,
    });
  });
});

describe("addresses of SSH", () => {
  it.each<[string, object]>([
    ["ssh://build/srv/app", { host: "build", folder: "/srv/app" }],
    ["ssh://dev@build:2222/srv/a%20b", { host: "build", user: "dev", port: 2222, folder: "/srv/a b" }],
    ["ssh://build", { host: "build", folder: "~" }],
    ["ssh://build/~/app", { host: "build", folder: "~/app" }],
    ["ssh://[::1]:22/x", { host: "::1", port: 22, folder: "/x" }],
  ])("reads %s", (address, parts) => expect(parseSshAddress(address)).toEqual(parts));

  it.each([
    "build:/x",
    "ssh://-oProxyCommand=x/y",
    "ssh://a:secret@b/x",
    "ssh://b:port/x",
    "ssh://b:70000/x",
    "ssh://-l@b/x",
  ])("refuses %s", (address) => expect(() => parseSshAddress(address)).toThrow(/not an address/));
});
