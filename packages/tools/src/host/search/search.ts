import { fail, type SearchQuery, type SearchResult } from "@haft/core/tool";
import { locate } from "../files/locate.ts";
import { checkReadable, refuseBinary } from "./readable.ts";
import type { Ripgrep } from "./ripgrep.ts";
import { searchWithRipgrep } from "./search-ripgrep.ts";

/** Lines that fit a regular expression, in a file or below a folder. */
export async function searchFiles(query: SearchQuery, ripgrep?: Ripgrep): Promise<SearchResult> {
  query.signal?.throwIfAborted();
  if (query.pattern === "") fail("invalid_input", "The pattern is empty.", "Say what to look for.");
  const { path: root, kind } = await locate(query.root);
  if (kind === "missing") fail("file_not_found", `${query.root} does not exist.`, "Look for it with Glob or Ls.");
  if (kind === "other")
    fail("binary_file", `${query.root} is a device, pipe or socket.`, "Name a regular file or a folder.");
  await checkReadable(root, kind);
  if (kind === "file") await refuseBinary(root);
  const real = { ...query, root };
  const program = await ripgrep?.();
  const found = program ? await searchWithRipgrep(program, real, kind === "file") : undefined;
  if (found) return found;
  const { searchWithBuiltin } = await import("./search-builtin.ts");
  return searchWithBuiltin(real, kind === "file");
}
