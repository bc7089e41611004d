import { blindPorts } from "../execution/bound-ports.ts";
import { effectContext, type Flight, type Stage } from "../flight.ts";

/** Adds derived fields for hooks, interfaces and the log. The model's own input stays unchanged. */
export const normalise: Stage = (flight: Flight) => {
  const { tool } = flight.entry!;
  const plain = (typeof flight.input === "object" && flight.input !== null ? flight.input : {}) as object;
  const derived = tool.observe?.(flight.input, effectContext(flight, blindPorts(flight.machine)));
  flight.observed = derived ? { ...plain, ...derived } : (plain as Record<string, unknown>);
};
