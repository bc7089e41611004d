/** Opening a stored conversation of 1,000 to 1,000,000 messages. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openContender } from "../contender.ts";
import { type Effort, interleave, type Part, type Row, rowOf, timed } from "../measure.ts";
import { scratch } from "../places.ts";

/** Milliseconds after which a contender is not asked for ten times as much. */
const PATIENCE_MS = 4_000;
const SIZES = [1_000, 10_000, 100_000, 1_000_000];

export const sessions: Part = {
  charts: [
    {
      ...{ id: "session", title: "Opening a stored conversation", axis: "messages", floor: "read and JSON.parse" },
      remark: "One message is about 100 characters. Haft: a session ready for a prompt. pi: the context for its model.",
    },
    { id: "session-memory", title: "Resident memory after opening it", axis: "messages" },
  ],
  async run({ rounds, isQuick }: Effort) {
    const rows: Row[] = [];
    let isPiSlow = false;
    for (const count of isQuick ? SIZES.slice(0, 2) : SIZES) {
      using place = scratch();
      const [haft, pi] = [await openContender("haft", place), await openContender("pi", place)];
      const file = join(place.home, "conversation.jsonl");
      writePi(file, place.cwd, count);
      await haft.ask("seedSession", { id: "long", count });
      const measured = await interleave(
        { chart: "session", at: count, unit: "ms", rounds: isQuick ? 2 : count > 100_000 ? 3 : Math.min(rounds, 10) },
        {
          "read and JSON.parse": () => timed(() => parsed(file)),
          haft: async () => (await haft.ask("openSession", { id: "long" })).ms,
          async pi() {
            if (isPiSlow) throw new Error(`more than ${PATIENCE_MS / 1_000} s with a tenth of the messages`);
            return (await pi.ask("openSession", { file })).ms;
          },
        },
      );
      rows.push(...measured);
      isPiSlow ||= measured.some(({ contender, median }) => contender === "pi" && median > PATIENCE_MS);
      for (const [name, one] of Object.entries(isPiSlow ? { haft } : { haft, pi }))
        rows.push(rowOf("session-memory", name, count, "MB", [Number((await one.ask("memory")).value)]));
      await Promise.all([haft.close(), pi.close()]);
    }
    return rows;
  },
};

const parsed = (file: string): number => {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "" && JSON.parse(line) !== undefined).length;
};

const question = (at: number): string => `Request ${at}: look at the tests and say what fails.`;
const reply = (at: number): string => `Answer ${at}: all of them pass, and here is why.`;

function writePi(file: string, cwd: string, count: number): void {
  const timestamp = "2026-01-01T00:00:00.000Z";
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
  const answer = { api: "none", provider: "none", model: "none", usage, stopReason: "stop", timestamp: 0 };
  const lines = Array.from({ length: count }, (_, at) => {
    const content = [{ type: "text", text: at % 2 === 0 ? question(at) : reply(at) }];
    const message = at % 2 === 0 ? { role: "user", content, timestamp: 0 } : { role: "assistant", content, ...answer };
    return JSON.stringify({ type: "message", id: `e${at}`, parentId: at ? `e${at - 1}` : null, timestamp, message });
  });
  const header = JSON.stringify({ type: "session", version: 3, id: "bench", timestamp, cwd });
  writeFileSync(file, `${[header, ...lines].join("\n")}\n`);
}
