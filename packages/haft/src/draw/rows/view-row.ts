import { counted } from "@haft/core/tool";
import type { GroupRow, ShownRow } from "../../view/index.ts";
import { indent } from "../display.ts";
import { drawMarkdown } from "../rich/markdown.ts";
import { oneLine, visible } from "../sanitize.ts";
import { type Ink, paint, type Style, wrapped } from "../style.ts";
import { drawCall, fitted, type RowMoment } from "./call-row.ts";
import { inWords } from "./spoken-text.ts";

/** Lines shown of a thought. */
const THOUGHT_LINES = 4;

/** A prompt up to this size is shown whole; half of that is shown of a longer one, which somebody has pasted. */
const PROMPT_LINES = 40;
const PROMPT_CHARS = 4_000;

const NOTICES: Readonly<Record<string, Ink>> = { notice: "dim", warning: "yellow", error: "red" };

/**
 * A row of a session as lines. Only Haft's own marks stand at the left edge: text of others is indented. A row that cannot
 * be drawn, as from a record that somebody has edited, hides none of the others.
 */
export function drawRow(row: ShownRow, style: Style, moment: RowMoment): string {
  try {
    return drawn(row, style, moment);
  } catch (thrown) {
    const why = oneLine(thrown instanceof Error ? thrown.message : String(thrown));
    return inWords(`${paint(style, "yellow", "!")} This row cannot be shown: ${why}`, style.width);
  }
}

function drawn(row: ShownRow, style: Style, moment: RowMoment): string {
  switch (row.kind) {
    case "prompt":
      return drawPrompt(row.text, row.by, style, moment);
    case "text":
      return drawText(row.text, style);
    case "reasoning":
      return drawThought(row.text, style, moment);
    case "call":
      return fitted(drawCall(row, style, moment), style);
    case "group":
      return fitted(drawGroup(row, style, moment), style);
    case "notice": {
      const mark = paint(style, NOTICES[row.severity] ?? "dim", "!");
      const words = [row.source ? `${oneLine(row.source)}: ` : "", visible(row.text)].join("");
      const cure = row.cure === undefined ? "" : `\n${visible(row.cure)}`;
      return `${mark} ${indent(inWords(`${words}${cure}`, style.width - 2)).trimStart()}`;
    }
    case "compacted":
      return paint(style, "dim", "── A summary replaced the conversation so far. Ctrl-O shows it. ──");
  }
}

/** Words of the model. */
export const drawText = (text: string, style: Style): string =>
  indent(drawMarkdown(text, { ...style, width: style.width - 2 }));

function drawPrompt(text: string, by: string | undefined, style: Style, { isWhole }: RowMoment): string {
  const who = by === undefined ? "" : paint(style, "dim", `${oneLine(by)}: `);
  const written = text.split("\n");
  const isLong = !isWhole && (written.length > PROMPT_LINES || text.length > PROMPT_CHARS);
  const start = isLong
    ? written
        .slice(0, PROMPT_LINES / 2)
        .join("\n")
        .slice(0, PROMPT_CHARS / 2)
    : text;
  const lines = inWords(visible(start), style.width - 2).split("\n");
  const mark = paint(style, "accent", "❯");
  const rest = `  … ${counted(written.length, "line")} in all. Ctrl-O shows them.`;
  return [
    ...lines.map((line, at) => `${at === 0 ? `${mark} ${who}` : "  "}${paint(style, "bold", line)}`),
    ...(isLong ? [paint(style, "dim", rest)] : []),
  ].join("\n");
}

function drawThought(text: string, style: Style, { isWhole }: RowMoment): string {
  const lines = inWords(visible(text.trim()), style.width - 2).split("\n");
  const shown = isWhole || lines.length <= THOUGHT_LINES ? lines : [...lines.slice(0, THOUGHT_LINES), "…"];
  return shown.map((line) => paint(style, "dim", `  ${line}`)).join("\n");
}

/** Searches and reads as one line with their counts; what goes on at the moment is named. */
function drawGroup({ calls, reads, searches }: GroupRow, style: Style, moment: RowMoment): string {
  if (moment.isWhole) return calls.map((call) => drawCall(call, style, moment)).join("\n");
  const counts = [
    ...(reads > 0 ? [counted(reads, "read")] : []),
    ...(searches > 0 ? [searches === 1 ? "1 search" : `${searches} searches`] : []),
  ].join(", ");
  const running = calls.filter(({ status }) => status === "running");
  const mark = running.length > 0 ? paint(style, "accent", moment.spinner) : paint(style, "green", "●");
  const now = running.at(-1);
  const names = now ? (now.activity ?? now.title) : subjectsOf(calls);
  return `${mark} ${counts} ${paint(style, "dim", oneLine(names))}`.trimEnd();
}

/** Most characters of the names behind the counts. */
const NAMES_CHARS = 60;

function subjectsOf(calls: GroupRow["calls"]): string {
  const names = [...new Set(calls.map(({ label, title }) => label ?? title))];
  const text = names.join(", ");
  return text.length <= NAMES_CHARS ? text : `${text.slice(0, NAMES_CHARS - 1)}…`;
}

/** Rows that fit, of any text. */
export const drawnLines = (drawn: string, style: Style): readonly string[] => wrapped(drawn, style.width).split("\n");
