import { type CallContext, type EffectContext, type FileEntry, fail, type Problem } from "@haft/core/tool";
import { namedPath } from "../named-path.ts";

/** Maximum bytes of a file for a person. */
const MOST_FILE_BYTES = 50 * 1024 * 1024;

/** The reason why one of these files cannot be handed over. */
export async function fileProblem(paths: readonly string[], ctx: EffectContext): Promise<Problem | undefined> {
  for (const path of paths) {
    const place = await ctx.locate(namedPath(ctx, path));
    if (place.kind === "missing")
      return { code: "file_not_found", message: `There is no file ${path}.`, hint: "Check the path." };
    if (place.kind !== "file")
      return { code: "is_directory", message: `${path} is not a file.`, hint: "Name single files." };
    const { size = 0 } = (await ctx.ports.files.stat(place.path)) ?? {};
    if (size > MOST_FILE_BYTES)
      return {
        code: "file_too_large",
        message: `${path} has ${size} bytes.`,
        hint: `The limit is ${MOST_FILE_BYTES}; tell the user its path instead.`,
      };
  }
  return undefined;
}

/**
 * The files as the person receives them, at their real paths. Reads from each, so that only readable files are handed
 * over.
 */
export async function handedOver(paths: readonly string[], ctx: CallContext): Promise<readonly FileEntry[]> {
  return Promise.all(
    paths.map(async (path) => {
      const { files } = ctx.ports;
      const { path: real } = await files.locate(namedPath(ctx, path));
      await files.bytes(real, { start: 0, end: 1 });
      const stat = await files.stat(real);
      if (!stat) fail("file_not_found", `${path} is gone.`, "Make it again.");
      return { path: real, kind: "file" as const, size: stat.size };
    }),
  );
}
