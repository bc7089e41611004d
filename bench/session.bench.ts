/** The cost of opening a session with a long conversation, and of adding a message to it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createAgent, type Message } from "haft";
import { openConversation } from "../packages/haft/src/agent/conversation.ts";
import { type Figure, minimum, p50 } from "./measure.ts";

const ENTRIES = 100_000;
const ROUNDS = 3;
const ADDED = 200;

export async function sessionFigures(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), "haft-bench-session-"));
  try {
    const cwd = join(base, "work");
    mkdirSync(cwd);
    const model = { name: "bench/none", step: says };
    const options = { cwd, home: base, stateDir: join(base, "state"), settings: false, env: {}, model } as const;
    const empty = await opened({ ...options, session: "empty" });
    const first = await createAgent({ ...options, session: "long" });
    const file = join(dirname(first.haft.session.path!), "conversation.jsonl");
    await first[Symbol.asyncDispose]();
    writeFileSync(file, Array.from({ length: ENTRIES }, (_, at) => `${JSON.stringify(entry(at))}\n`).join(""));
    const long = await opened({ ...options, session: "long" });
    const appended = appendedTo(join(dirname(file), "record.jsonl"));
    const session = await createAgent({ ...options, session: "append" });
    const times: number[] = [];
    for (let at = 0; at < ADDED; at++) {
      const from = performance.now();
      await session.prompt("Go on.");
      times.push(performance.now() - from);
    }
    await session[Symbol.asyncDispose]();
    return [
      { name: "open a session of 100,000 messages", value: long - empty, unit: "ms more", limit: 300 },
      { name: "append an entry to it", value: appended * 1000, unit: "µs", limit: 1000 },
      { name: "one prompt, with its two messages on disk", value: p50(times), unit: "ms", limit: 10 },
    ];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** Appends messages to the conversation beside a record. */
function appendedTo(record: string): number {
  const conversation = openConversation(record);
  if (conversation.messages.length !== ENTRIES) throw new Error("The long conversation was not opened.");
  const times = Array.from({ length: ADDED }, (_, at) => {
    const from = performance.now();
    conversation.add(entry(at).message as Message);
    return performance.now() - from;
  });
  conversation.close();
  if (openConversation(record).messages.length !== ENTRIES + ADDED) throw new Error("The messages were not appended.");
  return p50(times);
}

async function opened(options: Parameters<typeof createAgent>[0]): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    const session = await createAgent(options);
    times.push(performance.now() - from);
    await session[Symbol.asyncDispose]();
  }
  return minimum(times);
}

const entry = (at: number) => ({
  t: "message",
  at: "2026-01-01T00:00:00.000Z",
  message:
    at % 2 === 0
      ? { role: "user", content: [{ type: "text", text: `Request ${at}: look at the tests and say what fails.` }] }
      : { role: "assistant", parts: [{ type: "text", text: `Answer ${at}: all of them pass, and here is why.` }] },
});

async function* says() {
  yield { type: "part", key: "t", part: { type: "text", text: "Done." } } as const;
  yield { type: "finish", reason: "stop" } as const;
}
