import type { CallEvent } from "@haft/core/executor";
import { drawDisplay, indent } from "./display.ts";
import { drawEvent } from "./event-row.ts";
import { paint, type Style, wrapped } from "./style.ts";

/** Milliseconds between two rows of one call: lines are only ever appended, and a chatty server must not push all else away. */
const PAUSE_MS = 1_000;

/** Draws events one after the other, and of how far a call has come as much as a person can follow. */
export function eventRows(
  style: Style,
  now: () => number = () => performance.now(),
): (event: CallEvent) => string | undefined {
  const told = new Map<string, { readonly at: number; readonly row: string }>();
  return (event) => {
    if (event.type !== "tool:execution:progress") {
      if (event.type === "tool:execution:complete" || event.type === "tool:execution:error") told.delete(event.call.id);
      const drawn = drawEvent(event, style);
      return drawn === undefined ? undefined : wrapped(drawn, style.width);
    }
    const { display } = event.progress;
    if (display?.kind !== "progress") return undefined;
    const row = wrapped(paint(style, "dim", indent(drawDisplay(display, style))), style.width);
    const before = told.get(event.call.id);
    const at = now();
    if (before && (before.row === row || at - before.at < PAUSE_MS)) return undefined;
    told.set(event.call.id, { at, row });
    return row;
  };
}
