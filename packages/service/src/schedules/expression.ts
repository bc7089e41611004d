import { Cron } from "croner";

/** The error in a cron expression or a time zone, in a sentence; `undefined`: there is none. */
export function expressionProblem(expression: string, zone?: string): string | undefined {
  if (expression.trim().split(/\s+/).length !== 5)
    return `"${expression}" does not have five fields: minute, hour, day of month, month, day of week.`;
  try {
    if (zone !== undefined) new Intl.DateTimeFormat("en", { timeZone: zone });
  } catch {
    return `"${zone}" is not a time zone such as Europe/Berlin.`;
  }
  try {
    return cron(expression, zone).nextRun() === null ? `"${expression}" never matches.` : undefined;
  } catch (thrown) {
    return `"${expression}" cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}.`;
  }
}

/** The first planned time after `after`, in milliseconds since the epoch. */
export const nextTime = (expression: string, zone: string | undefined, after: number): number | undefined =>
  cron(expression, zone).nextRun(new Date(after))?.getTime();

/** Planned times up to `until`, at most `most` of them, the latest last. */
export function timesBetween(
  expression: string,
  zone: string | undefined,
  from: number,
  until: number,
  most: number,
): readonly number[] {
  const times: number[] = [];
  for (let next: number | undefined = from; next !== undefined && next <= until && times.length < most; ) {
    times.push(next);
    next = nextTime(expression, zone, next);
  }
  return times;
}

const cron = (expression: string, zone: string | undefined): Cron =>
  new Cron(expression, { paused: true, mode: "5-part", ...(zone === undefined ? {} : { timezone: zone }) });
