import { basename, fail, parent, type SearchQuery, type SearchResult } from "@haft/core/tool";
import { type Locate, locate, locateExactly, refuseCycle } from "../files/locate.ts";
import { hasOpenPaths, openFile, openFolder } from "../files/open.ts";
import { withRanges } from "./ranges.ts";
import { checkReadable, refuseBinary } from "./readable.ts";
import { lookedAtAgain, replacedSince } from "./recheck-links.ts";
import type { Ripgrep } from "./ripgrep.ts";
import { searchWithRipgrep } from "./search-ripgrep.ts";

/** Lines that match a regular expression, in a file or below a folder. Each hit has the matching parts of its line. */
export const searchFiles = async (
  query: SearchQuery,
  ripgrep?: Ripgrep,
  place: Locate = locate,
): Promise<SearchResult> => withRanges(await search(query, ripgrep, place), query);

async function search(query: SearchQuery, ripgrep: Ripgrep | undefined, place: Locate): Promise<SearchResult> {
  query.signal?.throwIfAborted();
  if (query.pattern === "") fail("invalid_input", "The pattern is empty.", "Say what to look for.");
  const { path: root, kind } = await place(query.root);
  if (kind === "missing") fail("file_not_found", `${query.root} does not exist.`, "Find it with Glob or Ls.");
  if (kind === "other") refuseCycle(query.root);
  if (kind === "other")
    fail("binary_file", `${query.root} is a device, pipe or socket.`, "Name a regular file or a folder.");
  const real = { ...query, root };
  const program = await ripgrep?.();
  const isReplaced = replacedSince(root);
  if (kind === "file") {
    using file = await openFile(root, locateExactly);
    await refuseBinary(root, file.descriptor);
    using folder = openFolder(parent(root), root);
    const target = hasOpenPaths() ? { descriptor: file.descriptor } : { name: basename(root) };
    const found = program ? await searchWithRipgrep(program, real, { cwd: folder.inside, ...target }) : undefined;
    if (found) return found;
  } else {
    await checkReadable(root, kind);
    using folder = openFolder(root, query.root);
    const found = program ? await searchWithRipgrep(program, real, { cwd: folder.inside }) : undefined;
    if (found) return lookedAtAgain(real, found, isReplaced);
  }
  const { searchWithBuiltin } = await import("./search-builtin.ts");
  return searchWithBuiltin(real, kind === "file" ? { folder: parent(root), names: [basename(root)] } : undefined);
}
