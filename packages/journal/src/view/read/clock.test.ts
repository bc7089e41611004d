import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProcesses } from "@haft/host";
import { describe, expect, it } from "vitest";
import { benches, callOf, stateOf } from "../../../test/support/journal.ts";
import { viewWorks } from "../../../test/support/view.ts";
import { createCapture, openJournal } from "../../index.ts";
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
});
