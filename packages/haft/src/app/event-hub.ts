import type { CallEvent } from "@haft/core/executor";

/** Listeners that come and go; what one throws is its own affair. */
export interface EventHub {
  emit(event: CallEvent): void;
  on(listener: (event: CallEvent) => void): () => void;
}

export function eventHub(): EventHub {
  const listeners = new Set<(event: CallEvent) => void>();
  return {
    emit(event) {
      for (const listener of [...listeners]) {
        try {
          listener(event);
        } catch {
          // One deaf listener must not keep the news from the others.
        }
      }
    },
    on(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
