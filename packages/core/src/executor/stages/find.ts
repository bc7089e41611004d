import { getOrFail, whenAvailable } from "../../registry/index.ts";
import { type Flight, refuse, type Stage } from "../flight.ts";

/** Which tool is meant, and whether it exists for this request. A tool that is not offered cannot be called either. */
export const find: Stage = (flight: Flight) => {
  const { machine, request } = flight;
  const entry = getOrFail(machine.registry, request.tool);
  const known = new Set(machine.registry.entries().map(({ tool }) => tool.name));
  const available = whenAvailable(machine.available, entry, { ...machine.offerContext(), tools: known });
  if (available !== true) {
    return refuse({
      code: "tool_unavailable",
      message: `${entry.tool.name} is not available: ${available.absent}.`,
      hint: "Use another tool, or tell the user what would be needed.",
    });
  }
  flight.entry = entry;
};
