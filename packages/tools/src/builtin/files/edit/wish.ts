import { fail } from "@haft/core/tool";
import { refuseOmission } from "../../support/omission.ts";

/** A request to replace one text with another. */
export interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

/** The input of an edit: one replacement, or a list of them. */
export interface EditWish {
  readonly file_path: string;
  readonly old_string?: string;
  readonly new_string?: string;
  readonly replace_all?: boolean;
  readonly edits?: readonly Replacement[];
  readonly encoding?: string;
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

/** Refuses a request that could do nothing or anything, regardless of the file's content. */
export function checkReplacement({ old_string, new_string }: Replacement): void {
  if (old_string === "" && new_string === "")
    fail("invalid_input", "old_string and new_string are empty.", "Give the text to replace and its replacement.");
  if (old_string === "")
    fail("invalid_input", "old_string is empty.", "Give the text to replace. To create a file, use Write.");
  if (old_string === new_string)
    fail("no_change", "old_string and new_string are the same.", "Put the changed text into new_string.");
  refuseOmission(
    old_string,
    new_string,
    "Nothing was changed. Give the whole new text, or put only the lines that change into old_string.",
  );
}
