/** Figures of the benches against peers: samples, rows and the files that keep them. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MachineFacts, machineFacts } from "./machine.ts";

/** One line of a chart or table: a contender at one point. */
export interface Row {
  /** The chart that the row belongs to. */
  readonly chart: string;
  readonly contender: string;
  /** The point on the horizontal axis: a number for growth curves, else a case. */
  readonly at: number | string;
  readonly unit: string;
  readonly median: number;
  readonly least: number;
  readonly samples: number;
  /** Why there is no figure. */
  readonly note?: string;
}

/** A chart: what it measures, and which contender the ratios refer to. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** The meaning of the horizontal axis. */
  readonly axis: string;
  /** The contender that does the least work possible, for the ratios. */
  readonly floor?: string;
  /** Higher figures are better. Default: lower. */
  readonly isHigherBetter?: true;
  /** A remark that a reader needs to judge the figures. */
  readonly remark?: string;
}

/** The result of one part, as its file has it. */
export interface PartResult {
  readonly part: string;
  readonly machine: MachineFacts;
  readonly seconds: number;
  readonly charts: readonly Chart[];
  readonly rows: readonly Row[];
}

/** Choices for a run. */
export interface Effort {
  /** Rounds per case; parts scale them down for slow cases. */
  readonly rounds: number;
  /** Largest tree. */
  readonly files: number;
  /** Few points and rounds, to try a part. */
  readonly isQuick: boolean;
  /** A file with recorded batches. Without it they are generated. */
  readonly batches?: string;
}

/** A part: measures and returns its rows. */
export interface Part {
  readonly charts: readonly Chart[];
  run(effort: Effort): Promise<readonly Row[]>;
}

const folder = join(import.meta.dirname, "results");

export function save(part: string, charts: readonly Chart[], rows: readonly Row[], seconds: number): void {
  mkdirSync(folder, { recursive: true });
  const result: PartResult = { part, machine: machineFacts(), seconds: Math.round(seconds), charts, rows };
  writeFileSync(join(folder, `${part}.json`), `${JSON.stringify(result, undefined, 1)}\n`);
}

export function load(part: string): PartResult | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, `${part}.json`), "utf8")) as PartResult;
  } catch {
    return undefined;
  }
}

export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : ((sorted[middle - 1] ?? Number.NaN) + sorted[middle]!) / 2;
}

/** A row from samples. */
export const rowOf = (
  chart: string,
  contender: string,
  at: number | string,
  unit: string,
  samples: readonly number[],
): Row => ({
  ...{ chart, contender, at, unit },
  median: rounded(median(samples)),
  least: rounded(Math.min(...samples)),
  samples: samples.length,
});

/** A row for a contender that could not do the work. */
export const failedRow = (chart: string, contender: string, at: number | string, reason: string): Row => ({
  ...{
    chart,
    contender,
    at,
    unit: "",
    median: Number.NaN,
    least: Number.NaN,
    samples: 0,
    note: reason.split("\n")[0]!.slice(0, 200),
  },
});

const rounded = (value: number): number => Number(value.toPrecision(4));

/** Work of one contender: returns what it measured. */
export type Work = (round: number) => Promise<number>;

/**
 * Runs the contenders in turns, so that other work on the machine affects all alike. The first `warm` rounds do not count.
 * A contender that throws drops out, with its message as the row's note.
 */
export async function interleave(
  { chart, at, unit, rounds, warm = 1 }: Pick<Row, "chart" | "at" | "unit"> & { rounds: number; warm?: number },
  contenders: Readonly<Record<string, Work>>,
): Promise<Row[]> {
  const samples = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]));
  const failed = new Map<string, string>();
  for (let round = 0; round < rounds + warm; round++) {
    for (const [name, work] of rotated(Object.entries(contenders), round)) {
      if (failed.has(name)) continue;
      try {
        const measured = await work(round);
        if (round >= warm) samples.get(name)!.push(measured);
      } catch (error) {
        failed.set(name, error instanceof Error ? error.message : String(error));
      }
    }
  }
  return [...samples].map(([name, all]) =>
    failed.has(name) ? failedRow(chart, name, at, failed.get(name)!) : rowOf(chart, name, at, unit, all),
  );
}

/** Nobody always comes first. */
const rotated = <T>(list: readonly T[], by: number): readonly T[] => {
  const start = by % Math.max(1, list.length);
  return [...list.slice(start), ...list.slice(0, start)];
};

/** Milliseconds of some work. */
export async function timed(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
