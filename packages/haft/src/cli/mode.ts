import { type Mode, modeNamed, modes } from "@haft/core/policy";
import { nearest } from "@haft/core/schema";
import { UsageError } from "./exit-code.ts";

/** A mode by any of its names. Its requirements on this machine are checked when Haft is created. */
export function modeOf(name: string | undefined): Mode | undefined {
  if (name === undefined) return undefined;
  const mode = modeNamed(name);
  if (mode) return mode;
  const close = nearest(name, modes);
  throw new UsageError(
    `There is no mode "${name}".`,
    `${close ? `Did you mean ${close}? ` : ""}Modes: ${modes.join(", ")}.`,
  );
}
