/** Names of MCP tools in other systems: server and tool joined by one underscore. Only the servers' names show where to split. */

/** Haft's rules for a name or wildcard, one per possible split: for deny and ask. */
export function everySplit(wildcard: string): string[] {
  const star = wildcard.search(/[*?]/);
  const start = star < 0 ? wildcard : wildcard.slice(0, star);
  const end = star < 0 ? "" : "*";
  if (start === "") return ["mcp__*"];
  const whole = end === "" ? [] : [`mcp__${start}*`];
  const splits = [...start.matchAll(/_+/g)].flatMap(({ index, 0: gap }) => {
    const [server, tool] = [start.slice(0, index), start.slice(index + gap.length)];
    return server === "" || (tool === "" && end === "") ? [] : [`mcp__${server}__${tool}${end}`];
  });
  return [...new Set([...whole, ...splits])];
}

/** Haft's rule for a name or `server_*` of a known server: for allow. */
export function knownSplit(wildcard: string, servers: readonly string[]): string | undefined {
  const fitting = servers.filter((server) => wildcard.startsWith(`${server}_`));
  // With the servers `a` and `a_b`, the tool could belong to either.
  if (fitting.length !== 1) return undefined;
  const [server = ""] = fitting;
  const tool = wildcard.slice(server.length + 1);
  if (tool === "*") return `mcp__${server}__*`;
  return /^[A-Za-z0-9_-]+$/.test(tool) ? `mcp__${server}__${tool}` : undefined;
}
