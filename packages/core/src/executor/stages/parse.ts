import { type Issue, type Parsed, parse as parseInput } from "../../schema/index.ts";
import { type FoundRun, type Pending, refuse, type Stage, type Verdict } from "../call-run.ts";

/** Parses the input with the tool's schema: every later stage uses the parsed value. */
export const parse: Stage<FoundRun> = (callRun) => {
  const { request } = callRun;
  const tool = callRun.entry.tool;
  if (request.json !== undefined && callRun.rewrites === 0) {
    const text = request.json.trim();
    try {
      // Several wire protocols send no text at all for a call without arguments.
      callRun.raw = text === "" ? {} : JSON.parse(text);
    } catch (thrown) {
      return refuse({
        code: "invalid_json",
        message: `The arguments of ${tool.name} are not valid JSON: ${(thrown as Error).message}.`,
        hint: "Send the arguments again as one complete JSON object.",
      });
    }
  }
  const pending = parseInput(tool.input, callRun.raw ?? {});
  return pending instanceof Promise ? pending.then((parsed) => take(callRun, parsed)) : take(callRun, pending);
};

function take(callRun: FoundRun, parsed: Parsed<unknown>): Pending<Verdict> {
  if (!parsed.ok) return invalidInput(callRun, parsed.issues).then(refuse);
  callRun.input = parsed.value;
  return undefined;
}

async function invalidInput(callRun: FoundRun, issues: readonly Issue[]) {
  const tool = callRun.entry.tool;
  const message =
    tool.explainInvalid?.(issues) ??
    (await import("../../schema/explain.ts")).explainIssues(
      issues,
      callRun.raw,
      tool.input.checked ?? tool.input.json,
      tool.name,
    );
  return {
    code: "invalid_input" as const,
    message,
    hint: "Correct these fields and call it again.",
    details: { issues: issues.map(({ path, message: text }) => ({ path: path.join("."), message: text })) },
  };
}
