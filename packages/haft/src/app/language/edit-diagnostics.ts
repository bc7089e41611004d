import type { Hook } from "@haft/core/hook";
import { display, type Files } from "@haft/core/tool";
import type { SessionLanguages } from "@haft/service/language";

/** Milliseconds to wait for the problems of one file: an edit must not become slow. */
const WAIT_MS = 3000;
/** Most files of one call that are looked at, problems of each that are shown, and characters of each. */
const MOST_FILES = 5;
const MOST_PROBLEMS = 20;
const MESSAGE_CHARS = 300;

/** Adds the errors in a file to the result of the call that changed it, if the file's language server runs. */
export function editDiagnostics(languages: SessionLanguages, files: Pick<Files, "text">): Hook {
  return {
    name: "language servers",
    matches: ({ effects }) => effects.some(({ do: word }) => word === "write"),
    async after({ effects, result, cwd, signal }) {
      if (result.error) return undefined;
      const paths = effects.flatMap((effect) =>
        effect.do === "write" &&
        !effect.tree &&
        effect.change !== "delete" &&
        languages.serverFor(effect.path)?.isRunning
          ? [effect.path]
          : [],
      );
      const reports = await Promise.all(
        [...new Set(paths)].slice(0, MOST_FILES).map(async (path) => {
          try {
            const { text } = await files.text(path);
            const reply = await languages.afterEdit({ path, text }, { waitMs: WAIT_MS, signal });
            const errors = (reply?.diagnostics ?? []).filter(({ severity }) => severity === "error");
            const lines = errors
              .slice(0, MOST_PROBLEMS)
              .map(({ line, character, message }) => `  ${line}:${character} ${oneLine(message)}`);
            const more = errors.length - lines.length;
            if (lines.length === 0) return [];
            const head = `${reply!.server} finds ${errors.length === 1 ? "an error" : `${errors.length} errors`} in ${display(cwd, path)}:`;
            return [head, ...lines, ...(more > 0 ? [`  ... and ${more} more`] : [])];
          } catch {
            // The edit is done. A server that fails now tells the next question so.
            return [];
          }
        }),
      );
      const lines = reports.flat();
      return lines.length > 0 ? { context: lines.join("\n") } : undefined;
    },
  };
}

const oneLine = (message: string): string => message.replaceAll(/\s+/g, " ").slice(0, MESSAGE_CHARS);
