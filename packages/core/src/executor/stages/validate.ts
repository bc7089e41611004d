import { blindPorts } from "../execution/bound-ports.ts";
import { effectContext, type Flight, refuse, type Stage, type Verdict } from "../flight.ts";

/** Runs the tool's own checks, before anyone is asked. They may see where things are, but not read them. */
export const validate: Stage = (flight: Flight) => (flight.entry!.tool.validate ? check(flight) : undefined);

async function check(flight: Flight): Promise<Verdict> {
  const { tool } = flight.entry!;
  const problem = await tool.validate?.(flight.input, effectContext(flight, blindPorts(flight.machine)));
  if (!problem) return;
  return refuse({
    code: problem.code ?? "validation_failed",
    message: problem.message,
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
  });
}
