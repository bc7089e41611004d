import type { GitSetting } from "./git-config.ts";

/** Keys of a git configuration whose value is a command that git starts. */
const STARTING =
  /^(core\.(fsmonitor|pager|alternaterefscommand|sshcommand|askpass|editor|gitproxy)|sequence\.editor|diff\.external|diff\..*\.(command|textconv)|filter\..*\.(clean|smudge|process)|gpg\..*program|merge\..*\.driver|interactive\.difffilter|pager\..*|credential\.(.*\.)?helper|(diff|merge)tool\..*\.(cmd|path)|man\..*\.(cmd|path)|browser\..*\.(cmd|path)|trailer\..*\.(command|cmd)|remote\..*\.(uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|tar\..*\.command|hook\..*\.command|sendemail\..*cmd|submodule\..*\.update)$/is;

/** Keys by which git takes settings from files that nobody has looked at. */
const INCLUDING = /^(include\.path|includeif\..*)$/is;

/** A file that cannot be read, or a line that is none of a configuration. */
const UNREAD = /^(\?unreadable|[^?][^.]*)$/s;

/** With these values git starts nothing, or a part of itself. */
const SWITCH = /^(true|false|yes|no|on|off|\d+|checkout|rebase|merge|none|)$/i;

/** What a repository's configuration makes git do. */
export interface GitStarts {
  /** Commands that git may start, as the configuration gives them to a shell. */
  readonly commands: readonly string[];
  /** A key or line of which it is not known what git starts by it. */
  readonly unclear?: string;
}

/** The programs that a configuration has git start, in any command or in one that is called `verb`. */
export function gitStarts(settings: readonly GitSetting[], verb?: string): GitStarts {
  const commands = new Set<string>();
  let unclear: string | undefined;
  for (const { key, value } of settings) {
    const isAlias = verb !== undefined && key.toLowerCase() === `alias.${verb.toLowerCase()}`;
    if (isAlias && value !== undefined) commands.add(value.startsWith("!") ? value.slice(1) : `git ${value}`);
    else if (STARTING.test(key)) {
      if (value === undefined && !/^(pager\.|core\.fsmonitor$)/i.test(key)) unclear ??= key;
      else if (!SWITCH.test(value ?? "")) commands.add(startedBy(key, value!));
    } else if (isAlias || INCLUDING.test(key) || UNREAD.test(key)) unclear ??= key;
  }
  return { commands: [...commands], ...(unclear === undefined ? {} : { unclear }) };
}

/** Of a credential helper and an update git makes a command; a `!` in front of others stands for a shell. */
function startedBy(key: string, value: string): string {
  if (value.startsWith("!")) return value.slice(1).trim();
  return /^credential\./i.test(key) && !value.startsWith("/") ? `git credential-${value}` : value;
}
