import type { CallRun } from "./call-run.ts";
import type { CallEvent, CallEventType } from "./event.ts";

type WithoutCall<E> = E extends CallEvent ? Omit<E, "call" | "agent"> : never;

/** Whether anybody listens for events of this type. If not, the event need not be put into words. */
export function isHeard({ machine: { listener, hears } }: CallRun, type: CallEventType): boolean {
  return listener !== undefined && hears?.(type) !== false;
}

/** Notifies the listener. A listener that throws never affects the call. With `isShown` the event is in the terms of people. */
export function emit(callRun: CallRun, event: WithoutCall<CallEvent>, isShown = false): void {
  const { machine } = callRun;
  const { listener, agent } = machine;
  if (!listener) return;
  try {
    const told = { ...event, call: callRun.call, agent } as CallEvent;
    listener(isShown ? told : (machine.shown?.(told) ?? told));
  } catch {
    // Nothing to do: the call goes on.
  }
}
