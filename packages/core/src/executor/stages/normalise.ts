import { blindPorts } from "../execution/bound-ports.ts";
import { effectContext, type Flight, type Stage } from "../flight.ts";

/** Adds the fields that hooks, faces and the log see. The model's own input stays as it wrote it. */
export const normalise: Stage = (flight: Flight) => {
  const { tool } = flight.entry!;
  const plain = (typeof flight.input === "object" && flight.input !== null ? flight.input : {}) as object;
  const derived = tool.observe?.(flight.input, effectContext(flight, blindPorts(flight.machine)));
  flight.observed = derived ? { ...plain, ...derived } : (plain as Record<string, unknown>);
};
