import type { CallRow, Row } from "./row.ts";

/** Consecutive searches and reads as one row. A face shows the counts, and the calls on request. */
export interface GroupRow {
  readonly kind: "group";
  readonly id: string;
  readonly calls: readonly CallRow[];
  readonly reads: number;
  readonly searches: number;
  /** Another row follows, so the group does not grow any more. */
  readonly isClosed: boolean;
}

/** A row as faces show it: looking around is folded together. */
export type ShownRow = Row | GroupRow;

/** Folds consecutive searches and reads. A failed one stays a row of its own, so that nobody overlooks it. */
export function groupRows(rows: readonly Row[]): readonly ShownRow[] {
  const shown: ShownRow[] = [];
  let run: CallRow[] = [];
  const flush = (isClosed: boolean): void => {
    const [first] = run;
    if (first && run.length === 1) shown.push(first);
    else if (first)
      shown.push({
        ...{ kind: "group", id: `g${first.id}`, calls: run, isClosed },
        reads: run.filter(({ isRead }) => isRead).length,
        searches: run.filter(({ isSearch }) => isSearch).length,
      });
    run = [];
  };
  for (const row of rows) {
    if (isLook(row)) run.push(row);
    else {
      flush(true);
      shown.push(row);
    }
  }
  flush(false);
  return shown;
}

const isLook = (row: Row): row is CallRow =>
  row.kind === "call" && (row.isRead || row.isSearch) && (row.status === "ok" || row.status === "running");
