// A real sshd on a loopback port, with keys and a configuration of its own.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { effects } from "@haft/core/tool";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasSshd, type KnownKey, startSshd, type TestSshd } from "../../../test/support/ssh-server.ts";
import { openCommandHost, openContainerHost } from "./container.ts";
import { openSshHost, type SshOptions } from "./ssh.ts";

let base: string;
let server: TestSshd | undefined;
let cwd: string;
beforeAll(async () => {
  if (hasSshd) server = await startSshd();
  base = server?.base ?? realpathSync(mkdtempSync("/var/tmp/haft-ssh-"));
  cwd = join(base, "work");
  mkdirSync(cwd);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

const address = () => server!.address(cwd);
const options = (known: KnownKey = "right"): SshOptions => ({
  node: process.execPath,
  configFile: server!.configFile(known),
});

describe.runIf(hasSshd)("a machine over SSH", { timeout: 60_000 }, () => {
  it("runs commands there and undoes them", { tags: ["smoke"] }, async () => {
    await using remote = await openSshHost(address(), options());
    const { host, journal } = remote.options;
    const call = { id: "c1", tool: "Bash", turn: 1, session: "s1" };
    const request = {
      command: "printf 'é\\n' > \"$(printf 'new\\nline')\"; env",
      cwd,
      bound: { effects: [effects.unknown("a test")], holes: [] },
    };
    const { stdout } = await journal.command(call, request, (own) => host.processes.run(own));
    expect(stdout).toContain("SSH_CONNECTION=127.0.0.1");
    expect(readFileSync(join(cwd, "new\nline"), "utf8")).toBe("é\n");
    expect((await host.files.list(cwd)).map(({ path }) => path)).toEqual(["new\nline"]);
    await journal.undo();
    expect(existsSync(join(cwd, "new\nline"))).toBe(false);
  });

  it("moves 20 MB each way whole", async () => {
    await using remote = await openSshHost(address(), options());
    const bytes = new Uint8Array(20_000_000).map((_, at) => at % 251);
    const { files } = remote.options.host;
    await files.write(join(cwd, "big"), bytes);
    expect(Buffer.compare(await files.bytes(join(cwd, "big")), bytes)).toBe(0);
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      "another host key than the known one",
      () => openSshHost(address(), options("wrong")),
      /different host key.*may be intercepted/s,
    ],
    [
      "a host key that is not known yet",
      () => openSshHost(address(), options("none")),
      /unconfirmed host key.*fingerprint/s,
    ],
    ["a user without a key", () => openSshHost(address().replace(/\/\/.*@/, "//nobody@"), options()), /refuses to log/],
    ["a port without a server", () => openSshHost("ssh://127.0.0.1:1/", options()), /no SSH server/],
    ["a machine without Node", () => openSshHost(address(), { ...options(), node: "/nowhere/node" }), /has no Node/],
  ])("refuses %s", async (_, opening, why) => {
    const failed = await opening().then(
      () => undefined,
      (error: { message: string; hint?: string }) => error,
    );
    expect(`${failed?.message} ${failed?.hint}`).toMatch(why);
  });

  it("ends its programs there when the server drops the connection", async () => {
    await using remote = await openSshHost(address(), options());
    const { processes } = remote.options.host;
    // The parent of the shell's parents is the server's process for this connection.
    const find =
      "p=$$; while [ $p -gt 1 ]; do c=$(tr '\\0' ' ' < /proc/$p/cmdline); case $c in sshd:*) echo $p; break;; esac; p=$(awk '/^PPid/{print $2}' /proc/$p/status); done";
    const session = Number((await processes.run({ command: find, cwd })).stdout);
    const cut = processes.run({
      ...{ command: "echo $$; exec sleep 300", cwd },
      onOutput: (pid) => {
        writeFileSync(join(base, "sleeper"), pid);
        process.kill(session, "SIGKILL");
      },
    });
    await expect(cut).rejects.toMatchObject({ message: /lost during this call/ });
    const sleeper = `/proc/${readFileSync(join(base, "sleeper"), "utf8").trim()}`;
    await expect.poll(() => existsSync(sleeper), { timeout: 20_000 }).toBe(false);
    expect(await processes.run({ command: "echo back", cwd })).toMatchObject({ stdout: "back\n" });
  });
});

describe("a namespace as the machine", { timeout: 60_000 }, () => {
  it.runIf(existsSync("/usr/bin/bwrap"))("sees its own files only", async () => {
    const inside = join(base, "inside");
    mkdirSync(inside, { recursive: true });
    const mounts = [
      "--ro-bind",
      "/",
      "/",
      "--tmpfs",
      "/mnt",
      "--dev",
      "/dev",
      "--proc",
      "/proc",
      "--bind",
      inside,
      "/mnt",
    ];
    const enter = ["bwrap", ...mounts, "--unshare-pid", "--setenv", "HOME", "/mnt", "--die-with-parent"];
    await using remote = await openCommandHost(enter, { folder: "/mnt", node: process.execPath });
    const { host, journal } = remote.options;
    await journal.change({ id: "c1", tool: "Write", turn: 1, session: "s" }, { path: "/mnt/a", data: "x" }, () =>
      host.files.write("/mnt/a", "x"),
    );
    expect([readFileSync(join(inside, "a"), "utf8"), existsSync("/mnt/a")]).toEqual(["x", false]);
    await journal.undo();
    expect(existsSync(join(inside, "a"))).toBe(false);
  });

  it("explains a container that cannot be reached", async () => {
    const failed = await openContainerHost("no-such-container").then(
      () => "",
      ({ message }: Error) => message,
    );
    expect(failed).toMatch(/daemon of docker|no container|could not be opened|has no Node/);
  });
});
