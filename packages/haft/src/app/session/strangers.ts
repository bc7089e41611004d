import type { RecordEntry } from "@haft/core/host";
import type { Labels } from "@haft/core/tool";
import { readSessionLog } from "@haft/service";

/** The strangers whose content a session has read. */
export interface Strangers {
  note(labels: Labels | undefined): void;
  sources(): readonly string[];
}

/** Most sources to name; that there are some is what counts. */
const MOST_SOURCES = 20;

/** Continues with what the record of the session says, because a resumed conversation contains the content again. */
export function openStrangers(record: string | readonly RecordEntry[] | undefined): Strangers {
  let seen: Set<string> | undefined;
  const load = (): Set<string> => {
    if (seen) return seen;
    seen = new Set();
    for (const entry of record === undefined ? [] : recorded(record)) add(seen, entry);
    return seen;
  };
  return {
    note: (labels) => add(load(), labels),
    sources: () => [...load()],
  };
}

function add(to: Set<string>, labels: Labels | undefined): void {
  if (labels?.integrity !== "stranger") return;
  for (const source of labels.sources ?? ["a stranger"]) if (to.size < MOST_SOURCES) to.add(source);
}

function recorded(record: string | readonly RecordEntry[]): readonly (Labels | undefined)[] {
  try {
    const entries = typeof record === "string" ? readSessionLog(record).entries : record;
    return entries.map(({ t, result }) =>
      t === "call" ? (result as { readonly labels?: Labels } | undefined)?.labels : undefined,
    );
  } catch {
    return [];
  }
}
