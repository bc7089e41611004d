// A process with live sessions: sends messages, takes those for it, and tells its parent what arrived.
import { setTimeout as wait } from "node:timers/promises";
import { openSessionRegistry } from "../../src/sessions/registry.ts";

const [root = "", own = "", all = "", count = "0", dies] = process.argv.slice(2);
const sessions = own.split(",");
const others = all.split(",");
const perSession = Number(count);
const registry = await openSessionRegistry({ root });
const arrived: string[][] = [];

function take(confirm: boolean): void {
  for (const to of sessions)
    for (const { id, from, text } of registry.take(to)) {
      arrived.push([from, to, text]);
      if (confirm) registry.done(id);
    }
}

if (dies) {
  take(false);
  process.send?.("taken");
  setInterval(() => {}, 1000);
} else {
  for (let n = 0; n < perSession; n++) {
    for (const [index, from] of sessions.entries()) {
      const to = others[(others.indexOf(from) + 1 + ((n + index) % (others.length - 1))) % others.length]!;
      registry.send({ from, to, text: String(n), kind: "message", hops: 1, sources: [] });
    }
    take(true);
  }
  process.send?.(arrived.length);
  let isOver = false;
  process.once("message", () => {
    isOver = true;
  });
  while (!isOver) {
    const before = arrived.length;
    take(true);
    if (arrived.length > before) process.send?.(arrived.length);
    await wait(10);
  }
  // Nothing more may come.
  take(true);
  process.send?.(arrived, () => process.disconnect());
  registry.close();
}
