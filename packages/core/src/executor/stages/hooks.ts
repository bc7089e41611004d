import { within } from "../../hook/bounded.ts";
import { askBefore, matches } from "../../hook/fold.ts";
import type { AfterEvent, AfterOutcome, Hook, HookEvent } from "../../hook/index.ts";
import { parse } from "../../schema/index.ts";
import { type Clock, type Content, ownText, type Result } from "../../tool/index.ts";
import { stopBatch } from "../batch.ts";
import { presentOutput } from "../execution/present-output.ts";
import { type Flight, policyToolOf, refuse, type Stage, type Verdict } from "../flight.ts";

/** Hooks before the call. They may stop it, ask for a person, or replace its input; they never loosen a rule. */
export const beforeHooks: Stage = (flight: Flight) =>
  flight.machine.hooks?.length ? askHooks(flight, flight.machine.hooks) : undefined;

const HOOK = "a hook";

async function askHooks(flight: Flight, hooks: readonly Hook[]): Promise<Verdict> {
  // What was said about an earlier input does not hold for the one that took its place.
  flight.hookSays = undefined;
  const said = await askBefore(hooks, hookEvent(flight), flight.machine.ports.clock);
  for (const words of said.context) if (!flight.context.includes(words)) flight.context.push(words);
  if (said.stop) {
    endTurn(flight, said.stop.reason);
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
  // A hook that replaced the input sees its own work when the call comes round again; once is enough.
  if (said.input && !flight.rewriters.has(HOOK)) {
    flight.rewriters.add(HOOK);
    return { rewrite: said.input.value, by: HOOK };
  }
  if (!said.decision) return;
  const decision = said.decision === "allow" ? "allow" : "ask";
  flight.hookSays = { decision, by, reason: reasonOf(decision, by, said.reason) };
  return;
}

/** A question says who asks it: a person decides differently about a guard's doubt than about a rule. */
function reasonOf(decision: "allow" | "ask", by: string, reason: string | undefined): string {
  if (reason === undefined) return `The ${by} ${decision === "allow" ? "allows this call" : "wants a person to look"}.`;
  return decision === "allow" || reason.includes(by) ? reason : `${reason} (asked by ${by})`;
}

/** Hooks after the call. They see the result and may add to it or replace the output. A cancelled call has no such hooks. */
export const afterHooks: Stage = (flight: Flight) => {
  const { hooks } = flight.machine;
  return hooks?.length && flight.result?.error?.code !== "cancelled" ? tellHooks(flight, hooks) : undefined;
};

async function tellHooks(flight: Flight, hooks: readonly Hook[]): Promise<void> {
  const durationMs = flight.ranMs ?? 0;
  for (const hook of hooks) {
    const event = { ...hookEvent(flight), result: flight.result!, durationMs };
    if (!hook.after || !matches(hook, event)) continue;
    const said = await outcomeOf(hook, event, flight.machine.ports.clock);
    if (said?.context) flight.context.push(said.context);
    if (said?.stop !== undefined) endTurn(flight, said.stop);
    if (!said || !("output" in said)) continue;
    const replaced = await replaceOutput(flight, said.output);
    if (replaced) {
      flight.result = replaced;
      // What the tool would have shown is not what the model gets.
      flight.shown.length = 0;
    } else
      flight.context.push(`Hook "${hook.name}" gave an output that does not fit ${flight.call.tool}; it was ignored.`);
  }
}

/** The call is done: a hook that fails now, at once or later, cannot take that back and is only spoken of. */
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
 * The result with another output. A tool without a schema for its output at least gets the kind of value that it gave
 * itself; one that cannot show it has refused it.
 */
async function replaceOutput(flight: Flight, output: unknown): Promise<Result | undefined> {
  const schema = flight.entry!.tool.output;
  const fits = schema ? (await parse(schema, output)).ok : kindOf(output) === kindOf(flight.result?.output);
  if (!fits) return undefined;
  try {
    return presentOutput(flight, output);
  } catch {
    return undefined;
  }
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? "list" : value === null ? "null" : typeof value);

/** What hooks had to say to the model, behind the result. */
export const withContext = (content: readonly Content[], context: readonly string[]): readonly Content[] =>
  context.length === 0 ? content : [...content, ownText(context.join("\n"))];

/** The turn ends with the call that the model made, also when a call inside it is the one that a hook stopped. */
function endTurn(flight: Flight, reason: string): void {
  for (let at: Flight | undefined = flight; at; at = at.parent) {
    at.stop = reason;
    stopBatch(at.batch, reason);
  }
}

function hookEvent(flight: Flight): HookEvent {
  const { machine, call, observed, effects, signal } = flight;
  const { agent, session } = machine;
  const { tool } = flight.entry!;
  return {
    ...(tool.matches ? { matches: (specifier) => tool.matches!(flight.input, specifier) } : {}),
    callId: call.id,
    tool: call.tool,
    identity: policyToolOf(flight),
    input: observed,
    effects,
    agent,
    session,
    cwd: machine.cwd(),
    mode: machine.policy().mode,
    signal,
  };
}
