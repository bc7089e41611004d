import type { CallEvent } from "@haft/core/executor";

/** Listeners that come and go; what one throws is its own affair. */
export interface EventHub {
  emit(event: CallEvent): void;
  on(listener: (event: CallEvent) => void): () => void;
}

export function eventHub(): EventHub {
  /** Never changed in place: whoever comes or goes while an event is told does not change who hears of it. */
  let listeners: readonly ((event: CallEvent) => void)[] = [];
  return {
    emit(event) {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch {
          // One deaf listener must not keep the news from the others.
        }
      }
    },
    on(listener) {
      // A listener that is given twice hears everything once, as ever.
      if (!listeners.includes(listener)) listeners = [...listeners, listener];
      return () => {
        listeners = listeners.filter((other) => other !== listener);
      };
    },
  };
}
