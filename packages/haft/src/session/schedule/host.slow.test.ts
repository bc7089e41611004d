import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createScheduleHost, type Fire, type FiringEnd, openSchedules } from "@haft/service/schedules";
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
const WORKER = fileURLToPath(new URL("../../../test/support/schedule-worker.ts", import.meta.url));
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

  it("N11 kills in between: each firing begins once and ends once, or is told to have been killed", async () => {
    const total = Number(process.env.HAFT_FIRINGS ?? 60);
    const root = scratch();
    const store = await openSchedules({ root });
    const { id } = store.add(draft("* * * * *"), RIGHTS, 0);
    const perProcess = 20;
    for (let done = 0; done < total; done += perProcess) {
      const args = [root, String(done * MINUTE), String(perProcess)];
      const child = fork(WORKER, args, { stdio: "inherit" });
      expect((await once(child, "exit"))[1]).toBe("SIGKILL");
      expect(store.firings(id, 1)).toMatchObject([{ status: "killed" }]);
    }
    const lines = readFileSync(join(root, "log.txt"), "utf8").trim().split("\n");
    const begun = lines.filter((line) => line.startsWith("begin")).map((line) => Number(line.split(" ")[1]));
    expect(begun).toEqual(Array.from({ length: total }, (_, n) => n + 1));
    // One in flight: after each beginning comes its end, unless its process was killed inside.
    const kills = lines.filter((line, at) => line.startsWith("begin") && !lines[at + 1]?.startsWith("end"));
    expect(kills).toHaveLength(total / perProcess);
    expect(lines.filter((line) => line.startsWith("end"))).toHaveLength(total - kills.length);
    expect(lines.filter((line) => /^end completed [1-9]/.test(line))).toEqual([]);
    const deviations = begun.filter((n) => n % 10 === 0 && n % 97 !== 13 && n % perProcess !== 0);
    expect(lines.filter((line) => line.startsWith("end needs_you"))).toHaveLength(deviations.length);
    store.close();
  });

  it("N11 a clock that is set back by years plans anew; one that is set back by minutes repeats nothing", async () => {
    const store = await openSchedules({ root: scratch() });
    const DAY = 24 * 60 * MINUTE;
    const { id } = store.add(draft("0 3 * * *"), RIGHTS, 1000 * DAY);
    const first = store.begin(1000 * DAY + 180 * MINUTE, MINUTE);
    store.end(first[0]!.id, { status: "completed" }, 1000 * DAY + 181 * MINUTE);
    const planned = store.get(id).next;
    expect(store.begin(1000 * DAY + 170 * MINUTE, MINUTE)).toEqual([]);
    expect(store.get(id).next).toBe(planned);
    expect(store.begin(10 * DAY, MINUTE)).toEqual([]);
    expect(store.get(id).next).toBe("1970-01-11T03:00:00.000Z");
    expect(store.begin(10 * DAY + 180 * MINUTE, MINUTE)).toHaveLength(1);
    store.close();
  });

  it("N11 a storm of 100 schedules at one time: four run at once, all run, none is missed", async () => {
    const store = await openSchedules({ root: scratch() });
    const clock = stepClock();
    const ids = Array.from({ length: 100 }, () => store.add(draft("0 3 * * *"), RIGHTS, 0).id);
    let inFlight = 0;
    let most = 0;
    const host = createScheduleHost({
      ...{ store, clock },
      async fire() {
        most = Math.max(most, ++inFlight);
        await clock.sleep(5 * MINUTE);
        inFlight--;
        return { status: "completed" };
      },
    });
    await clock.advance(180 * MINUTE);
    host.tick();
    await clock.advance(125 * MINUTE);
    await host.idle();
    expect(most).toBe(4);
    expect(ids.map((id) => store.firings(id, 5).map(({ status }) => status))).toEqual(ids.map(() => ["completed"]));
    store.close();
  });

  it("N11 a schedule whose row was damaged runs nothing, says so once, and stops no other", async () => {
    const root = scratch();
    const store = await openSchedules({ root });
    const [torn, odd, sound] = [1, 2, 3].map(() => store.add(draft("* * * * *"), RIGHTS, 0).id);
    const { DatabaseSync } = await import("node:sqlite");
    const raw = new DatabaseSync(join(root, "schedules.db"));
    raw.prepare("UPDATE schedule SET body = substr(body, 1, 20) WHERE id = ?").run(torn!);
    raw.prepare("UPDATE schedule SET body = replace(body, '* * * * *', 'never') WHERE id = ?").run(odd!);
    raw.close();
    const clock = stepClock();
    const ran: string[] = [];
    const fire: Fire = async ({ id }) => {
      ran.push(id);
      return { status: "completed" };
    };
    const host = createScheduleHost({ store, clock, fire });
    for (let n = 0; n < 3; n++) {
      await clock.advance(MINUTE);
      host.tick();
      await host.idle();
    }
    expect(ran).toEqual([sound, sound, sound]);
    for (const id of [torn!, odd!])
      expect(store.firings(id, 9)).toMatchObject([{ status: "needs_you", text: expect.stringContaining("changed") }]);
    store.close();
  });

  it("N11 the status is true after a kill, and the schedule goes on", { tags: ["smoke"] }, async () => {
    const root = scratch();
    const store = await openSchedules({ root });
    const now = Date.now();
    const { id } = store.add(draft("* * * * *"), RIGHTS, now);
    store.runAt(id, now - 1000);
    const child = fork(WORKER, [root], { stdio: "inherit" });
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
