import type { Effect } from "@haft/core/tool";
import type { LogEntry } from "@haft/service";
import { effectLine } from "./effect-line.ts";
import { oneLine } from "./sanitize.ts";
import { type Ink, paint, type Style } from "./style.ts";

const inks: Readonly<Record<string, Ink>> = { ok: "green", error: "red", denied: "yellow", cancelled: "dim" };

/** An entry of a session's record, for people. */
export function drawEntry(entry: LogEntry, style: Style): string {
  const time = paint(style, "dim", entry.at.slice(11, 19));
  switch (entry.t) {
    case "session":
      return `${time} session ${word(entry.id)} in ${word(entry.cwd)}, mode ${word(entry.mode)}`;
    case "call":
      return drawCall(entry, time, style);
    case "approval": {
      const { tool, title } = fields(entry.request);
      return `${time} asked: ${word(tool)}: ${word(title)}`;
    }
    case "answer": {
      const { status, by, answer } = fields(entry.outcome);
      return `${time} answered: ${word(fields(answer).behavior ?? status)}${by === undefined ? "" : ` by ${word(by)}`}`;
    }
    case "notice":
      return `${time} told: ${[entry.source, entry.message].map(word).join(": ")}`;
    default:
      return `${time} ${word(entry.t)}`;
  }
}

function drawCall(entry: LogEntry, time: string, style: Style): string {
  const { id, tool, status, decision, reason, result, durationMs } = entry;
  const { code } = fields(fields(result).error);
  const end = paint(style, inks[String(status)] ?? "dim", word(status));
  const effects = Array.isArray(entry.effects) ? (entry.effects as Effect[]) : [];
  return [
    `${time} ${word(id)} ${paint(style, "bold", word(tool))} ${end}${code === undefined ? "" : ` (${word(code)})`} ${word(durationMs)} ms`,
    ...(decision === undefined ? [] : [`         ${word(decision)}: ${word(reason)}`]),
    ...effects.map((effect) => `         - ${effectLine(effect)}`),
  ].join("\n");
}

/** A record may come from another version or a damaged disk: missing fields are empty and never cause a crash. */
const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const word = (value: unknown): string => (value === undefined ? "" : oneLine(String(value)));
