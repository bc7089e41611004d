import type { ApprovalTable, RecordEntry, RecordStore, SpillStore, StoredApproval } from "./stores.ts";

/** Stores in memory: for tests, and as the shortest example of one's own. */
export function memoryStores(): {
  readonly approvals: ApprovalTable;
  readonly record: RecordStore;
  readonly spill: SpillStore;
} {
  const rows = new Map<string, StoredApproval>();
  const records = new Map<string, RecordEntry[]>();
  const spilled = new Map<string, Uint8Array>();
  return {
    approvals: {
      list: (session) => [...rows.values()].filter((row) => row.session === session && row.state !== "ended"),
      put(row) {
        if ((rows.get(row.id)?.revision ?? 0) !== row.revision - 1) return false;
        rows.set(row.id, structuredClone(row));
        return true;
      },
    },
    record: {
      read: (session) => [...(records.get(session) ?? [])],
      append(session, after, entries) {
        const all = records.get(session) ?? [];
        if (all.length !== after) return false;
        records.set(session, [...all, ...structuredClone(entries)]);
        return true;
      },
    },
    spill: {
      write: (session, name, data) => void spilled.set(`${session}/${name}`, data.slice()),
      read: (session, name) => spilled.get(`${session}/${name}`)?.slice(),
    },
  };
}
