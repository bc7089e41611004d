import { type Parsed, parse } from "../../schema/index.ts";
import { type Content, type Display, type Result, text, toJson } from "../../tool/index.ts";
import type { Flight, Pending } from "../flight.ts";

/** Turns a tool's output into a result: text for the model, a display for people, data for programs. */
export function presentOutput(flight: Flight, output: unknown): Result {
  const { tool } = flight.entry!;
  const content = tool.toModel?.(output, flight.call) ?? defaultContent(output);
  const display = displayOf(flight, output);
  const { title, metadata } = flight.live;
  return {
    content,
    output,
    ...(display ? { display } : {}),
    ...(title === undefined ? {} : { title }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** A tool that cannot draw its own output has still succeeded. */
function displayOf(flight: Flight, output: unknown): Display | undefined {
  try {
    return flight.entry!.tool.toDisplay?.(output, flight.input) ?? lastDrawn(flight);
  } catch {
    return lastDrawn(flight);
  }
}

/** The tool's last display of its work. A progress display does not show a result. */
const lastDrawn = ({ live: { display } }: Flight): Display | undefined =>
  display?.kind === "progress" ? undefined : display;

function defaultContent(output: unknown): readonly Content[] {
  if (output === undefined || output === null) return [text("Done.")];
  return [text(typeof output === "string" ? output : toJson(output))];
}

/** Why an output does not fit its tool's own schema; the call still succeeds. */
export function outputProblem(flight: Flight, output: unknown): Pending<string | undefined> {
  const schema = flight.entry!.tool.output;
  if (!schema) return undefined;
  const parsed = parse(schema, output);
  return parsed instanceof Promise ? parsed.then((late) => misfit(flight, late)) : misfit(flight, parsed);
}

function misfit(flight: Flight, parsed: Parsed<unknown>): string | undefined {
  if (parsed.ok) return undefined;
  const first = parsed.issues[0];
  return `output does not fit the schema of ${flight.call.tool}: ${first?.path.join(".") || "root"}: ${first?.message}`;
}
