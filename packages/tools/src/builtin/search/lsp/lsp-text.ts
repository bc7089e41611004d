import { counted } from "@haft/core/tool";
import type { LspOutput, LspPlace } from "./output.ts";

/** Most problems of one file that are shown. */
const MOST_PROBLEMS = 50;

/** The result of a question as text for a model. */
export function lspText({
  operation,
  file,
  server,
  text,
  places,
  total = 0,
  closed = 0,
  diagnostics,
}: LspOutput): string {
  if (diagnostics) {
    if (diagnostics.length === 0) return `${server} finds no problems in ${file}.`;
    const lines = diagnostics
      .slice(0, MOST_PROBLEMS)
      .map(
        ({ line, character, severity, message, code }) =>
          `${file}:${line}:${character} ${severity}: ${message}${code === undefined ? "" : ` (${code})`}`,
      );
    const more = diagnostics.length - lines.length;
    return [...lines, ...(more > 0 ? [`... and ${more} more`] : [])].join("\n");
  }
  if (text !== undefined) return text === "" ? nothing(operation) : text;
  const shown = places ?? [];
  const left = closed > 0 ? [`${counted(closed, "place")} in closed files left out`] : [];
  const more = total - shown.length - closed;
  if (shown.length === 0 && left.length === 0) return nothing(operation);
  return [...shown.map(placeText), ...(more > 0 ? [`... and ${more} more`] : []), ...left].join("\n");
}

function placeText({ path, line, character, name, kind, container, depth = 0, source }: LspPlace): string {
  const place = `${path}:${line}:${character}`;
  const symbol = [kind, name, container && `in ${container}`].filter(Boolean).join(" ");
  return [`${"  ".repeat(depth)}${place}`, symbol, source].filter(Boolean).join("  ");
}

const nothing = (operation: string): string =>
  operation === "documentSymbol" || operation === "workspaceSymbol"
    ? "No symbols."
    : "Nothing found. Line and character must be on the name of the symbol.";
