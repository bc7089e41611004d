import { type Browser, type BrowserTab, fail } from "@haft/core/tool";

/** The browser of a session on a worker, as its host knows it: where its tabs were after the last call. */
export interface RemoteBrowser extends Browser {
  /** Learns from the output of a call. */
  note(output: unknown): void;
}

/** A browser that only calls on workers can use. */
export function remoteBrowser(): RemoteBrowser {
  const known = new Map<string, BrowserTab>();
  let current = "";
  return {
    isElsewhere: true,
    where: (tab) => known.get(tab ?? current),
    note(output) {
      const { tab, tabs = [] } = (output ?? {}) as { tab?: BrowserTab; tabs?: readonly BrowserTab[] };
      for (const one of [...tabs, ...(tab ? [tab] : [])]) {
        known.set(one.id, one);
        if (one.isCurrent) current = one.id;
      }
    },
    act: async () =>
      fail(
        "tool_unavailable",
        "The browser of this session is on a worker, and this call stays on the host.",
        "Call without a dry run.",
      ),
  };
}
