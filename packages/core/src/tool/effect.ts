/**
 * Effects: the one question that a tool answers about a call.
 *
 * An effect is an upper bound: something that the call may at most do, with the ground on which the bound rests.
 * Everything else (what is asked, what runs together, what can be undone, what is shown) is derived from the list.
 */

/**
 * The basis of a bound: a port or the kernel enforces it (`enforced`), a grammar that we know proves it (`proved`), or
 * somebody claims it (`claimed`). Only the first two may ever be allowed without a person's or a rule's explicit yes.
 */
export type Basis = "enforced" | "proved" | "claimed";

interface Bound {
  readonly basis: Basis;
  /** The change can be undone. Absent: derived (see `isReversible`). */
  readonly reversible?: boolean;
}

/** The kind of change to a path. `create`: nothing was there. `replace`: a whole file over an existing one. */
export type Change = "create" | "modify" | "replace" | "delete";

/** Reading a file, or with `tree` everything below a folder. */
export interface ReadEffect extends Bound {
  readonly do: "read";
  /** The real location: symbolic links resolved. Rules look at `path` and at `as`. */
  readonly path: string;
  /** The absolute path as the call named it, before links were resolved. */
  readonly as?: string;
  readonly tree?: boolean;
  /** The command that does it, by its `text`. Absent for redirections: an allow rule for a command covers only its own effects. */
  readonly of?: string;
  /**
   * Limits what a tree read shows; absent, it shows the current contents. `names`: only names and facts about the
   * files. `versions`: former versions too (`git diff`). These come out of a store, and no file sandbox keeps a program
   * from them.
   */
  readonly shows?: "names" | "versions";
}

/** Changing a file, or with `tree` anything below a folder. A move is a `delete` and a `create` with `from`. */
export interface WriteEffect extends Bound {
  readonly do: "write";
  readonly path: string;
  readonly as?: string;
  readonly tree?: boolean;
  readonly change: Change;
  readonly from?: string;
  readonly of?: string;
  /**
   * A known minimum of the changes of an unreadable command (`of`). Rules and guards see it. Allowing the command
   * allows it, and the sandbox does not open for it.
   */
  readonly unread?: true;
}

/** One simple command of a shell script, or a program started directly. */
export interface RunEffect extends Bound {
  readonly do: "run";
  readonly argv: readonly string[];
  /** The command as a person would read it. */
  readonly text: string;
  readonly cwd: string;
  /** The language of the command, if it is not the POSIX shell's: names then compare without regard to case. */
  readonly language?: "powershell";
  /** Assignments in front of the command, `NAME=value` as written. */
  readonly assigns?: readonly string[];
  /** Programs in front that only start it (`timeout`, `env`, `sudo`, `sh`), outermost first. Deny and ask rules see through them. */
  readonly wrappers?: readonly string[];
  /** The program is known, its behaviour is not. */
  readonly opaque?: true;
  /** It continues after the call has ended. */
  readonly background?: true;
  /** While it runs it changes the workspace directly, at unknown times, so its changes cannot be held back. */
  readonly direct?: true;
  /** The digest of the whole script that contains it, see `Processes.digest`. If set, no other script is started. */
  readonly script?: string;
}

/** Connecting to a host. A TLS tunnel of a command always counts as `sends`: nobody can see into it. */
export interface ConnectEffect extends Bound {
  readonly do: "connect";
  readonly host: string;
  readonly port?: number;
  readonly url?: string;
  readonly sends: boolean;
}

/** Reaching a person or a third party. */
export interface SendEffect extends Bound {
  readonly do: "send";
  readonly channel: string;
  readonly to?: string;
}

/** A tool that runs elsewhere. */
export interface CallEffect extends Bound {
  readonly do: "call";
  readonly server: string;
  readonly tool: string;
  readonly change: boolean;
}

/** Starting another agent. */
export interface DelegateEffect extends Bound {
  readonly do: "delegate";
  readonly agent: string;
}

/** Needing a person in any case. */
export interface AskEffect extends Bound {
  readonly do: "ask";
  /** The reason, as a whole sentence. */
  readonly because?: string;
}

/** Haft's own state: todos, tasks, plan, memory, cron, session, settings. */
export interface StateEffect extends Bound {
  readonly do: "state";
  readonly of: string;
  readonly change: boolean;
}

