import type { ApprovalTable, RecordStore, SpillStore, StoredApproval } from "../host/index.ts";
import { type Check, check, expectSame } from "./check.ts";

/** The promises of a store of approvals. `open` gives the store; each call may open it again, on the same data. */
export function approvalChecks(open: () => ApprovalTable | Promise<ApprovalTable>): readonly Check[] {
  return [
    check("approvals: keeps a question as it is, also for another connection", async () => {
      const row = question("as-it-is");
      expectSame("put", await (await open()).put(row), true);
      expectSame("list", await (await open()).list(row.session), [row]);
    }),
    check("approvals: stores a revision only over the one before it", async () => {
      const row = question("revisions");
      const table = await open();
      expectSame("a second without a first", await table.put({ ...row, revision: 2 }), false);
      expectSame("the first", await table.put(row), true);
      expectSame("the first again", await table.put(row), false);
      expectSame("the second", await table.put({ ...row, revision: 2, state: "answered" }), true);
      expectSame("an old one", await table.put({ ...row, revision: 2 }), false);
      expectSame(
        "list",
        (await table.list(row.session)).map(({ revision, state }) => [revision, state]),
        [[2, "answered"]],
      );
    }),
    check("approvals: of several writers of one revision, one wins", async () => {
      const row = question("race");
      await (await open()).put(row);
      const tables = await Promise.all(Array.from({ length: 8 }, open));
      const won = await Promise.all(tables.map((table) => table.put({ ...row, revision: 2 })));
      expectSame("winners", won.filter(Boolean).length, 1);
    }),
    check("approvals: keeps sessions apart, and lists only what has not ended, in order", async () => {
      const table = await open();
      const rows = ["1", "2", "3"].map((at) => ({ ...question("order"), id: `order-${at}-${token()}` }));
      const session = rows[0]!.session;
      for (const row of rows) await table.put({ ...row, session });
      await table.put({ ...rows[1]!, session, revision: 2, state: "ended" });
      expectSame(
        "ids",
        (await table.list(session)).map(({ id }) => id),
        [rows[0]!.id, rows[2]!.id],
      );
      expectSame("another session", await table.list(`${session}-other`), []);
    }),
  ];
}

/** The promises of a store of records. */
export function recordChecks(open: () => RecordStore | Promise<RecordStore>): readonly Check[] {
  const entry = (text: string) => ({ t: "call", at: "2030-01-01T00:00:00.000Z", text, nested: { list: [1, null] } });
  return [
    check("record: keeps entries as they are and in order, also for another connection", async () => {
      const session = `record-${token()}`;
      expectSame("empty", await (await open()).read(session), []);
      expectSame("append", await (await open()).append(session, 0, [entry("a"), entry("ä\n\u2028\u0000")]), true);
      expectSame("append", await (await open()).append(session, 2, [entry("c")]), true);
      expectSame("read", await (await open()).read(session), [entry("a"), entry("ä\n\u2028\u0000"), entry("c")]);
    }),
    check("record: refuses entries after another number of entries, and stores none of them", async () => {
      const session = `record-${token()}`;
      const store = await open();
      await store.append(session, 0, [entry("a")]);
      expectSame("too early", await store.append(session, 0, [entry("b"), entry("c")]), false);
      expectSame("too late", await store.append(session, 2, [entry("b")]), false);
      expectSame("read", await store.read(session), [entry("a")]);
    }),
    check("record: of several writers at the same place, one wins", async () => {
      const session = `record-${token()}`;
      const stores = await Promise.all(Array.from({ length: 8 }, open));
      const won = await Promise.all(
        stores.map((store, at) => store.append(session, 0, [entry(`${at}`), entry(`${at}`)])),
      );
      expectSame("winners", won.filter(Boolean).length, 1);
      const texts = (await stores[0]!.read(session)).map(({ text }) => text);
      expectSame("entries", texts, [`${won.indexOf(true)}`, `${won.indexOf(true)}`]);
    }),
  ];
}

/** The promises of a store of long results. */
export function spillChecks(open: () => SpillStore | Promise<SpillStore>): readonly Check[] {
  return [
    check("spill: keeps bytes as they are, also for another connection", async () => {
      const session = `spill-${token()}`;
      const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
      await (await open()).write(session, "1-a.txt", bytes);
      const read = await (await open()).read(session, "1-a.txt");
      expectSame("bytes", read && [read.length, read.every((byte, at) => byte === bytes[at])], [70_000, true]);
    }),
    check("spill: keeps sessions and names apart, and a missing one is undefined", async () => {
      const session = `spill-${token()}`;
      const store = await open();
      await store.write(session, "a", Uint8Array.of(1));
      expectSame("another name", await store.read(session, "b"), undefined);
      expectSame("another session", await store.read(`${session}-other`, "a"), undefined);
    }),
  ];
}

const token = (): string => crypto.randomUUID().slice(0, 8);

function question(name: string): StoredApproval {
  const id = `${name}-${token()}`;
  return {
    ...{ id, session: `session-${id}`, revision: 1, digest: "d".repeat(64), state: "open" },
    askedAt: "2030-01-01T00:00:00.000Z",
    request: {
      ...{
        id,
        callId: "c1",
        agent: { id: "main" },
        tool: "Write",
        title: "Write ä",
        input: { text: "it's \u0000 \u2028" },
      },
      ...{ effects: [], show: { kind: "text", text: "a" }, why: "", destructive: false, suggestions: [] },
    },
  };
}
