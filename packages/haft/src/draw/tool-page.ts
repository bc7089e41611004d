import { drawDisplay } from "./display.ts";
import { oneLine, visible } from "./sanitize.ts";
import { paint, type Style } from "./style.ts";
import type { ToolInfo } from "./tool-info.ts";

/** Columns between two cells of a table. */
const GAP = 2;

/** Minimum columns for a useful description of a tool. */
const LEAST_WORDS = 24;

/** The columns dropped to make room on a narrow screen, first to last. */
const DISPENSABLE = ["kind", "group", "tokens", "can"];

/**
 * Tools as a table, one per line; those not offered show the reason. `haft tools show NAME` shows the columns that a
 * narrow screen drops.
 */
export function drawToolList(infos: readonly ToolInfo[], style: Style): string {
  if (infos.length === 0) return "No tool is offered. `haft tools list --all` gives the reason for each.";
  const facts = infos.map(
    ({ name, tool, group, kind, can, tokens }): Record<string, string> => ({
      ...{
        tool: tool === undefined ? name : `${name} (${tool})`,
        group,
        kind,
        can: can.join(" "),
        tokens: String(tokens),
      },
    }),
  );
  const widest = (column: string): number => Math.max(column.length, ...facts.map((row) => row[column]!.length));
  const leftBeside = (columns: readonly string[]): number =>
    columns.reduce((width, column) => width - widest(column) - GAP, style.width);
  const choices = Array.from({ length: DISPENSABLE.length + 1 }, (_, count) =>
    Object.keys(facts[0]!).filter((column) => !DISPENSABLE.slice(0, count).includes(column)),
  );
  const columns = choices.find((choice) => leftBeside(choice) >= LEAST_WORDS) ?? choices.at(-1)!;
  const left = leftBeside(columns);
  const rows = infos.map(({ description, offered, why }, at) => {
    const text = offered ? (description.split("\n", 1)[0] ?? "") : `not offered: ${why ?? ""}`;
    const shown = columns.map((column) => facts[at]![column]!);
    return [...shown, text.length > left ? `${text.slice(0, Math.max(0, left - 1))}…` : text];
  });
  return drawDisplay({ kind: "table", columns: [...columns, ""], rows }, style);
}

/** Everything about one tool. */
export function drawToolPage(info: ToolInfo, style: Style): string {
  const { name, aliases, source, group, kind, can, description, inputSchema, tokens, offered, why } = info;
  return [
    paint(style, "bold", oneLine(name)),
    visible(description),
    "",
    `aliases: ${oneLine(aliases.join(", ")) || "none"}`,
    `source: ${oneLine(source)}, group ${group}`,
    `kind: ${kind}; can: ${can.join(", ")}`,
    `about ${tokens} tokens; ${offered ? "offered" : `not offered: ${oneLine(why ?? "")}`}`,
    "",
    visible(JSON.stringify(inputSchema, null, 2)),
  ].join("\n");
}
