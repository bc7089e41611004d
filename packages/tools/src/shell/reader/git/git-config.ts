/**
 * Keys of a git configuration that make a reading git command run or fetch something, work elsewhere, or read more configuration.
 * Aliases cannot hide a command of git's own, and without optional locks readers run no hooks: both are missing here.
 */
const RISKY =
  /^(core\.(fsmonitor|pager|worktree|alternaterefscommand|attributesfile)|diff\.external|diff\..*\.(command|textconv)|filter\..*|include\.path|includeif\..*|gpg\..*|merge\..*\.driver|log\.diffmerges|pager\..*|extensions\.(partialclone|worktreeconfig)|remote\..*\.(promisor|partialclonefilter)|status\.submodulesummary|format\.pretty|pretty\..*)$/i;

/**
 * The keys in the text of a `config` file of git by which a command that only reads could still run something. Empty: the
 * repository is tame. A line that is not understood counts as risky under its own text.
 */
export function riskyGitConfig(text: string): string[] {
  const risky: string[] = [];
  let section = "";
  let isContinued = false;
  for (const line of text.split("\n")) {
    const goesOn = /(^|[^\\])(\\\\)*\\\r?$/.test(line);
    const isTail = isContinued;
    isContinued = goesOn;
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
    if (name === undefined || section === "" || RISKY.test(key)) risky.push(key);
  }
  return risky;
}
