// A host of schedules in a process that is killed in the middle of a firing: `node schedule-worker.ts FOLDER [START COUNT]`.
// Without a start it begins what is due and waits for its end. With one it has a clock of its own, writes a line for the
// beginning and the end of each firing, and dies inside the last.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createScheduleHost, type Fire, openSchedules } from "@haft/service/schedules";
import { stepClock } from "./step-clock.ts";

const [root = "", start, count = "1"] = process.argv.slice(2);
const MINUTE = 60_000;
const store = await openSchedules({ root });

if (start === undefined) {
  store.begin(Date.now(), MINUTE);
  process.send?.("begun");
  setInterval(() => {}, 1000);
} else await fireMany(Number(start), Number(count));

async function fireMany(from: number, most: number): Promise<void> {
  const clock = stepClock();
  await clock.advance(from + MINUTE - 15_000);
  const log = (line: string) => appendFileSync(join(root, "log.txt"), `${line}\n`);
  let begun = 0;
  const fire: Fire = async (_, signal) => {
    const n = Math.floor(clock.now() / MINUTE);
    log(`begin ${n}`);
    if (++begun === most) process.kill(process.pid, "SIGKILL");
    if (n % 97 === 13) return new Promise((_resolve, reject) => signal.addEventListener("abort", reject));
    if (n % 50 === 7) throw new Error("The model failed.");
    return { status: "completed", text: `n ${n}`, open: n % 10 === 0 ? ["Write other.txt"] : [] };
  };
  const host = createScheduleHost({
    ...{ store, clock, fire, mostMs: 30_000 },
    onEnd: (_, { status, open = [] }) => log(`end ${status} ${open.length}`),
  });
  for (;;) {
    await clock.advance(15_000);
    host.tick();
    // Past the limit of a firing that hangs, and the time that it gets to end.
    await clock.advance(MINUTE - 15_000);
    await host.idle();
  }
}
