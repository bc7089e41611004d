import { type Claim, claimsConflict, createLocks, createSlots, type Locks, type Slots } from "@haft/core/executor";
import { read, write } from "@haft/core/tool";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import { type Connection, connect } from "./connect.ts";
import { type SharedLocks, shareLocks } from "./locks.ts";
import { sharedSlots } from "./slots.ts";

const never = new AbortController().signal;
const claimOf = (...effects: Claim["effects"]): Claim => ({ effects, safe: false, batch: {}, serial: false });
const local = (): Locks<Claim> => createLocks(claimsConflict("effects"));

let redis: TestRedis | undefined;
let connection: Connection;
const opened: SharedLocks[] = [];
let lists = 0;

beforeAll(async () => {
  if (!hasRedis) return;
  redis = await startRedis();
  connection = await connect(redis.url);
});
afterAll(async () => {
  for (const locks of opened) locks.close();
  connection?.disconnect();
  await redis?.[Symbol.asyncDispose]();
});

function hosts(): readonly [Locks<Claim>, Locks<Claim>] {
  const list = `test:locks:${lists++}`;
  const [a, b] = [shareLocks(local(), connection, list), shareLocks(local(), connection, list)];
  opened.push(a, b);
  return [a, b];
}

/** Enters, claims and starts to admit. */
function take(locks: Locks<Claim>, claim: Claim, parent?: ReturnType<typeof locks.enter>, signal = never) {
  const ticket = locks.enter(parent);
  locks.claim(ticket, claim);
  return { ticket, admitted: Promise.resolve(locks.admit(ticket, signal)) };
}

const isOpen = async (promise: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([promise.then(() => "settled"), new Promise((resolve) => setTimeout(resolve, 250, "open"))])) ===
  "open";

// The same contract for the locks of one process, and for two hosts that share theirs.
const kinds = [["in memory", () => [local()]], ...(hasRedis ? [["on Redis", hosts]] : [])] as readonly [
  string,
  () => readonly Locks<Claim>[],
][];

describe.each(kinds)("locks %s", (_, open) => {
  it("let calls that do not conflict run at the same time", async () => {
    const [a, b = a] = open();
    expect(await take(a!, claimOf(write("/w/a"))).admitted).toBe(false);
    expect(await take(b!, claimOf(write("/w/b"))).admitted).toBe(false);
    expect(await take(b!, claimOf(read("/w/c"))).admitted).toBe(false);
  });

  it("make a call wait for one that conflicts, and call its claim stale then", async () => {
    const [a, b = a] = open();
    const first = take(a!, claimOf(write("/w/a")));
    await first.admitted;
    const second = take(b!, claimOf(read("/w/a")));
    expect(await isOpen(second.admitted)).toBe(true);
    a!.leave(first.ticket);
    expect(await second.admitted).toBe(true);
    expect(second.ticket.claim).toBeUndefined();
    b!.claim(second.ticket, claimOf(read("/w/a")));
    expect(await b!.admit(second.ticket, never)).toBe(false);
  });

  it("let a nested call pass what its own root holds", async () => {
    const [a] = open();
    const root = take(a!, claimOf(write("/w/a")));
    await root.admitted;
    expect(await take(a!, claimOf(write("/w/a")), root.ticket).admitted).toBe(false);
  });

  it("end the wait of a call that is cancelled, and keep the others in order", async () => {
    const [a, b = a] = open();
    const first = take(a!, claimOf(write("/w/a")));
    await first.admitted;
    const controller = new AbortController();
    const second = take(b!, claimOf(write("/w/a")), undefined, controller.signal);
    const refused = expect(second.admitted).rejects.toThrow("enough");
    await isOpen(second.admitted.catch(() => {}));
    controller.abort(new Error("enough"));
    await refused;
    b!.leave(second.ticket);
    a!.leave(first.ticket);
    expect(await take(b!, claimOf(write("/w/a"))).admitted.then((stale) => typeof stale)).toBe("boolean");
  });
});

describe.runIf(hasRedis)("locks of two hosts", () => {
  it("never let two conflicting calls run at the same time", async () => {
    const both = hosts();
    let running = 0;
    let most = 0;
    async function work(locks: Locks<Claim>): Promise<void> {
      const ticket = locks.enter();
      do locks.claim(ticket, claimOf(write("/w/a")));
      while (await locks.admit(ticket, never));
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      locks.leave(ticket);
    }
    await Promise.all(Array.from({ length: 40 }, (_, index) => work(both[index % 2]!)));
    expect(most).toBe(1);
  });

  it("drop the tickets of a host that is gone", async () => {
    const list = `test:locks:${lists++}`;
    const gone = shareLocks(local(), connection, list);
    await take(gone, claimOf(write("/w/a"))).admitted;
    gone.close();
    const other = shareLocks(local(), connection, list);
    opened.push(other);
    const waiting = take(other, claimOf(write("/w/a")));
    expect(await isOpen(waiting.admitted)).toBe(true);
    // Its lease ends without a sign of life; here at once.
    const [id = ""] = await connection.zrange(`${list}:leases`, "0", "0");
    await connection.zadd(`${list}:leases`, "1", id);
    expect(await waiting.admitted).toBe(true);
  });
});

function slotsOfTwo(concurrent: number): readonly Slots[] {
  const name = `test:slots:${lists++}`;
  return [sharedSlots(connection, name, { concurrent }), sharedSlots(connection, name, { concurrent })];
}
const slotKinds: readonly (readonly [string, (limit: number) => readonly Slots[]])[] = [
  ["in memory", (limit) => [createSlots(limit)]],
  ...(hasRedis ? [["on Redis", slotsOfTwo] as const] : []),
];

describe.each(slotKinds)("slots %s", (_, open) => {
  it("let as many run as the limit says, and the next when one has ended", async () => {
    const [a, b = a] = open(2);
    const first = await a!.take(never);
    await b!.take(never);
    const third = Promise.resolve(b!.take(never));
    expect(await isOpen(third)).toBe(true);
    first();
    await third;
  });

  it("end the wait of a call that is cancelled", async () => {
    const [a] = open(1);
    await a!.take(never);
    const controller = new AbortController();
    const waiting = Promise.resolve(a!.take(controller.signal));
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow();
  });
});

describe.runIf(hasRedis)("rates on Redis", () => {
  it("let as many start within a second as the limit says", async () => {
    const name = `test:slots:${lists++}`;
    const slots = [sharedSlots(connection, name, { perSecond: 3 }), sharedSlots(connection, name, { perSecond: 3 })];
    const releases = await Promise.all([slots[0]!.take(never), slots[1]!.take(never), slots[0]!.take(never)]);
    for (const release of releases) release();
    expect(await isOpen(Promise.resolve(slots[1]!.take(never)))).toBe(true);
  });
});
