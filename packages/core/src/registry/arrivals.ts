import type { FailedSource } from "../tool/index.ts";

/** Tells of sources whose tools come later, for example servers that are still connecting. */
export interface Arrivals {
  connecting(): readonly string[];
  failed(): readonly FailedSource[];
  /** Resolves when nothing is connecting any more, or when the signal fires. */
  settled(signal: AbortSignal): Promise<void>;
}

/** The same, but whoever was waited for in vain is not waited for again. A wait never rejects. */
export function patientOnce(arrivals: Arrivals): Arrivals {
  const inVain = new Set<string>();
  const connecting = (): string[] => arrivals.connecting().filter((name) => !inVain.has(name));
  return {
    connecting,
    failed: () => arrivals.failed(),
    async settled(signal) {
      if (connecting().length === 0) return;
      try {
        await arrivals.settled(signal);
      } catch {
        // What is there is read afterwards; why something is not, `failed` tells.
      }
      for (const name of connecting()) inVain.add(name);
    },
  };
}
