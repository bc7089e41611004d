/** Maximum characters of names in the description. If a server's names do not fit, only their number is given. */
const MOST_NAMES = 24_000;

/** The model's text about tools that are offered by name only. The same names give the same text. */
export function deferredText(names: readonly string[], connecting: readonly string[]): string {
  return [
    'Loads tools that are listed by name only; before that, calling one fails. Search by task ("create github issue", ' +
      '"+slack send message") or by name ("select:NAME,NAME"). You can call the tools from your next message on.',
    ...(names.length > 0 ? ["", "Tools by name only:", ...listed(names)] : []),
    ...(connecting.length > 0
      ? ["", `Servers still connecting, with tools to come: ${connecting.join(", ")}. A search waits for them.`]
      : []),
  ].join("\n");
}

/** The names of one server share a prefix, which is written once. */
function listed(names: readonly string[]): string[] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const prefix = /^mcp__.+__/s.exec(name)?.[0] ?? "";
    const group = groups.get(prefix);
    if (group) group.push(name.slice(prefix.length));
    else groups.set(prefix, [name.slice(prefix.length)]);
  }
  let left = MOST_NAMES;
  return [...groups].map(([prefix, rest]) => {
    const list = rest.join(", ");
    const full = prefix === "" ? list : `${prefix}* = ${list}`;
    if (full.length > left) return `${prefix || "others"}* = ${rest.length} tools (search by words)`;
    left -= full.length;
    return full;
  });
}
