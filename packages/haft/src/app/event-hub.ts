import type { CallEvent, CallEventType } from "@haft/core/executor";

/** Listeners that come and go; what one throws is its own affair. */
export interface EventHub {
  emit(event: CallEvent): void;
  /** Whether anybody listens for this type. */
  hears(type: CallEventType): boolean;
  /** With `types`, only for those. Returns how to stop. */
  on(listener: (event: CallEvent) => void, types?: readonly CallEventType[]): () => void;
}

interface Listening {
  readonly listener: (event: CallEvent) => void;
  readonly types?: readonly CallEventType[];
}

export function eventHub(): EventHub {
  /** Never changed in place: whoever comes or goes while an event is told does not change who hears of it. */
  let all: readonly Listening[] = [];
  const wants = ({ types }: Listening, type: CallEventType): boolean => types === undefined || types.includes(type);
  return {
    hears: (type) => all.some((one) => wants(one, type)),
    emit(event) {
      for (const one of all) {
        if (!wants(one, event.type)) continue;
        try {
          one.listener(event);
        } catch {
          // One deaf listener must not keep the news from the others.
        }
      }
    },
    on(listener, types) {
      const one = types ? { listener, types } : { listener };
      // A listener that is given again hears everything once, as ever.
      all = [...all.filter((other) => other.listener !== listener), one];
      return () => {
        all = all.filter((other) => other.listener !== listener);
      };
    },
  };
}
