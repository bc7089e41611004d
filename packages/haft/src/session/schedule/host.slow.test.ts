import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createScheduleHost, type Fire, type FiringEnd, openSchedules } from "@haft/service";
import { afterEach, describe, expect, it } from "vitest";
import { stepClock } from "../../../test/support/step-clock.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-host-"));
  folders.push(folder);
  return folder;
}
const MINUTE = 60_000;
const RIGHTS = { folder: "/work", mode: "default", grant: [], options: {} };
const draft = (expression: string) => ({ expression, prompt: "Do it.", zone: "UTC" });
const hangs = () => new Promise<never>(() => {});

/** Firings of one schedule every minute, by two hosts. Every tenth leaves a question open, some hang, some fail. */
async function manyFirings(count: number) {
  const root = scratch();
  const clock = stepClock();
  const stores = [await openSchedules({ root }), await openSchedules({ root })];
  const { id } = stores[0]!.add(draft("* * * * *"), RIGHTS, clock.now());
  let begun = 0;
  let inFlight = 0;
  let most = 0;
  const fire: Fire = async (_, signal) => {
    const n = begun++;
    most = Math.max(most, ++inFlight);
    try {
      // Deaf to its end: the host does not wait for it.
      if (n % 97 === 13) {
        signal.addEventListener("abort", () => inFlight--);
        return await hangs();
      }
      if (n % 50 === 7) throw new Error("The model failed.");
      const open = n % 10 === 0 ? ["Write other.txt"] : [];
      // A firing that claims success with an open question must not count as one.
      return { status: "completed", text: `n ${n}`, open };
    } finally {
      inFlight--;
    }
  };
  const ends: FiringEnd[] = [];
  const hosts = stores.map((store) =>
    createScheduleHost({ store, clock, fire, mostMs: 30_000, onEnd: (_, end) => ends.push(end) }),
  );
  while (begun < count) {
    await clock.advance(MINUTE);
    for (const host of hosts) host.tick();
    // Past the limit of a firing that hangs, and the time that it gets to end.
    await clock.advance(45_000);
    await Promise.all(hosts.map((host) => host.idle()));
    await clock.advance(MINUTE - 45_000);
  }
  const firings = stores[0]!.firings(id, 10_000);
  for (const store of stores) store.close();
  return { ends, most, begun, firings };
}

function check({ ends, most, begun, firings }: Awaited<ReturnType<typeof manyFirings>>, count: number) {
  expect(begun).toBe(count);
  expect(ends).toHaveLength(count);
  expect(most).toBe(1);
  const of = (status: FiringEnd["status"]) => ends.filter((end) => end.status === status);
  expect(of("completed").filter(({ open = [] }) => open.length > 0)).toEqual([]);
  expect(of("needs_you").length).toBeGreaterThanOrEqual(Math.floor(count / 10) - Math.ceil(count / 97) - 1);
  expect(firings.filter(({ status }) => status === "running")).toEqual([]);
}

describe("a host of schedules", () => {
  it("N11 50 firings by two hosts: none hangs, none claims a false success", { tags: ["smoke"] }, async () => {
    check(await manyFirings(50), 50);
  });

  it("N11 1,000 firings by two hosts, 100 of them with a deviation: none hangs, none claims a false success", async () => {
    check(await manyFirings(1000), 1000);
  });

  it("N11 one firing runs at a time; times meanwhile, and times without a host, are told and not made up for", async () => {
    const clock = stepClock();
    const store = await openSchedules({ root: scratch() });
    const { id } = store.add(draft("* * * * *"), RIGHTS, clock.now());
    const running = Promise.withResolvers<FiringEnd>();
    let begun = 0;
    const host = createScheduleHost({
      ...{ store, clock },
      fire: () => (begun++ === 0 ? running.promise : Promise.resolve({ status: "completed" as const })),
    });
    for (let n = 0; n < 4; n++) {
      await clock.advance(MINUTE);
      host.tick();
    }
    expect(begun).toBe(1);
    expect(store.firings(id, 10).map(({ status }) => status)).toEqual(["missed", "missed", "missed", "running"]);
    running.resolve({ status: "completed" });
    await host.idle();
    await clock.advance(60 * MINUTE + 30_000);
    host.tick();
    await host.idle();
    const [latest, missed] = store.firings(id, 2);
    expect(latest).toMatchObject({ status: "completed" });
    expect(missed).toMatchObject({ status: "missed", missed: 59 });
    expect(begun).toBe(2);
    store.close();
  });

  it("N11 survives a restart; a clock that jumps plans anew", async () => {
    const root = scratch();
    const clock = stepClock();
    const first = await openSchedules({ root });
    const { id } = first.add(draft("0 3 * * *"), RIGHTS, clock.now());
    first.close();
    const store = await openSchedules({ root });
    expect(store.get(id).next).toBe("1970-01-01T03:00:00.000Z");
    let begun = 0;
    const host = createScheduleHost({
      store,
      clock,
      fire: async () => ({ status: begun++ < 9 ? "completed" : "failed" }),
    });
    await clock.advance(3 * 24 * 60 * MINUTE);
    host.tick();
    await host.idle();
    expect(begun).toBe(0);
    expect(store.firings(id, 1)).toMatchObject([{ status: "missed", missed: 3 }]);
    expect(store.get(id).next).toBe("1970-01-04T03:00:00.000Z");
    store.close();
  });

  it("N11 the status is true after a kill, and the schedule goes on", { tags: ["smoke"] }, async () => {
    const root = scratch();
    const store = await openSchedules({ root });
    const now = Date.now();
    const { id } = store.add(draft("* * * * *"), RIGHTS, now);
    store.runAt(id, now - 1000);
    const worker = fileURLToPath(new URL("../../../test/support/schedule-worker.ts", import.meta.url));
    const child = fork(worker, [root], { stdio: "inherit" });
    await once(child, "message");
    expect(store.firings(id, 1)).toMatchObject([{ status: "running" }]);
    store.runAt(id, Date.now() - 1000);
    expect(store.begin(Date.now(), MINUTE)).toEqual([]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(store.firings(id, 2).map(({ status }) => status)).toContain("killed");
    store.runAt(id, Date.now() - 1000);
    expect(store.begin(Date.now(), MINUTE)).toHaveLength(1);
    store.close();
  });
});
