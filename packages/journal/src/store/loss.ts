import type { Image } from "../image/image.ts";
import type { Change, Loss } from "./record.ts";

/** Changes whose old state is lost. */
export const lossesIn = (changes: readonly Change[]): readonly Loss[] =>
  changes.flatMap(({ path, before }) => {
    if (before.type === "lost") return [{ path, why: before.why }];
    return before.type === "other" ? [{ path, why: `A ${before.what} cannot be restored.` }] : [];
  });

/** Changes that undo leaves: their old state is lost, or they made a device or socket. */
export const notUndoable = (changes: readonly Change[]): readonly Loss[] => [
  ...lossesIn(changes),
  ...changes.flatMap(({ path, before, after }) =>
    lossesIn([{ path, before, after }]).length > 0 ? [] : leftNode(path, after),
  ),
];

/** A device or socket stays where it is. */
export const leftNode = (path: string, now: Image): readonly Loss[] =>
  now.type === "other" ? [{ path, why: `It is a ${now.what}, which undo leaves; \`rm\` removes it.` }] : [];
