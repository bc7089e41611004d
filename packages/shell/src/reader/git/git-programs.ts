import type { GitSetting } from "./git-config.ts";

/** Keys of a git configuration whose value is a command that git starts. */
const STARTING =
  /^(core\.(fsmonitor|pager|alternaterefscommand|sshcommand|askpass|editor|gitproxy)|sequence\.editor|diff\.external|diff\..*\.(command|textconv)|filter\..*\.(clean|smudge|process)|gpg\..*program|merge\..*\.driver|interactive\.difffilter|pager\..*|credential\.(.*\.)?helper|(diff|merge)tool\..*\.(cmd|path)|man\..*\.(cmd|path)|browser\..*\.(cmd|path)|trailer\..*\.(command|cmd)|remote\..*\.(uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|tar\..*\.command|hook\..*\.command|sendemail\..*cmd|submodule\..*\.update)$/is;

/** Keys with which git reads settings from other, unchecked files. */
const INCLUDING = /^(include\.path|includeif\..*)$/is;

/** An unreadable file, or a line that does not belong in a configuration. */
const UNREAD = /^(\?unreadable|[^?][^.]*)$/s;

/** With these values git starts nothing, or a part of itself. */
const SWITCH = /^(true|false|yes|no|on|off|\d+|checkout|rebase|merge|none|)$/i;

/** The programs that a repository's configuration makes git start. */
export interface GitStarts {
  /** Commands that git may start, as the configuration passes them to a shell. */
  readonly commands: readonly string[];
  /** A key or line with an unknown effect on the programs that git starts. */
  readonly unclear?: string;
}

/** The programs that a configuration makes git start, in any command or in the command `verb`. */
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

/** For a credential helper and for updates git builds a command; a `!` at the beginning of others means a shell. */
function startedBy(key: string, value: string): string {
  if (value.startsWith("!")) return value.slice(1).trim();
  return /^credential\./i.test(key) && !value.startsWith("/") ? `git credential-${value}` : value;
}
