/** Batches of tool calls under three schedules, against the best schedule that keeps the order of conflicting calls. */
import { readFileSync } from "node:fs";
import type { Concurrency } from "@haft/core/executor";
import { createExecutor } from "@haft/core/executor";
import { createPolicy } from "@haft/core/policy";
import { createRegistry } from "@haft/core/registry";
import { conflicts, type Effect, type Tool } from "@haft/core/tool";
import { createHost } from "@haft/host/process";
import { builtinTools } from "@haft/tools";
import { type BatchCall, generateBatches, type RecordedBatch } from "../batch-cases.ts";
import { type Effort, median, type Part, type Row, rowOf } from "../measure.ts";
import { scratch } from "../places.ts";
import { virtualClock } from "../virtual-clock.ts";

const SCHEDULES: readonly Concurrency[] = ["strict", "partition", "effects"];
const LABELS: Readonly<Record<Concurrency, string>> = {
  strict: "serial if any call writes",
  partition: "partition",
  effects: "haft, effects",
};
/** The home folder in all recorded and generated calls. */
const RECORDED_HOME = "/home/user";

export const batches: Part = {
  charts: [
    {
      ...{ id: "batches", title: "All batches, one after the other", axis: "schedule", floor: "best schedule" },
      remark:
        "The calls take their recorded or generated time on a virtual clock; effects come from the real tools. Best schedule: the longest chain of calls whose effects conflict, on unlimited processors.",
    },
    {
      ...{ id: "batches-mixed", title: "Batches of at least one reader and one writer", axis: "schedule" },
      floor: "best schedule",
    },
    {
      ...{
        id: "batches-speed",
        title: "Times faster than serial-if-any-writer",
        axis: "batches",
        isHigherBetter: true,
      },
      remark:
        "Sum: of all batches together, so that long calls weigh most. Mean: the geometric mean of the batches. In recordings, programs that Haft cannot look into (`mix test` beside `mix credo`) take more than half of the time that stays serial, and edits of one file in one batch a quarter: both keep the model's order.",
    },
  ],
  async run({ batches: file, isQuick }: Effort) {
    using place = scratch();
    const source = file ? recorded(file) : generateBatches(500);
    const cases = isQuick ? source.slice(0, 60) : source;
    const runs: BatchRun[] = [];
    for (const batch of cases) {
      const run = await allSchedules(movedTo(place.cwd, batch), place.cwd);
      if (run) runs.push(run);
    }
    if (runs.length < cases.length / 2) throw new Error(`only ${runs.length} of ${cases.length} batches could run`);
    const kind = file ? "recorded" : "generated";
    const rows: Row[] = [];
    const mixed = runs.filter(({ isMixed }) => isMixed);
    for (const [chart, some] of [
      ["batches", runs],
      ["batches-mixed", mixed],
    ] as const) {
      const at = `${some.length} ${kind} batches`;
      for (const schedule of SCHEDULES)
        rows.push(rowOf(chart, LABELS[schedule], at, "s", [sum(some.map(({ times }) => times[schedule])) / 1_000]));
      rows.push(rowOf(chart, "best schedule", at, "s", [sum(some.map(({ best }) => best)) / 1_000]));
    }
    for (const [which, some] of Object.entries({ all: runs, mixed })) rows.push(...speeds(which, some));
    return rows;
  },
};

interface BatchRun {
  readonly times: Readonly<Record<Concurrency, number>>;
  readonly best: number;
  readonly isMixed: boolean;
}

function speeds(kind: string, runs: readonly BatchRun[]): Row[] {
  const ways = { partition: "partition", effects: "haft, effects", best: "best schedule" } as const;
  return Object.entries(ways).flatMap(([way, label]) => {
    const timeOf = ({ times, best }: BatchRun) => (way === "best" ? best : times[way as Concurrency]);
    const ratio = sum(runs.map(({ times }) => times.strict)) / sum(runs.map(timeOf));
    const logs = runs.map((run) => Math.log(Math.max(run.times.strict, 0.1) / Math.max(timeOf(run), 0.1)));
    return [
      rowOf("batches-speed", label, `${kind}: sum`, "×", [ratio]),
      rowOf("batches-speed", label, `${kind}: mean`, "×", [Math.exp(sum(logs) / logs.length)]),
    ];
  });
}

