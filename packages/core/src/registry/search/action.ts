import type { Document } from "./document.ts";
import { type Asked, isQuestion } from "./query.ts";
import { stem } from "./stem.ts";

/** What a tool does to its object, or a query wants done, as far as a verb tells. */
export type Action = keyof typeof VERBS;

const VERBS = {
  list: "list enumerate",
  look: "get fetch retrieve read describe inspect view count status check explain show display print load open",
  search: "search find query lookup locate discover seek",
  create: "create add new insert make post register generate append attach upload put",
  update: "update edit modify change patch rename replace overwrite alter set toggle",
  delete: "delete remove drop destroy erase purge uninstall clear forget discard wipe",
  run: "run execute exec invoke evaluate call perform",
  start: "start begin launch open connect install",
  stop: "stop end halt close kill terminate cancel abort disconnect finish",
  move: "move relocate transfer",
  copy: "copy duplicate clone",
} as const;

/** Actions that people do not keep apart from one. */
const NEAR: Readonly<Partial<Record<Action, readonly Action[]>>> = {
  list: ["look", "search"],
  look: ["list", "search"],
  search: ["look", "list"],
  run: ["start"],
  start: ["run", "create"],
  create: ["start"],
  move: ["update"],
  update: ["move"],
};

/** What one verb may mean: `open` is to look as well as to start. */
export type Meanings = ReadonlySet<Action>;

/** Stems of verbs with what they do. */
export type Actions = ReadonlyMap<string, Meanings>;

export function actionTable(): Actions {
  const table = new Map<string, Set<Action>>();
  for (const action of Object.keys(VERBS) as Action[]) {
    for (const verb of VERBS[action].split(" ")) {
      const meanings = table.get(stem(verb)) ?? new Set();
      table.set(stem(verb), meanings.add(action));
    }
  }
  return table;
}

/** By the first verb in its name; else by the word with which its description begins. */
export function actionOfTool({ name, summary }: Document, table: Actions): Meanings | undefined {
  const verb = name.find((term) => table.has(term)) ?? summary[0];
  return verb === undefined ? undefined : table.get(verb);
}

/** Verbs of somebody who wants to see a thing, which may have to be made for that: a chart, a picture. */
const SEEING: ReadonlySet<string> = new Set(
  "show display print see view compare visualize visualise present plot draw".split(" "),
);

/** Whether a tool with one action is a poor answer to a query. By the query's first word, where an order has its verb. */
export function unwantedBy(asked: readonly Asked[], text: string, table: Actions): (own: Meanings) => boolean {
  const first = asked[0]?.word ?? "";
  if (SEEING.has(first)) return (own) => own.has("update") || own.has("delete");
  const wanted = isQuestion(text) ? table.get(stem("list")) : table.get(stem(first));
  if (wanted === undefined) return () => false;
  const fitting = new Set([...wanted].flatMap((one) => [one, ...(NEAR[one] ?? [])]));
  return (own) => [...own].every((one) => !fitting.has(one));
}