/** No known command line: a parse error, a dynamic name, an evaluated string. */
export interface UnknownEffect extends Bound {
  readonly do: "unknown";
  readonly why: string;
  /**
   * Whether the other effects name every program that may run, as far as the command line shows them. Absent or false:
   * any program may run, whatever else was found.
   */
  readonly commandsShown?: boolean;
  /** As for `run`. */
  readonly script?: string;
}

/** One thing that a call may at most do. */
export type Effect =
  | ReadEffect
  | WriteEffect
  | RunEffect
  | ConnectEffect
  | SendEffect
  | CallEffect
  | DelegateEffect
  | AskEffect
  | StateEffect
  | UnknownEffect;

/** The ten kinds of effects. */
export type EffectWord = Effect["do"];

const enforced = { basis: "enforced" } as const;

/** Reads `path`; with `tree`, everything below it. Relative paths are relative to the call's working directory. */
export const read = (path: string, options: { tree?: boolean } = {}): ReadEffect => ({
  do: "read",
  ...enforced,
  path,
  ...(options.tree ? { tree: true } : {}),
});

/**
 * Writes `path`. The default change is `replace`. If nothing exists there yet, the pipeline turns `replace` and
 * `modify` into `create`, so a tool need not look.
 */
export const write = (
  path: string,
  change: Change = "replace",
  options: { tree?: boolean; from?: string } = {},
): WriteEffect => ({
  do: "write",
  ...enforced,
  path,
  change,
  ...(options.tree ? { tree: true } : {}),
  ...(options.from === undefined ? {} : { from: options.from }),
});

/** Removes `path`; with `tree`, everything below it. */
export const remove = (path: string, options: { tree?: boolean } = {}): WriteEffect => write(path, "delete", options);

/** Moves a file or folder: a removal and a creation. */
export const move = (from: string, to: string, options: { tree?: boolean } = {}): WriteEffect[] => [
  remove(from, options),
  write(to, "create", { ...options, from }),
];

/** Starts a program. Unless `opaque` is false, its behaviour counts as unknown. */
export const run = (command: {
  argv: readonly string[];
  text: string;
  cwd: string;
  basis?: Basis;
  opaque?: boolean;
}): RunEffect => ({
  do: "run",
  basis: command.basis ?? "enforced",
  argv: command.argv,
  text: command.text,
  cwd: command.cwd,
  ...((command.opaque ?? true) ? { opaque: true } : {}),
});

/** Connects to `host` (or to the host of a URL). `sends` defaults to true: assume that data leaves. */
export const connect = (target: string, options: { sends?: boolean } = {}): ConnectEffect => {
  const sends = options.sends ?? true;
  if (!target.includes("://")) return { do: "connect", ...enforced, host: target.toLowerCase(), sends };
  const url = new URL(target);
  const port = url.port === "" ? {} : { port: Number(url.port) };
  return { do: "connect", ...enforced, host: url.hostname, ...port, url: target, sends };
};

/** Sends a message to a person or a third party, by `channel` (mail, chat). */
export const send = (channel: string, to?: string): SendEffect => ({
  do: "send",
  ...enforced,
  channel,
  ...(to === undefined ? {} : { to }),
});

/** Calls a remote tool. Its server is not trusted, so the bound is always `claimed`. */
export const call = (server: string, tool: string, options: { change?: boolean } = {}): CallEffect => ({
  do: "call",
  basis: "claimed",
  server,
  tool,
  change: options.change ?? true,
});

/** Starts another agent. */
export const delegate = (agent: string): DelegateEffect => ({ do: "delegate", ...enforced, agent });

/** Needs a person in any case: if nobody is there, the answer is no. `because` tells them why. */
export const ask = (because?: string): AskEffect => ({
  do: "ask",
  ...enforced,
  ...(because === undefined ? {} : { because }),
});

/** Reads a part of Haft's own state or, by default, changes it. */
export const state = (of: string, options: { change?: boolean } = {}): StateEffect => ({
  do: "state",
  ...enforced,
  of,
  change: options.change ?? true,
});

/** Declares that the bound is not known. Conflicts with nearly everything and always asks. */
export const unknown = (why: string): UnknownEffect => ({ do: "unknown", ...enforced, why });

/** All constructors under one name, for `import { effects }`. */
export const effects = { read, write, delete: remove, move, run, connect, send, call, delegate, ask, state, unknown };
