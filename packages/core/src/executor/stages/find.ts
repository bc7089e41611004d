import type { Entry } from "../../registry/index.ts";
import { whenAvailable } from "../../registry/offer.ts";
import { getOrFail } from "../../registry/registry.ts";
import { type CallRun, type FoundRun, refuse, type Stage } from "../call-run.ts";
import type { Machine } from "../machine.ts";

/** Finds the tool, and whether it exists for this request. A tool that is not offered cannot be called either. */
export const find: Stage<CallRun, FoundRun> = (callRun: CallRun) => {
  const { machine, request } = callRun;
  const why = machine.registry.get(request.tool) ? undefined : machine.whyMissing?.(request.tool);
  if (why) return refuse(why);
  const context = { ...machine.offerContext(), tools: machine.registry.names() };
  const availability = (one: Entry) => whenAvailable(machine.available, one, context);
  const isNamed = (one: Entry) => availability(one) === true && !isIdleLoader(one, machine);
  const entry = getOrFail(machine.registry, request.tool, isNamed);
  const available = availability(entry);
  if (available !== true) {
    return refuse({
      code: available.code ?? "tool_unavailable",
      message: `${entry.tool.name} is not available: ${available.absent.replace(/\.$/, "")}.`,
      advice: "Use another tool, or tell the user what is missing.",
    });
  }
  const name = entry.tool.name;
  // A program has not read any list. A model has, and would guess the parameters.
  if (!callRun.parent && !request.isProgram && machine.deferral?.isDeferred(name, machine.agent.id)) {
    return refuse({
      code: "tool_unavailable",
      message: `${name} is not loaded: you only know its name.`,
      hint: `Call ${machine.deferral.loader} with {"query": "select:${name}"} first, then ${name} with the parameters shown.`,
    });
  }
  return Object.assign(callRun, { entry });
};

/** The tool that loads others is not offered when there is nothing to load, so it is not named then either. */
function isIdleLoader({ tool }: Entry, { deferral, registry, agent }: Machine): boolean {
  if (tool.name !== deferral?.loader) return false;
  const isAwaited = (deferral.arrivals?.connecting() ?? []).length > 0 || deferral.loaded(agent.id).length > 0;
  return !isAwaited && !registry.entries().some((one) => deferral.isDeferred(one.tool.name, agent.id));
}
