import type { Document } from "./document.ts";
import { type Asked, isQuestion } from "./query.ts";
import { stem } from "./stem.ts";

/** What a tool does to its object, or a query wants done, as far as a verb tells. */
export type Action = "look" | "create" | "update" | "delete";

const VERBS: Readonly<Record<Action, string>> = {
  look: "get fetch retrieve read list enumerate describe inspect view search find query count status check explain",
  create: "create add new insert make post register generate",
  update: "update edit modify change patch rename replace overwrite alter set toggle append",
  delete: "delete remove drop destroy erase purge uninstall clear forget",
};

/** Stems of verbs with what they do. */
export type Actions = ReadonlyMap<string, Action>;

export const actionTable = (): Actions =>
  new Map(
    (Object.keys(VERBS) as Action[]).flatMap((action) =>
      VERBS[action].split(" ").map((verb): [string, Action] => [stem(verb), action]),
    ),
  );

/** By the first verb in its name; else by the word with which its description begins. */
export function actionOfTool({ name, summary }: Document, table: Actions): Action | undefined {
  const verb = name.find((term) => table.has(term)) ?? summary[0];
  return verb === undefined ? undefined : table.get(verb);
}

/** Verbs of somebody who wants to see a thing, which may have to be made for that: a chart, a picture. */
const SEEING: ReadonlySet<string> = new Set("show display print see view compare visualize present".split(" "));

/** Whether a tool with one action is a poor answer to a query. By the query's first word, where an order has its verb. */
export function unwantedBy(asked: readonly Asked[], text: string, table: Actions): (action: Action) => boolean {
  const first = asked[0]?.word ?? "";
  if (SEEING.has(first)) return (action) => action === "update" || action === "delete";
  const wanted = isQuestion(text) ? "look" : table.get(stem(first));
  return (action) => wanted !== undefined && action !== wanted;
}
