import { gitReaders } from "./git-tables.ts";

/**
 * Keys of a git configuration that make a reading git command run or fetch something, work elsewhere, or read more configuration, and
 * those of files of which an error shows a line. Readers write no index, so they run no hooks: these are missing here.
 */
const RISKY =
  /^(blame\.ignorerevsfile|fsck\.skiplist|core\.(fsmonitor|pager|worktree|alternaterefscommand|attributesfile)|diff\.external|diff\..*\.(command|textconv)|filter\..*|include\.path|includeif\..*|gpg\..*|merge\..*\.driver|log\.diffmerges|pager\..*|extensions\.(partialclone|worktreeconfig)|remote\..*\.(promisor|partialclonefilter)|status\.submodulesummary|format\.pretty|pretty\..*|(branch|tag)\.sort)$/is;

/** An alias takes the place of a command that git does not have: not yet, or, as `whatchanged`, not any more. */
const HIDING = new RegExp(`^alias\\.(${Object.keys(gitReaders).join("|")})(\\..*)?$`, "is");

/**
 * The keys in the text of a `config` file of git by which a command that only reads could still run something. Empty: the
 * repository is tame. A line that is not understood counts as risky under its own text.
 */
export function riskyGitConfig(text: string): string[] {
  const risky: string[] = [];
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
    const key = name === undefined || section === "" ? rest : `${section}.${name}`;
    if (name === undefined || section === "" || RISKY.test(key) || HIDING.test(key)) risky.push(key);
  }
  return risky;
}

interface LineEnd {
  /** The next line belongs to the same value. */
  readonly goesOn: boolean;
  /** It begins between quotes. */
  readonly quoted: boolean;
}

/** How a line ends: with a backslash it goes on, but not in a comment, and no comment begins between quotes. */
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