/** `undefined` if a call of the batch could not run: its time would be missing. */
async function allSchedules(batch: RecordedBatch, folder: string): Promise<BatchRun | undefined> {
  const times: Partial<Record<Concurrency, number>> = {};
  let effects: readonly (readonly Effect[])[] = [];
  for (const schedule of SCHEDULES) {
    const clock = virtualClock();
    const executor = await machine(schedule, batch.calls, folder, clock.sleep);
    const calls = batch.calls.map(({ tool, input }, index) => ({ id: `c${index}`, tool, input }));
    const outcomes = await clock.run(() => executor.run(calls));
    if (outcomes.some(({ status }) => status !== "ok")) return undefined;
    effects = outcomes.map((outcome) => outcome.effects);
    times[schedule] = clock.now();
  }
  const changes = effects.map((own) => own.some(({ do: word }) => word !== "read" && word !== "run"));
  return {
    times: times as Readonly<Record<Concurrency, number>>,
    best: bestTime(batch.calls, effects),
    isMixed: changes.includes(true) && changes.includes(false),
  };
}

/** The end of the last call if each starts as soon as all earlier ones that it conflicts with have ended. */
function bestTime(calls: readonly BatchCall[], effects: readonly (readonly Effect[])[]): number {
  const ends: number[] = [];
  for (const [at, { ms }] of calls.entries()) {
    const before = ends.filter((_, other) => conflicts(effects[other]!, effects[at]!));
    ends.push(Math.max(0, ...before) + ms);
  }
  return Math.max(0, ...ends);
}

async function machine(
  concurrency: Concurrency,
  calls: readonly BatchCall[],
  folder: string,
  sleep: (ms: number) => Promise<void>,
) {
  const registry = createRegistry();
  const host = createHost({ cwd: folder, home: folder });
  const tools = (await builtinTools()).map(
    ({ name, description, input, effects, can, rules }): Tool => ({
      ...{ name, description, input, effects, ...(can ? { can } : {}), ...(rules ? { rules } : {}) },
      async run(_, ctx) {
        await sleep(calls[Number(ctx.call.id.slice(1))]!.ms);
        return "done";
      },
    }),
  );
  registry.add({ origin: "builtin", name: "bench" }, tools);
  const workspace = { root: folder, startedIn: folder, cwd: folder, home: folder, additional: [], platform: "linux" };
  const policy = createPolicy({ workspace, rules: [], mode: "bypassPermissions" });
  return createExecutor({
    ...{ registry, available: () => true, policy: () => policy, concurrency, loopGuard: false },
    ports: { ...host.ports, search: SEARCH },
    ...{ agent: { id: "main" }, session: { id: "bench" }, cwd: () => folder, home: folder },
    offerContext: () => ({
      ...{ cwd: folder, agent: { id: "main" }, platform: "linux", ports: new Set(), mode: "bypassPermissions" },
    }),
  });
}

/** Recordings search the web; without a provider nobody knows where the query goes. */
const SEARCH = { provider: "duckduckgo", address: "https://html.duckduckgo.com/html/", find: async () => [] };

const movedTo = (folder: string, { calls }: RecordedBatch): RecordedBatch => ({
  calls: calls.map((call) => ({
    ...call,
    input: JSON.parse(JSON.stringify(call.input).replaceAll(RECORDED_HOME, folder)) as object,
  })),
});

interface Written {
  readonly calls: readonly { readonly tool: string; readonly input: object; readonly duration_ms?: number }[];
}

/** Recorded batches. A call without a recorded time gets the median of its tool, or of all calls. */
function recorded(file: string): readonly RecordedBatch[] {
  const written = JSON.parse(readFileSync(file, "utf8")) as readonly Written[];
  const timesOf = Map.groupBy(
    written.flatMap(({ calls }) => calls).filter(({ duration_ms }) => duration_ms !== undefined),
    ({ tool }) => tool,
  );
  const typical = new Map([...timesOf].map(([tool, all]) => [tool, median(all.map((one) => one.duration_ms!))]));
  const overall = median([...timesOf.values()].flat().map((one) => one.duration_ms!));
  return written.map(({ calls }) => ({
    calls: calls.map(({ tool, input, duration_ms }) => ({
      ...{ tool, input, ms: duration_ms ?? typical.get(tool) ?? overall },
    })),
  }));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
