import { within } from "../../hook/bounded.ts";
import { askBefore, matches } from "../../hook/fold.ts";
import type { AfterEvent, AfterOutcome, Hook, HookEvent } from "../../hook/index.ts";
import { parse } from "../../schema/index.ts";
import { type Clock, type Content, ownText, type Result } from "../../tool/index.ts";
import { stopBatch } from "../batch.ts";
import {
  type AnalysedRun,
  type CallRun,
  type DecidedRun,
  type EndedRun,
  policyToolOf,
  refuse,
  type Stage,
  type Verdict,
} from "../call-run.ts";
import { presentOutput } from "../execution/present-output.ts";

/** Runs the hooks before the call. They may stop it, ask for a person, or replace its input; they never loosen a rule. */
export const beforeHooks: Stage<AnalysedRun> = (callRun) =>
  callRun.machine.hooks?.length ? askHooks(callRun, callRun.machine.hooks) : undefined;

const HOOK = "a hook";

async function askHooks(callRun: AnalysedRun, hooks: readonly Hook[]): Promise<Verdict> {
  // A hook's answer to an earlier input does not hold for its replacement.
  callRun.hookSays = undefined;
  const said = await askBefore(hooks, hookEvent(callRun), callRun.machine.ports.clock);
  for (const words of said.context) if (!callRun.context.includes(words)) callRun.context.push(words);
  if (said.stop) {
    endTurn(callRun, said.stop.reason);
    return refuse({ code: "denied_by_hook", message: said.stop.reason, advice: "Wait for what the user says next." });
  }
  const by = `hook "${said.by}"`;
  if (said.decision === "deny") {
    return refuse({
      code: "denied_by_hook",
      message: said.reason ?? `The ${by} refused this call.`,
      advice: "Do not try the same call again.",
    });
  }
  // A hook that replaced the input sees its own replacement when the call restarts, so it may replace only once.
  if (said.input && !callRun.rewriters.has(HOOK)) {
    callRun.rewriters.add(HOOK);
    return { rewrite: said.input.value, by: HOOK };
  }
  if (!said.decision) return;
  const decision = said.decision === "allow" ? "allow" : "ask";
  callRun.hookSays = { decision, by, reason: reasonOf(decision, by, said.reason) };
  return;
}

/** Names the source of a question: a person decides differently about a hook's doubt than about a rule. */
function reasonOf(decision: "allow" | "ask", by: string, reason: string | undefined): string {
  if (reason === undefined) return `The ${by} ${decision === "allow" ? "allows this call" : "asks for confirmation"}.`;
  return decision === "allow" || reason.includes(by) ? reason : `${reason} (asked by ${by})`;
}

/** A call whose tool has run. */
type RanRun = DecidedRun & EndedRun;

/** Runs the hooks after the call. They see the result and may add to it or replace the output. A cancelled call has no such hooks. */
export const afterHooks: Stage<RanRun> = (callRun) => {
  const { hooks } = callRun.machine;
  if (!hooks?.some((hook) => hook.after) || callRun.result.error?.code === "cancelled") return undefined;
  return tellHooks(callRun, hooks);
};

async function tellHooks(callRun: RanRun, hooks: readonly Hook[]): Promise<void> {
  const durationMs = callRun.ranMs ?? 0;
  for (const hook of hooks) {
    if (!hook.after) continue;
    const event = { ...hookEvent(callRun), result: callRun.result, durationMs };
    if (!matches(hook, event)) continue;
    const said = await outcomeOf(hook, event, callRun.machine.ports.clock);
    if (said?.context) callRun.context.push(said.context);
    if (said?.stop !== undefined) endTurn(callRun, said.stop);
    if (!said || !("output" in said)) continue;
    const replaced = await replaceOutput(callRun, said.output);
    if (replaced) {
      callRun.result = replaced;
      // The model does not get what the tool would have shown.
      callRun.shown.length = 0;
    } else
      callRun.context.push(
        `Hook "${hook.name}" gave an output that does not fit ${callRun.call.tool}; it was ignored.`,
      );
  }
}

/** The call is done: a hook that fails now, at once or later, cannot undo it. Its failure is only reported. */
async function outcomeOf(hook: Hook, event: AfterEvent, clock: Clock): Promise<AfterOutcome | undefined> {
  try {
    return await within(hook, clock, event.signal, (signal) => hook.after?.({ ...event, signal }));
  } catch (thrown) {
    return {
      context: `Hook "${hook.name}" failed after the call: ${thrown instanceof Error ? thrown.message : thrown}`,
    };
  }
}

/**
 * The result with another output. For a tool without an output schema, the new output must at least be of the same kind
 * of value as the old one. A tool that cannot present it has refused it.
 */
async function replaceOutput(callRun: RanRun, output: unknown): Promise<Result | undefined> {
  const schema = callRun.entry.tool.output;
  const fits = schema ? (await parse(schema, output)).ok : kindOf(output) === kindOf(callRun.result.output);
  if (!fits) return undefined;
  try {
    return presentOutput(callRun, output);
  } catch {
    return undefined;
  }
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? "list" : value === null ? "null" : typeof value);

/** Adds the hooks' text for the model after the result. */
export const withContext = (content: readonly Content[], context: readonly string[]): readonly Content[] =>
  context.length === 0 ? content : [...content, ownText(context.join("\n"))];

/** The turn ends with the call that the model made, even if a hook stopped a call nested in it. */
function endTurn(callRun: CallRun, reason: string): void {
  for (let at: CallRun | undefined = callRun; at; at = at.parent) {
    at.stop = reason;
    stopBatch(at.batch, reason);
  }
}

function hookEvent(callRun: AnalysedRun): HookEvent {
  const { machine, call, observed, effects, signal } = callRun;
  const { agent, session } = machine;
  const { tool } = callRun.entry;
  return {
    ...(tool.matches ? { matches: (specifier) => tool.matches!(callRun.input, specifier) } : {}),
    callId: call.id,
    tool: call.tool,
    identity: policyToolOf(callRun),
    input: observed,
    effects,
    agent,
    session,
    cwd: machine.cwd(),
    mode: machine.policy().mode,
    signal,
  };
}
