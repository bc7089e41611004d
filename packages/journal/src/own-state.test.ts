import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProcesses } from "@haft/host/process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callOf } from "../test/support/journal.ts";
import { viewWorks } from "../test/support/view.ts";
import { createCapture } from "./capture.ts";
import { type HostJournal, openJournal } from "./index.ts";

let home: string;
let journal: HostJournal;
beforeEach(() => {
  home = realpathSync(mkdtempSync("/var/tmp/haft-own-"));
});
afterEach(() => {
  journal.close();
  rmSync(home, { recursive: true, force: true });
});

describe.each([
  ["in a view", { isSkipped: !viewWorks("user"), options: {} }],
  ["in the workspace itself", { isSkipped: false, options: { variants: [] } }],
] as const)("with the home folder as the workspace, a command %s", (_name, { isSkipped, options }) => {
  it.skipIf(isSkipped)("L01 is undone, and Haft's own state is left alone", async () => {
    const state = join(home, ".local/state/haft");
    const folder = join(state, "workspaces/w/journal");
    mkdirSync(join(state, "other"), { recursive: true });
    writeFileSync(join(home, "notes"), "old\n");
    const capture = createCapture(options);
    const processes = createProcesses({ around: capture.around });
    journal = openJournal({ folder, root: home, state, capture });
    const record = join(state, "other/session.jsonl");
    for (const id of ["c1", "c2", "c3"]) {
      const command = `echo ${id} >> notes; echo forged > ${record}; bash -c true`;
      const request = { command, cwd: home };
      await journal.command(callOf({ id }), request, async (asked) => {
        const outcome = await processes.run(asked);
        // As sessions and the journal itself do while a command runs.
        writeFileSync(record, id);
        return outcome;
      });
    }
    const paths = journal.history().entries.flatMap(({ changes }) => changes.map(({ path }) => path));
    expect([...new Set(paths)]).toEqual([join(home, "notes")]);
    expect((await journal.undo({ all: true })).losses).toEqual([]);
    expect(readFileSync(join(home, "notes"), "utf8")).toBe("old\n");
    expect(readFileSync(record, "utf8")).toBe("c3");
    expect((await journal.redo()).kept).toEqual([]);
    expect(readFileSync(join(home, "notes"), "utf8")).toBe("old\nc1\nc2\nc3\n");
  });
});
