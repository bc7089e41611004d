import { explainIssues } from "../../schema/explain.ts";
import { type Issue, type Parsed, parse as parseInput } from "../../schema/index.ts";
import { type Flight, refuse, type Stage, type Verdict } from "../flight.ts";

/** Parses the input with the tool's schema: every later stage uses the parsed value. */
export const parse: Stage = (flight: Flight) => {
  const { request } = flight;
  const tool = flight.entry!.tool;
  if (request.json !== undefined && flight.rewrites === 0) {
    const text = request.json.trim();
    try {
      // Several wire protocols send no text at all for a call without arguments.
      flight.raw = text === "" ? {} : JSON.parse(text);
    } catch (thrown) {
      return refuse({
        code: "invalid_json",
        message: `The arguments of ${tool.name} are not valid JSON: ${(thrown as Error).message}.`,
        hint: "Send the arguments again as one complete JSON object.",
      });
    }
  }
  const pending = parseInput(tool.input, flight.raw ?? {});
  return pending instanceof Promise ? pending.then((parsed) => take(flight, parsed)) : take(flight, pending);
};

function take(flight: Flight, parsed: Parsed<unknown>): Verdict {
  if (!parsed.ok) return refuse(invalidInput(flight, parsed.issues));
  flight.input = parsed.value;
  return undefined;
}

function invalidInput(flight: Flight, issues: readonly Issue[]) {
  const tool = flight.entry!.tool;
  const message =
    tool.explainInvalid?.(issues) ??
    explainIssues(issues, flight.raw, tool.input.checked ?? tool.input.json, tool.name);
  return {
    code: "invalid_input" as const,
    message,
    hint: "Correct these fields and call it again.",
    details: { issues: issues.map(({ path, message: text }) => ({ path: path.join("."), message: text })) },
  };
}
