import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bound, write } from "@haft/core/tool";
import { createProcesses } from "@haft/host/process";
import { describe, expect, it } from "vitest";
import { benches, callOf, stateOf } from "../../../test/support/journal.ts";
import { viewWorks } from "../../../test/support/view.ts";
import { createCapture } from "../../capture.ts";
import { openJournal } from "../../index.ts";
import type { Variant } from "../mount.ts";
import { slipSince } from "./clock.ts";

const fresh = benches();

describe("a clock that is set back while a command runs", () => {
  it("W03 is seen by the time since the start of the machine, unless that restarted", () => {
    const mark = join(fresh().base, "mark");
    writeFileSync(mark, JSON.stringify({ clock: { wall: 10_000, up: 500 } }));
    expect(slipSince(mark, { wall: 11_000, up: 1_500 })).toBe(0n);
    expect(slipSince(mark, { wall: 4_000, up: 1_500 })).toBe(7_000_000_000n);
    expect(slipSince(mark, { wall: 4_000, up: 400 })).toBe(0n);
    expect(slipSince(mark, { wall: 90_000, up: 1_500 })).toBe(0n);
  });

  it.skipIf(!viewWorks("user"))("W03 does not hide a change that somebody else made meanwhile", async () => {
    const { root, folder } = fresh();
    writeFileSync(join(root, "a"), "old\n");
    // To the clock, it is older than the view that comes next.
    writeFileSync(join(root, "a"), "by a person\n");
    const capture = createCapture({ variants: ["user"] });
    const journal = openJournal({ folder, root, capture });
    const processes = createProcesses({ around: capture.around });
    const review = async () => ({ do: "hold", why: "a test" }) as const;
    await journal.command(callOf({ tool: "Bash" }), { command: "echo new > a", cwd: root }, processes.run, review);
    const [held] = await journal.held();
    const mark = join(held!.view, "start");
    const start = JSON.parse(readFileSync(mark, "utf8"));
    writeFileSync(mark, JSON.stringify({ ...start, clock: { ...start.clock, wall: start.clock.wall + 3600_000 } }));
    const done = await journal.commitHeld(held!.id);
    expect(done).toMatchObject({ changed: [], kept: [{ path: join(root, "a") }] });
    expect(stateOf(root)).toBe("/a file 644 by a person\n");
    journal.close();
  });

  it.skipIf(!viewWorks("user-clone"))(
    "W03 W08 does not matter to a copy, which compares entries with their state when they were copied",
    async () => {
      const { root, folder } = fresh();
      for (const name of ["a", "b", "gone"]) writeFileSync(join(root, name), "old\n");
      const journal = openJournal({ folder, root, capture: createCapture({ variants: ["user-clone"] }) });
      const { held, close } = await hold(folder, root, "user-clone", "echo new > a; echo new > b; rm gone");
      writeFileSync(join(root, "a"), "by a person\n");
      writeFileSync(join(root, "gone"), "by a person\n");
      // As if the clock had been set back: by their times, both edits are older than the command.
      const note = join(held.view, "clone.json");
      const facts = JSON.parse(readFileSync(note, "utf8"));
      writeFileSync(note, JSON.stringify({ ...facts, since: `${BigInt(facts.since) + 3_600_000_000_000n}` }));
      const { kept } = await journal.commitHeld(held.id);
      expect(kept.map(({ path }) => path).sort()).toEqual([join(root, "a"), join(root, "gone")]);
      expect(stateOf(root)).toBe("/a file 644 by a person\n\n/b file 644 new\n\n/gone file 644 by a person\n");
      journal.close();
      close();
    },
  );

  it.skipIf(!viewWorks("user"))("W03 W08 does not matter to files that a command in a view declares", async () => {
    const { root, folder } = fresh();
    writeFileSync(join(root, "a"), "old\n");
    const journal = openJournal({ folder, root, capture: createCapture({ variants: ["user"] }) });
    const bound = { effects: [write(join(root, "a"), "modify")], holes: [] };
    const { held, close } = await hold(folder, root, "user", "echo new > a", bound);
    writeFileSync(join(root, "a"), "by a person\n");
    // By its time, the command began after the edit now.
    const mark = join(held.view, "start");
    writeFileSync(mark, readFileSync(mark));
    const { kept } = await journal.commitHeld(held.id);
    expect(kept).toMatchObject([{ path: join(root, "a") }]);
    expect(stateOf(root)).toBe("/a file 644 by a person\n");
    journal.close();
    close();
  });
});

/** Runs a command whose changes are held. */
async function hold(folder: string, root: string, variant: Variant, command: string, bound?: Bound) {
  const capture = createCapture({ variants: [variant] });
  const journal = openJournal({ folder, root, capture });
  const processes = createProcesses({ around: capture.around });
  const review = async () => ({ do: "hold", why: "a test" }) as const;
  const request = { command, cwd: root, ...(bound ? { bound } : {}) };
  await journal.command(callOf({ tool: "Bash" }), request, processes.run, review);
  const [held] = await journal.held();
  return { held: held!, close: () => journal.close() };
}
