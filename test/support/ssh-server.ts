// A real sshd on a loopback port, with keys and a configuration of its own.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";

const SSHD = "/usr/sbin/sshd";

/** Whether this machine has a server and a client. */
export const hasSshd = existsSync(SSHD) && existsSync("/usr/bin/ssh");

/** The host key that a client's configuration knows. */
export type KnownKey = "right" | "wrong" | "none";

/** An SSH server of a test. */
export interface TestSshd extends AsyncDisposable {
  /** A folder for the files of the test. */
  readonly base: string;
  address(folder: string): string;
  /** A configuration for `ssh` that knows this host key. */
  configFile(known: KnownKey): string;
  /** A folder for the PATH whose `ssh` uses the configuration that knows the right key. */
  readonly bin: string;
}

export async function startSshd(): Promise<TestSshd> {
  const base = realpathSync(mkdtempSync("/var/tmp/haft-ssh-"));
  const port = await freePort();
  const key = (name: string): string => {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(base, name)]);
    return readFileSync(join(base, `${name}.pub`), "utf8")
      .split(" ")
      .slice(0, 2)
      .join(" ");
  };
  const hostKey = key("host");
  writeFileSync(join(base, "authorized"), key("user"));
  const lines = {
    ...{ Port: port, ListenAddress: "127.0.0.1", HostKey: join(base, "host"), PidFile: "none", UsePAM: "no" },
    ...{ AuthorizedKeysFile: join(base, "authorized"), StrictModes: "no", PasswordAuthentication: "no" },
  };
  writeFileSync(
    join(base, "sshd"),
    Object.entries(lines)
      .map((line) => `${line.join(" ")}\n`)
      .join(""),
  );
  const configFile = (known: KnownKey): string => join(base, `config-${known}`);
  for (const [name, known] of Object.entries({ right: hostKey, wrong: key("other"), none: "" })) {
    writeFileSync(join(base, `known-${name}`), known && `[127.0.0.1]:${port} ${known}\n`);
    writeFileSync(
      configFile(name as KnownKey),
      `Host *\n  UserKnownHostsFile ${base}/known-${name}\n  GlobalKnownHostsFile none\n  IdentityFile ${base}/user\n  IdentitiesOnly yes\n`,
    );
  }
  const bin = join(base, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "ssh"), `#!/bin/sh\nexec /usr/bin/ssh -F ${configFile("right")} "$@"\n`, { mode: 0o755 });
  // As root it wants a folder to separate its privileges in.
  if (userInfo().uid === 0) mkdirSync("/run/sshd", { recursive: true });
  const server = spawn(SSHD, ["-D", "-e", "-f", join(base, "sshd")], { stdio: ["ignore", "ignore", "pipe"] });
  for await (const chunk of server.stderr) if (String(chunk).includes("listening")) break;
  return {
    ...{ base, configFile, bin },
    address: (folder) => `ssh://${userInfo().username}@127.0.0.1:${port}${folder}`,
    async [Symbol.asyncDispose]() {
      const gone = once(server, "exit");
      if (server.exitCode === null && server.kill()) await gone;
      rmSync(base, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}
