import { type Files, fail } from "@haft/core/tool";

/** Removes a file, if it still is what is expected. */
export type Remove = Files["remove"];

/** How a host's files are removed; nothing where its Files port does not offer that. */
function removerOf(files: Files): Remove | undefined {
  const { remove } = files as Files & { readonly remove?: Remove };
  return remove && ((path, options) => remove(path, options));
}

/** The same, refused before anything is changed where there is no way. */
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
