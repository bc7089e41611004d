// The contract suites over the hosts and stores that come with Haft, and over the examples of one's own.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { approvalChecks, type Check, hostChecks, journalChecks, recordChecks, spillChecks } from "@haft/core/contract";
import { createFiles, createFilesJournal, memoryBasics, memoryHost, memoryStores } from "@haft/core/host";
import { createHost } from "@haft/host/process";
import { afterAll, describe, expect, it } from "vitest";
import { sqliteStores } from "../examples/stores/sqlite-stores.ts";

const base = mkdtempSync(join(tmpdir(), "haft-stores-"));
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(base, { recursive: true, force: true });
});

const runAll = (checks: readonly Check[]) => it.each(checks)("$name", ({ run }) => run());

/** A connection of its own each time, as different processes have them. */
const connection = () => {
  const stores = sqliteStores(join(base, "stores.db"));
  closing.push(() => stores.close());
  return stores;
};

describe("SQLite", () => {
  runAll(approvalChecks(() => connection().approvals));
  runAll(recordChecks(() => connection().record));
  runAll(spillChecks(() => connection().spill));
});

describe("memory", () => {
  const stores = memoryStores();
  const host = memoryHost({ "/work/a.txt": "a" });
  let count = 0;
  runAll(approvalChecks(() => stores.approvals));
  runAll(recordChecks(() => stores.record));
  runAll(spillChecks(() => stores.spill));
  runAll(hostChecks(() => ({ host, folder: "/work", hasShell: false })));
  runAll(journalChecks(() => ({ host, folder: `/work/j${++count}`, journal: createFilesJournal(host.files) })));
});

describe("this machine", () => {
  const host = createHost({ cwd: base });
  const folder = join(base, "local");
  mkdirSync(folder);
  closing.push(() => host.close());
  runAll(hostChecks(() => ({ host: host.ports, folder })));
});

describe("the checks object to", () => {
  const failures = async (checks: readonly Check[]): Promise<readonly string[]> => {
    const settled = await Promise.allSettled(checks.map(({ run }) => run()));
    return checks.flatMap(({ name }, at) => (settled[at]!.status === "rejected" ? [name] : []));
  };

  it("a store that takes every revision, one that forgets, and one that mixes sessions up", async () => {
    const { approvals, record, spill } = memoryStores();
    expect(
      await failures(approvalChecks(() => ({ ...approvals, put: (row) => Boolean(approvals.put(row)) || true }))),
    ).not.toEqual([]);
    expect(await failures(recordChecks(() => ({ ...record, read: () => [] })))).not.toEqual([]);
    expect(
      await failures(
        spillChecks(() => ({
          ...spill,
          read: (_, name) => spill.read("one", name),
          write: (_, name, data) => spill.write("one", name, data),
        })),
      ),
    ).not.toEqual([]);
  });

  it("files without expectations, and files that change bytes", async () => {
    const files = createFiles(memoryBasics());
    const careless = { ...files, write: (path: string, data: string | Uint8Array) => files.write(path, data) };
    const place = (own: typeof files) => () => ({
      host: { ...memoryHost(), files: own },
      folder: "/w",
      hasShell: false,
    });
    expect((await failures(hostChecks(place(careless)))).length).toBeGreaterThanOrEqual(2);
    const basics = memoryBasics();
    const ascii = createFiles({
      ...basics,
      write: (path, bytes) =>
        basics.write(
          path,
          bytes.map((byte) => byte & 127),
        ),
    });
    expect(await failures(hostChecks(place(ascii)))).toContain("files: bytes are kept as they are");
  });
});
