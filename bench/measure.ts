/** One measured figure with the limit that it should keep. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The most that is acceptable. */
  readonly limit: number;
}

export function p50(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The least of several runs: on a shared machine the only figure that is not the neighbours'. */
export const minimum = (samples: readonly number[]): number => Math.min(...samples);

export function report(figures: readonly Figure[]): boolean {
  for (const { name, value, unit, limit } of figures) {
    const mark = value <= limit ? "ok  " : "OVER";
    console.log(`${mark} ${name.padEnd(56)} ${value.toFixed(2).padStart(9)} ${unit.padEnd(7)} (≤ ${limit})`);
  }
  return figures.every(({ value, limit }) => value <= limit);
}
