import type { CallRow, Row } from "./row.ts";
import type { SessionView } from "./session-view.ts";

type WithoutId<R> = R extends Row ? Omit<R, "id"> : never;

/** Adds a row. Ids count rows, so a resumed session has the same ones. */
export function addRow(view: SessionView, row: WithoutId<Row>): SessionView {
  const made = view.made + 1;
  return { ...view, made, rows: [...view.rows, { ...row, id: `r${made}` } as Row] };
}

/** Changes the row with this id, searched from the end. */
export function changeRow(view: SessionView, id: string | undefined, change: (row: Row) => Row): SessionView {
  const at = view.rows.findLastIndex((row) => row.id === id);
  const row = view.rows[at];
  return row ? { ...view, rows: view.rows.with(at, change(row)) } : view;
}

/** The row of a call at the top level, by the id of the call. */
export const callRowOf = (view: SessionView, callId: string): CallRow | undefined =>
  view.rows.findLast((row): row is CallRow => row.kind === "call" && row.callId === callId);

/** The row of a call anywhere, with the row at the top level that holds it. */
export function locateCall(
  view: SessionView,
  callId: string,
): { readonly top: CallRow; readonly row: CallRow } | undefined {
  const own = callRowOf(view, callId);
  if (own) return { top: own, row: own };
  for (let at = view.rows.length - 1; at >= 0; at--) {
    const top = view.rows[at];
    if (top?.kind !== "call" || top.children.length === 0) continue;
    const row = within(top, callId);
    if (row) return { top, row };
  }
  return undefined;
}

/** The id of the call that started the agent of this call, if the view knows it. */
export function parentCallOf(view: SessionView, callId: string): string | undefined {
  const holds = (row: CallRow): string | undefined =>
    row.children.some((child) => child.callId === callId)
      ? row.callId
      : row.children.map(holds).find((found) => found !== undefined);
  const top = locateCall(view, callId)?.top;
  return top && holds(top);
}

function within(row: CallRow, callId: string): CallRow | undefined {
  for (const child of row.children) {
    const found = child.callId === callId ? child : within(child, callId);
    if (found) return found;
  }
  return undefined;
}

/** Changes a call wherever it is. */
export function changeCall(view: SessionView, callId: string, change: (row: CallRow) => CallRow): SessionView {
  const place = locateCall(view, callId);
  if (!place) return view;
  return changeRow(view, place.top.id, (top) => (top.kind === "call" ? changedIn(top, callId, change) : top));
}

function changedIn(row: CallRow, callId: string, change: (row: CallRow) => CallRow): CallRow {
  if (row.callId === callId) return change(row);
  if (row.children.length === 0) return row;
  return { ...row, children: row.children.map((child) => changedIn(child, callId, change)) };
}
