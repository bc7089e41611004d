/**
 * Effects: the one question that a tool answers about a call.
 *
 * An effect is an upper bound: something that the call may at most do, with the ground on which the bound rests.
 * Everything else (what is asked, what runs together, what can be undone, what is shown) is derived from the list.
 */

/**
 * On what a bound rests: a port or the kernel holds it (`enforced`), a grammar that we know shows it (`proved`), or
 * somebody says so (`claimed`). Only the first two may ever be allowed without a person's or a rule's explicit yes.
 */
export type Basis = "enforced" | "proved" | "claimed";

interface Bound {
  readonly basis: Basis;
  /** The change can be taken back. Absent: derived (see `isReversible`). */
  readonly reversible?: boolean;
}

/** What a write does to its path. `create`: nothing was there. `replace`: a whole file over an existing one. */
export type Change = "create" | "modify" | "replace" | "delete";

/** Reading a file, or with `tree` everything below a folder. */
export interface ReadEffect extends Bound {
  readonly do: "read";
  /** The real location: symbolic links resolved. Rules look at `path` and at `as`. */
  readonly path: string;
  /** The absolute path as it was named, before links were resolved. */
  readonly as?: string;
  readonly tree?: boolean;
  /** The command that does it, by its `text`. Absent for redirections: an allow rule for a command covers its own only. */
  readonly of?: string;
  /**
   * What a tree is read for, if not for what its files hold now. `names`: only their names and facts about them are told. `versions`:
   * former versions, too (`git diff`); these come out of a store, from which no fence around files keeps a program.
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
   * What a command that nobody can read (`of`) changes at least. Rules and guards see it; whoever allows the command has allowed it, and
   * no fence opens for it.
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
  /** The language of the command, where that is not the POSIX shell's: names then compare without regard to case. */
  readonly language?: "powershell";
  /** Assignments in front of the command, `NAME=value` as written. */
  readonly assigns?: readonly string[];
  /** Programs in front that only start it (`timeout`, `env`, `sudo`, `sh`), outermost first. Deny and ask rules see through them. */
  readonly wrappers?: readonly string[];
  /** The program is known, what it does is not. */
  readonly opaque?: true;
  /** It goes on when the call has ended. */
  readonly background?: true;
  /** While it goes on it changes the workspace itself, at times that nobody knows: that cannot be held back. */
  readonly direct?: true;
  /** The whole script that it is part of, see `Processes.digest`. Once it is named, no other script is started. */
  readonly script?: string;
}

/** Talking to a host. A TLS tunnel of a command always `sends`: nobody can see into it. */
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

/** Needing a person by nature. */
export interface AskEffect extends Bound {
  readonly do: "ask";
  /** Why, as a whole sentence. */
  readonly because?: string;
}

/** Haft's own state: todos, tasks, plan, memory, cron, session, settings. */
export interface StateEffect extends Bound {
  readonly do: "state";
  readonly of: string;
  readonly change: boolean;
}

/** Not even a command line: a parse error, a dynamic name, an evaluated string. */
export interface UnknownEffect extends Bound {
  readonly do: "unknown";
  readonly why: string;
  /**
   * Whether the effects beside it name every program that may run, as far as its line shows them. Absent or false: it may be
   * any, whatever else was found.
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

/** The ten words for what a call may do. */
export type EffectWord = Effect["do"];

const enforced = { basis: "enforced" } as const;

/** Reads `path`; with `tree`, everything below it. Relative paths count from the call's working directory. */
export const read = (path: string, options: { tree?: boolean } = {}): ReadEffect => ({
  do: "read",
  ...enforced,
  path,
  ...(options.tree ? { tree: true } : {}),
});

/**
 * Writes `path`. The default change is `replace`; where nothing exists yet, the pipeline turns `replace` and `modify`
 * into `create`, so a tool need not look.
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

/** Starts a program. Without `opaque: false` its behaviour counts as unknown. */
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

/** Talks to `host` (or to the host of a URL). `sends` defaults to true: assume that data leaves. */
export const connect = (target: string, options: { sends?: boolean } = {}): ConnectEffect => {
  const sends = options.sends ?? true;
  if (!target.includes("://")) return { do: "connect", ...enforced, host: target.toLowerCase(), sends };
  const url = new URL(target);
  const port = url.port === "" ? {} : { port: Number(url.port) };
  return { do: "connect", ...enforced, host: url.hostname, ...port, url: target, sends };
};

/** Says something to a person or a third party, by `channel` (mail, chat). */
export const send = (channel: string, to?: string): SendEffect => ({
  do: "send",
  ...enforced,
  channel,
  ...(to === undefined ? {} : { to }),
});

/** Calls a remote tool. Its server is a stranger, so the bound is always `claimed`. */
export const call = (server: string, tool: string, options: { change?: boolean } = {}): CallEffect => ({
  do: "call",
  basis: "claimed",
  server,
  tool,
  change: options.change ?? true,
});

/** Starts another agent. */
export const delegate = (agent: string): DelegateEffect => ({ do: "delegate", ...enforced, agent });

/** Needs a person by nature: nobody there means no. `because` tells them why. */
export const ask = (because?: string): AskEffect => ({
  do: "ask",
  ...enforced,
  ...(because === undefined ? {} : { because }),
});

/** Reads a part of Haft's own state, or as by default changes it. */
export const state = (of: string, options: { change?: boolean } = {}): StateEffect => ({
  do: "state",
  ...enforced,
  of,
  change: options.change ?? true,
});

/** Says honestly that the bound is not known. Conflicts with nearly everything and always asks. */
export const unknown = (why: string): UnknownEffect => ({ do: "unknown", ...enforced, why });

/** All constructors under one name, for `import { effects }`. */
export const effects = { read, write, delete: remove, move, run, connect, send, call, delegate, ask, state, unknown };
