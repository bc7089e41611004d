/**
 * The cost of eight agents with twenty calls each, beside the work itself. The models and tools answer at once, so the processor
 * time is the engine's own. All of it lies on one thread: it is the most that a run can become longer.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createHaft, defineTool } from "haft";
import { type Figure, minimum } from "./measure.ts";

const AGENTS = 8;
const CALLS = 20;
const ROUNDS = 5;
/** A fast model and fast tools, in milliseconds. */
const ANSWER_MS = 300;
const TOOL_MS = 20;
/** One agent after its start: an answer before each call, the calls, and the last answer. */
const CRITICAL_MS = (CALLS + 1) * ANSWER_MS + CALLS * TOOL_MS;

export async function agentFigures(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), "haft-bench-agents-"));
  const cwd = join(base, "work");
  mkdirSync(cwd);
  const Look = defineTool({
    ...{ name: "Look", description: "Looks.", can: [] },
    input: { type: "object", properties: { at: { type: "string", description: "Where." } } } as const,
    effects: () => [],
    run: ({ at }) => `Nothing at ${at}.`,
  });
  const model = { name: "bench/none", step: looks };
  const haft = await createHaft({
    ...{ cwd, home: base, stateDir: join(base, "state"), env: {}, loopGuard: false, tools: [Look] },
    ...{ model: model.name, openModel: () => model, rules: { allow: ["Look"] } },
    ...{ settings: { toolAgent: { maxAgents: 1000 } }, settingsFiles: false as const },
  });
  try {
    const times: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const from = process.cpuUsage();
      const started = Array.from({ length: AGENTS }, (_, at) =>
        haft.agents!.start({ type: "general", description: `${at}`, prompt: `Look ${round}.${at}` }),
      );
      for (const { status, calls } of await Promise.all(started))
        if (status !== "completed" || calls !== CALLS) throw new Error(`an agent ended ${status} after ${calls} calls`);
      const { user, system } = process.cpuUsage(from);
      // The first round loads code.
      if (round > 0) times.push((user + system) / 1000);
    }
    const least = minimum(times);
    return [
      {
        name: `8 agents of 20 calls: processor time (load ${loadavg()[0]?.toFixed(1)})`,
        value: least,
        unit: "ms",
        limit: 340,
      },
      { name: `… of a critical path of ${CRITICAL_MS} ms`, value: (least / CRITICAL_MS) * 100, unit: "%", limit: 5 },
    ];
  } finally {
    await haft[Symbol.asyncDispose]();
    rmSync(base, { recursive: true, force: true });
  }
}

/** Makes one call in each answer, twenty times, and then says something. */
async function* looks({ messages }: { readonly messages: readonly { readonly role: string }[] }) {
  const turn = messages.filter(({ role }) => role === "assistant").length;
  if (turn < CALLS)
    yield {
      type: "part",
      key: "c",
      part: { type: "tool-call", id: `c${turn}`, tool: "Look", input: { at: `${turn}` } },
    } as const;
  else yield { type: "part", key: "t", part: { type: "text", text: "Done." } } as const;
  yield { type: "finish", reason: turn < CALLS ? "calls" : "stop" } as const;
}
