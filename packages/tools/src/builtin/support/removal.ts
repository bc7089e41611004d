import { type Files, fail } from "@haft/core/tool";

/** Removes a file if it still has the expected content. */
type Remove = Files["remove"];

/** The remover of a host; undefined if its Files port does not offer one. */
function removerOf(files: Files): Remove | undefined {
  const { remove } = files as Files & { readonly remove?: Remove };
  return remove && ((path, options) => remove(path, options));
}

/** The same, but fails before anything is changed if the host has none. */
export function needRemover(files: Files): Remove {
  return (
    removerOf(files) ??
    fail(
      "tool_unavailable",
      "This host cannot remove files, so a patch that deletes or moves one cannot be applied.",
      "Nothing was written. Leave those sections out and remove the files with Bash.",
    )
  );
}
