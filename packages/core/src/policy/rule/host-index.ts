import { type HostPattern, normalizeHost } from "../pattern/host-pattern.ts";

/** Host rules, indexed by the host or domain they name. */
export interface HostIndex<T> {
  readonly isEmpty: boolean;
  /** The entries that may match a host. Check the pattern of each: some will not match. */
  near(host: string): T[];
}

/** Finds literal hosts by name and `*.domain` by each ending of the host. All other entries are candidates for every host. */
export function indexHosts<T extends { readonly pattern: HostPattern }>(entries: readonly T[]): HostIndex<T> {
  const byHost = Map.groupBy(entries, ({ pattern }) => pattern.literal);
  const byDomain = Map.groupBy(entries, ({ pattern }) => pattern.domain);
  const others = entries.filter(({ pattern }) => pattern.literal === undefined && pattern.domain === undefined);
  return {
    isEmpty: entries.length === 0,
    near(host) {
      const name = normalizeHost(host);
      const found = [...others, ...(byHost.get(name) ?? [])];
      for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1))
        found.push(...(byDomain.get(name.slice(dot + 1)) ?? []));
      return found;
    },
  };
}
