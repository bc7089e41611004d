import { gitReaders } from "./git-tables.ts";

/**
 * Keys of a git configuration that make a reading git command run or fetch something, work elsewhere, or read more configuration. Also keys
 * of files that git quotes in an error. Readers do not write the index, so they run no hooks: hook keys are not listed.
 */
const RISKY =
  /^(blame\.ignorerevsfile|fsck\.skiplist|core\.(fsmonitor|pager|worktree|alternaterefscommand|attributesfile)|diff\.external|diff\..*\.(command|textconv)|filter\..*|include\.path|includeif\..*|gpg\..*|merge\..*\.driver|log\.diffmerges|pager\..*|extensions\.(partialclone|worktreeconfig)|remote\..*\.(promisor|partialclonefilter)|status\.submodulesummary|format\.pretty|pretty\..*|(branch|tag)\.sort)$/is;

/** An alias replaces a command that git does not have: not yet, or, as `whatchanged`, not any more. */
const HIDING = new RegExp(`^alias\\.(${Object.keys(gitReaders).join("|")})(\\..*)?$`, "is");

/** A key of a configuration, and its value if known. */
export interface GitSetting {
  readonly key: string;
  readonly value?: string;
}

/**
 * The risky keys in the text of a git `config` file: with them a reading command could still run something. Empty: the repository is tame.
 * A line that is not understood counts as risky under its own text.
 */
export const riskyGitConfig = (text: string): string[] => riskyGitSettings(text).map(({ key }) => key);

/** The same with the values. */
export const riskyGitSettings = (text: string): GitSetting[] =>
  gitSettings(text).filter(({ key }) => !isKey(key) || RISKY.test(key) || HIDING.test(key));

const isKey = (key: string): boolean => /^[\w-]+\.(.*\.)?[A-Za-z][\w-]*$/s.test(key);

/** All keys in the text of a git `config` file. A line that is not understood appears unchanged. */
export function gitSettings(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  let section = "";
  let end: LineEnd = { goesOn: false, quoted: false };
  for (const line of text.split("\n")) {
    const isTail = end.goesOn;
    end = endOf(line, isTail && end.quoted);
    let rest = line.trim();
    if (isTail || rest === "" || /^[#;]/.test(rest)) continue;
    const head = /^\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(rest);
    if (head !== null) {
      section = head[2] === undefined ? head[1]! : `${head[1]}.${head[2].replace(/\\(.)/g, "$1")}`;
      rest = rest.slice(head[0].length).trim();
      if (rest === "" || /^[#;]/.test(rest)) continue;
    }
    const name = /^([A-Za-z][\w-]*)\s*(=|$|[#;])/.exec(rest)?.[1];
    if (name === undefined || section === "") settings.push({ key: rest });
    else settings.push({ key: `${section}.${name}`, ...heldBy(rest, end) });
  }
  return settings;
}

/** The value after the sign, on one line and without quotes and comment. */
function heldBy(line: string, { goesOn }: LineEnd): { readonly value?: string } {
  const written = /^[^=#;]*=(.*)$/.exec(line)?.[1];
  if (written === undefined || goesOn) return {};
  let value = "";
  let quoted = false;
  for (const [part] of written.trim().matchAll(/\\.|[\s\S]/g)) {
    if (part === '"') quoted = !quoted;
    else if (!quoted && /^[#;]$/.test(part)) break;
    else if (part.startsWith("\\")) value += ESCAPED[part[1]!] ?? part[1];
    else value += part;
  }
  return { value: quoted ? value : value.trimEnd() };
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };

interface LineEnd {
  /** The next line continues the value. */
  readonly goesOn: boolean;
  /** It begins between quotes. */
  readonly quoted: boolean;
}

/** How a line ends. A backslash continues it, except in a comment; no comment begins between quotes. */
function endOf(line: string, startsQuoted: boolean): LineEnd {
  let quoted = startsQuoted;
  const chars = line.replace(/\r$/, "");
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    if (char === "\\") {
      if (at + 1 === chars.length) return { goesOn: true, quoted };
      at++;
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === "#" || char === ";")) break;
  }
  return { goesOn: false, quoted: false };
}
