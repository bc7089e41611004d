import type { Document } from "./document.ts";
import { type Asked, isOfOne, isQuestion } from "./query.ts";
import { stem } from "./stem.ts";
import type { Thesaurus } from "./thesaurus.ts";

/** The action of a tool, or the action that a query wants, as far as a verb shows it. */
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

/** Actions that people do not distinguish. */
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

/** The possible meanings of one verb: `open` means to look as well as to start. */
export type Meanings = ReadonlySet<Action>;

/** Stems of verbs with their actions. */
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

/**
 * Uses the first verb in the tool's name, but prefers the verb after an HTTP method (`post-search`). Without one it
 * uses the first word of the description.
 */
export function actionOfTool({ name, summary }: Document, table: Actions): Meanings | undefined {
  const at = name.findIndex((term) => table.has(term));
  const behind = METHODS.has(name[at] ?? "") ? table.get(name[at + 1] ?? "") : undefined;
  return behind ?? table.get((at === -1 ? summary[0] : name[at]) ?? "");
}

const METHODS: ReadonlySet<string> = new Set(["get", "post", "put", "patch", "delete"].map(stem));

/** Verbs of wanting to see a thing that may have to be created first: a chart, a picture. */
const SEEING: ReadonlySet<string> = new Set(
  "show display print see view compare visualize visualise present plot draw".split(" "),
);

/** Actions that nobody wants without saying so. */
const ENDINGS: readonly Action[] = ["delete", "stop"];

/** Whether a tool with one action is a poor answer to a query. */
export function unwantedBy(
  asked: readonly Asked[],
  text: string,
  table: Actions,
  related: Thesaurus["related"],
): (own: Meanings) => boolean {
  const said = new Set<Action>();
  for (const { word } of asked)
    for (const verb of [stem(word), ...related(stem(word)).keys()])
      for (const action of table.get(verb) ?? []) said.add(action);
  const unsaid = ENDINGS.filter((action) => !said.has(action));
  const noList = isOfOne(text) && asked[0]?.word !== "list";
  const isOther = otherThan(asked, text, table);
  return (own) => unsaid.some((action) => own.has(action)) || (noList && own.has("list")) || isOther(own);
}

/** Uses the query's first word, which is the verb of a command. */
function otherThan(asked: readonly Asked[], text: string, table: Actions): (own: Meanings) => boolean {
  const first = asked[0]?.word ?? "";
  if (SEEING.has(first)) return (own) => own.has("update") || own.has("delete");
  const order = asked[0]?.isNoun ? undefined : table.get(stem(first));
  const wanted = isQuestion(text) ? table.get(stem("list")) : order;
  if (wanted === undefined) return () => false;
  const fitting = new Set([...wanted].flatMap((one) => [one, ...(NEAR[one] ?? [])]));
  return (own) => [...own].every((one) => !fitting.has(one));
}
