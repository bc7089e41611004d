import { fail } from "@haft/core/tool";
import { checkReplacement, type Replacement } from "./replace.ts";

/** The input of an edit: one replacement, or a list of them. */
export interface EditWish {
  readonly file_path: string;
  readonly old_string?: string;
  readonly new_string?: string;
  readonly replace_all?: boolean;
  readonly edits?: readonly Replacement[];
}

/** One replacement, with its name for error messages if there are several. */
type LabelledReplacement = Replacement & { readonly label?: string };

const CURE = "Give old_string and new_string, or edits: a list of {old_string, new_string}.";

/** The requested replacements, each checked as far as possible without the file. */
export function replacementsOf(wish: EditWish): readonly LabelledReplacement[] {
  const list = listOf(wish);
  for (const replacement of list) checkReplacement(replacement);
  return list;
}

function listOf({ old_string, new_string, replace_all, edits }: EditWish): readonly LabelledReplacement[] {
  const isSingle = old_string !== undefined || new_string !== undefined;
  if (edits !== undefined && isSingle)
    return fail("invalid_input", "A single edit and a list of edits are both given.", CURE);
  if (edits !== undefined) {
    if (edits.length === 0) fail("invalid_input", "The list of edits is empty.", CURE);
    return edits.map((edit, index) => ({ ...edit, label: `edits[${index}]` }));
  }
  if (old_string === undefined) return fail("invalid_input", "old_string is missing.", CURE);
  if (new_string === undefined) return fail("invalid_input", "new_string is missing.", CURE);
  return [{ old_string, new_string, ...(replace_all === undefined ? {} : { replace_all }) }];
}
