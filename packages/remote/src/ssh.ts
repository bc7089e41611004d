import { fail, type ToolError } from "@haft/core/tool";
import { openRemoteHost, type RemoteHost } from "./remote-host.ts";
import type { Way } from "./start-agent.ts";

/** How to reach a machine over SSH, besides what the user's own SSH configuration says. */
export interface SshOptions {
  /** Node there: a name or a path. Default `node`. */
  readonly node?: string;
  /** A configuration file for `ssh`, in place of the user's. */
  readonly configFile?: string;
  /** A private key. Default: those of the configuration and of the user's agent. */
  readonly identityFile?: string;
  /** The `ssh` program. Default `ssh`. */
  readonly program?: string;
}

/** The parts of an address such as `ssh://dev@build:2222/home/dev/app`. */
export interface SshAddress {
  readonly host: string;
  readonly user?: string;
  readonly port?: number;
  /** From `/` on, or from `~` on. */
  readonly folder: string;
}

/**
 * Opens a folder of another machine over SSH, with the system's `ssh` and its configuration. Nothing needs to be installed
 * there but Node 22.13 or newer.
 *
 * ```ts
 * const remote = await openSshHost("ssh://dev@build/home/dev/app");
 * const haft = await createHaft({ ...remote.options });
 * ```
 *
 * @throws HaftError `tool_unavailable` when the machine cannot be reached: its hint says what to do.
 */
export async function openSshHost(address: string, options: SshOptions = {}): Promise<RemoteHost> {
  const parsed = parseSshAddress(address);
  return openRemoteHost(sshWay(parsed, options), parsed.folder);
}

/** @throws HaftError `invalid_input` for an invalid address. */
export function parseSshAddress(address: string): SshAddress {
  const wrong = (why: string): never =>
    fail(
      "invalid_input",
      `"${withoutPassword(address)}" is not an address of a folder: ${why}.`,
      "Write ssh://user@host:port/folder.",
    );
  const parts = /^ssh:\/\/(?:([^/@]*)@)?(\[[0-9a-f:.%a-z]+\]|[^/:@]+)(?::([^/]*))?(\/.*)?$/i.exec(address);
  if (!parts) return wrong("it does not begin with ssh:// and a host");
  const [, user, bracketed = "", port, path = ""] = parts;
  const host = bracketed.replace(/^\[|\]$/g, "");
  if (user?.includes(":")) return wrong("addresses must not contain passwords");
  // Such a word would be an option of ssh.
  if (!/^[A-Za-z0-9_:%][A-Za-z0-9._:%-]*$/.test(host)) return wrong("the host has invalid characters");
  if (user !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9._@\\-]*$/.test(user)) return wrong("this user name is not valid");
  const number = Number(port);
  if (port !== undefined && !(Number.isInteger(number) && number > 0 && number < 65_536))
    return wrong("the port is not a number from 1 to 65535");
  if (path === "" || path === "/~") return { host, ...known({ user, port: port && number }), folder: "~" };
  const folder = decoded(path);
  return {
    host,
    ...known({ user, port: port && number }),
    folder: folder.startsWith("/~/") ? folder.slice(1) : folder,
  };
}

/** An address as it may be shown. */
const withoutPassword = (address: string): string => address.replace(/:[^:@/]*@/, ":***@");

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

const known = ({ user, port }: { user?: string | undefined; port?: number | "" | undefined }) => ({
  ...(user ? { user } : {}),
  ...(port ? { port } : {}),
});

function sshWay({ host, user, port }: SshAddress, options: SshOptions): Way {
  const { program = "ssh", node = "node", configFile, identityFile } = options;
  const name = `ssh://${user === undefined ? "" : `${user}@`}${host}${port === undefined ? "" : `:${port}`}`;
  return {
    name,
    node,
    argv: (words) => [
      ...[program, "-T", "-a", "-x", "-e", "none"],
      ...(configFile === undefined ? [] : ["-F", configFile]),
      ...(identityFile === undefined ? [] : ["-i", identityFile]),
      ...(port === undefined ? [] : ["-p", String(port)]),
      ...(user === undefined ? [] : ["-l", user]),
      // Nobody can answer a question here. A dead connection is noticed within a minute.
      ...optionsOf({ BatchMode: "yes", ConnectTimeout: "15", ServerAliveInterval: "15", ServerAliveCountMax: "3" }),
      ...["--", host, words.map(shellWord).join(" ")],
    ],
    explain: (said, status) => (status === 255 ? sshFault(name, said) : undefined),
  };
}

const optionsOf = (values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(values).flatMap(([key, value]) => ["-o", `${key}=${value}`]);

/** A word for the login shell there, whichever it is: all of them read single quotes alike. */
const shellWord = (word: string): string => {
  if (word.includes("'") || word.includes("\n"))
    fail("invalid_input", "The path of Node has a quote or a line break.", "Name another path with the option node.");
  return `'${word}'`;
};

const FAULTS: readonly (readonly [said: RegExp, what: string, hint: string])[] = [
  [
    /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    "has a different host key than before",
    "The connection may be intercepted. If the machine was reinstalled, remove the old key with `ssh-keygen -R HOST` and compare the new one.",
  ],
  [
    /Host key verification failed/,
    "has an unconfirmed host key",
    "Connect once with `ssh` by hand, and compare the fingerprint.",
  ],
  [
    /Permission denied/,
    "refuses to log in this user",
    "Add a key to your SSH agent, or name one with identityFile. Password prompts are not possible here.",
  ],
  [/Could not resolve hostname/, "has an unknown name", "Check the host in the address, or your SSH configuration."],
  [/Connection refused/, "has no SSH server on that port", "Check the port, and whether sshd runs there."],
  [/timed out|No route to host/i, "does not answer", "Check the network and the address."],
];

function sshFault(name: string, said: string): ToolError | undefined {
  const fault = FAULTS.find(([pattern]) => pattern.test(said));
  return fault && { code: "tool_unavailable", message: `${name} ${fault[1]}.`, hint: fault[2] };
}
