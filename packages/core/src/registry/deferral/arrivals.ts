import type { FailedSource } from "../../tool/index.ts";

/** Lists sources whose tools come later, for example servers that are still connecting. */
export interface PendingSources {
  connecting(): readonly string[];
  failed(): readonly FailedSource[];
  /** Resolves when nothing is connecting any more, or when the signal fires. */
  settled(signal: AbortSignal): Promise<void>;
}

/** The same, but a source whose wait timed out once is not waited for again. A wait never rejects. */
export function patientOnce(arrivals: PendingSources): PendingSources {
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
        // Callers read the available tools afterwards; `failed` explains the missing ones.
      }
      for (const name of connecting()) inVain.add(name);
    },
  };
}
