import { askBefore, type HookEvent, matches } from "../../hook/index.ts";
import { parse } from "../../schema/index.ts";
import { type Content, text } from "../../tool/index.ts";
import { presentOutput } from "../execution/present-output.ts";
import { type Flight, refuse, type Stage } from "../flight.ts";

/** Hooks before the call. They may stop it, ask for a person, or replace its input; they never loosen a rule. */
export const beforeHooks: Stage = async (flight: Flight) => {
  const hooks = flight.machine.hooks;
  if (!hooks?.length) return;
  const said = await askBefore(hooks, hookEvent(flight));
  flight.context.push(...said.context);
  const by = `hook "${said.by}"`;
  if (said.decision === "deny") {
    return refuse({
      code: "denied_by_hook",
      message: said.reason ?? `The ${by} refused this call.`,
      hint: "Do not try the same call again.",
    });
  }
  // A hook that replaced the input sees its own work when the call comes round again; once is enough.
  if (said.input && flight.rewrittenBy !== "a hook") return { rewrite: said.input.value, by: "a hook" };
  if (!said.decision) return;
  const decision = said.decision === "allow" ? "allow" : "ask";
  flight.hookSays = { decision, by, reason: said.reason ?? `The ${by} wants a person to look.` };
};

/** Hooks after the call. They see the result and may add to it or replace the output. */
export const afterHooks: Stage = async (flight: Flight) => {
  const { machine, entry } = flight;
  for (const hook of machine.hooks ?? []) {
    const event = { ...hookEvent(flight), result: flight.result! };
    if (!hook.after || !matches(hook, event)) continue;
    const said = await Promise.resolve(hook.after(event)).catch((thrown: unknown) => ({
      context: `Hook "${hook.name}" failed after the call: ${thrown instanceof Error ? thrown.message : thrown}`,
    }));
    if (said?.context) flight.context.push(said.context);
    if (!said || !("output" in said)) continue;
    const fits = entry!.tool.output ? await parse(entry!.tool.output, said.output) : { ok: true };
    if (fits.ok) flight.result = presentOutput(flight, said.output);
    else
      flight.context.push(`Hook "${hook.name}" gave an output that does not fit ${entry!.tool.name}; it was ignored.`);
  }
};

/** What hooks had to say to the model, behind the result. */
export const withContext = (content: readonly Content[], context: readonly string[]): readonly Content[] =>
  context.length === 0 ? content : [...content, text(context.join("\n"))];

function hookEvent(flight: Flight): HookEvent {
  const { machine, call, observed, effects, signal } = flight;
  const { agent, session } = machine;
  return { callId: call.id, tool: call.tool, input: observed, effects, agent, session, cwd: machine.cwd(), signal };
}
