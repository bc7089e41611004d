import type { CallEvent, CallEventType } from "@haft/core/executor";

/** Listeners that can be added and removed. An error in one does not affect the others. */
export interface EventHub {
  emit(event: CallEvent): void;
  /** Whether anybody listens for this type. */
  hears(type: CallEventType): boolean;
  /** With `types`, only for those. Returns a function that unsubscribes. */
  on(listener: (event: CallEvent) => void, types?: readonly CallEventType[]): () => void;
}

interface Listening {
  readonly listener: (event: CallEvent) => void;
  readonly types?: readonly CallEventType[];
}

export function eventHub(): EventHub {
  /** Copied on write: adding or removing a listener during an event does not change who receives it. */
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
          // An error in one listener must not keep the event from the others.
        }
      }
    },
    on(listener, types) {
      const one = types ? { listener, types } : { listener };
      // A listener that is added again still receives each event only once.
      all = [...all.filter((other) => other.listener !== listener), one];
      return () => {
        all = all.filter((other) => other.listener !== listener);
      };
    },
  };
}
