/** Keys that only name things: the author of commits, and the upstream of branches. */
const NAMING = /^(?:user\.(?:name|email)|branch\..*\.(?:remote|merge|rebase|description))$/s;

/** Whether two texts of a git configuration differ only in keys that name things. Unreadable text counts as different. */
export function addsOnlyNames(before: string, after: string): boolean {
  const [old, now] = [entriesOf(before), entriesOf(after)];
  if (!old || !now) return false;
  const changed = [...difference(old, now), ...difference(now, old)];
  return changed.every((entry) => NAMING.test(entry.slice(0, entry.indexOf("="))));
}

function difference(from: readonly string[], without: readonly string[]): readonly string[] {
  const rest = [...without];
  return from.filter((entry) => {
    const at = rest.indexOf(entry);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/** `section.subsection.key=value`, in order; `undefined` for a form that git itself does not write. */
function entriesOf(text: string): readonly string[] | undefined {
  let section: string | undefined;
  const entries: string[] = [];
  for (const line of text.split("\n").map((raw) => raw.trim())) {
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const head = /^\[([A-Za-z0-9.-]+)(?: "((?:[^"\\]|\\.)*)")?\]$/.exec(line);
    if (head) {
      section = head[2] === undefined ? head[1]?.toLowerCase() : `${head[1]?.toLowerCase()}.${head[2]}`;
      continue;
    }
    const entry = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line);
    // A backslash at the end continues the value on the next line.
    if (!entry || section === undefined || /\\$/.test(line)) return undefined;
    entries.push(`${section}.${entry[1]?.toLowerCase()}=${entry[2] ?? ""}`);
  }
  return entries;
}
