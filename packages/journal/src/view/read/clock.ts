import { readFileSync } from "node:fs";

/** The wall clock, and the time since the machine started, which nobody can set. In milliseconds. */
export interface Clock {
  readonly wall: number;
  readonly up: number;
}

/** `undefined` where the system does not tell how long it has been up. */
export function clockNow(): Clock | undefined {
  try {
    const up = Number.parseFloat(readFileSync("/proc/uptime", "utf8")) * 1000;
    return Number.isFinite(up) ? { wall: Date.now(), up } : undefined;
  } catch {
    return undefined;
  }
}

/** Smaller differences come from rounding. */
const ROUNDING_MS = 50;

/**
 * How far the wall clock was set back since a mark was written, in nanoseconds. Change times of files come from that
 * clock, so a change after the mark may seem older than it by this much.
 */
export function slipSince(mark: string, now = clockNow()): bigint {
  try {
    const { clock: then } = JSON.parse(readFileSync(mark, "utf8")) as { readonly clock?: Clock };
    // After a restart of the machine, the time since its start says nothing.
    if (!then || !now || now.up < then.up) return 0n;
    const slip = then.wall - now.wall + (now.up - then.up);
    return slip > ROUNDING_MS ? BigInt(Math.ceil(slip)) * 1_000_000n : 0n;
  } catch {
    return 0n;
  }
}
