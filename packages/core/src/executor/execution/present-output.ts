import { type Parsed, parse } from "../../schema/index.ts";
import { type Content, type Display, type Result, text, toJson } from "../../tool/index.ts";
import type { CallRun, FoundRun, Pending } from "../call-run.ts";

/** Turns a tool's output into a result: text for the model, a display for people, data for programs. */
export function presentOutput(callRun: FoundRun, output: unknown): Result {
  const { tool } = callRun.entry;
  const content = tool.toModel?.(output, callRun.call) ?? defaultContent(output);
  const display = displayOf(callRun, output);
  const { title, metadata } = callRun.live;
  return {
    content,
    output,
    ...(display ? { display } : {}),
    ...(title === undefined ? {} : { title }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** A tool that cannot draw its own output has still succeeded. */
function displayOf(callRun: FoundRun, output: unknown): Display | undefined {
  try {
    return callRun.entry.tool.toDisplay?.(output, callRun.input) ?? lastDrawn(callRun);
  } catch {
    return lastDrawn(callRun);
  }
}

/** The tool's last display of its work. A progress display does not show a result. */
const lastDrawn = ({ live: { display } }: CallRun): Display | undefined =>
  display?.kind === "progress" ? undefined : display;

function defaultContent(output: unknown): readonly Content[] {
  if (output === undefined || output === null) return [text("Done.")];
  return [text(typeof output === "string" ? output : toJson(output))];
}

/** Why an output does not fit its tool's own schema; the call still succeeds. */
export function outputProblem(callRun: FoundRun, output: unknown): Pending<string | undefined> {
  const schema = callRun.entry.tool.output;
  if (!schema) return undefined;
  const parsed = parse(schema, output);
  return parsed instanceof Promise ? parsed.then((late) => misfit(callRun, late)) : misfit(callRun, parsed);
}

function misfit(callRun: CallRun, parsed: Parsed<unknown>): string | undefined {
  if (parsed.ok) return undefined;
  const first = parsed.issues[0];
  return `output does not fit the schema of ${callRun.call.tool}: ${first?.path.join(".") || "root"}: ${first?.message}`;
}
