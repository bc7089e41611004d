import type { ToolInfo } from "../tool-info.ts";
import { drawDisplay } from "./display.ts";
import { oneLine, visible } from "./sanitize.ts";
import { paint, type Style } from "./style.ts";

/** Tools as a table; what is not offered says why. */
export function drawToolList(infos: readonly ToolInfo[], style: Style): string {
  if (infos.length === 0) return "No tool.";
  const rows = infos.map(({ name, group, kind, can, tokens, description, offered, why }) => [
    name,
    group,
    kind,
    can.join(" "),
    String(tokens),
    offered ? (description.split("\n", 1)[0] ?? "") : `not offered: ${why ?? ""}`,
  ]);
  return drawDisplay({ kind: "table", columns: ["tool", "group", "kind", "can", "tokens", ""], rows }, style);
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
