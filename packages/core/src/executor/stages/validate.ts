import { blindPorts } from "../execution/bound-ports.ts";
import { effectContext, type Flight, refuse, type Stage } from "../flight.ts";

/** The tool's own checks, before anyone is asked. They may look where things are, not into them. */
export const validate: Stage = async (flight: Flight) => {
  const { tool } = flight.entry!;
  if (!tool.validate) return;
  const problem = await tool.validate(flight.input, effectContext(flight, blindPorts(flight.machine)));
  if (!problem) return;
  return refuse({
    code: problem.code ?? "validation_failed",
    message: problem.message,
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
  });
};
