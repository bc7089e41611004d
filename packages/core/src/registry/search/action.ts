import type { Document } from "./document.ts";
import { stem } from "./stem.ts";

/** What a tool does to its object, or a query wants done, as far as a verb tells. */
export type Action = "look" | "create" | "update" | "delete";

const VERBS: Readonly<Record<Action, string>> = {
  look: "get fetch retrieve read list enumerate describe inspect view search find query count status check explain",
  create: "create add new insert post register generate",
  update: "update edit modify change patch rename replace overwrite alter set toggle append",
  delete: "delete remove drop destroy erase purge uninstall clear",
};

export type Actions = ReadonlyMap<string, Action>;

/** Stems of verbs with what they do. */
export const actionTable = (): Actions =>
  new Map(
    (Object.keys(VERBS) as Action[]).flatMap((action) =>
      VERBS[action].split(" ").map((verb): [string, Action] => [stem(verb), action]),
    ),
  );

/** By the name's own verb, wherever it stands in the name; else by how the description begins. */
export function actionOfTool({ name, summary }: Document, table: Actions): Action | undefined {
  return firstAction(name, table) ?? firstAction(summary.slice(0, 1), table);
}

/** By the first word, where verbs stand in an order; a question asks to look. */
export function actionOfQuery(words: readonly string[], text: string, table: Actions): Action | undefined {
  if (/^\s*(?:which|what|who|when|where|how|is|are|does|do|did|has|have)\b/i.test(text)) return "look";
  const first = words[0];
  return first === undefined ? undefined : table.get(stem(first));
}

const firstAction = (terms: readonly string[], table: Actions): Action | undefined => {
  for (const term of terms) {
    const action = table.get(term);
    if (action) return action;
  }
  return undefined;
};
