import type { Flight, Stage } from "../flight.ts";
import { computeEffects } from "./effects.ts";

/**
 * Takes the locks of all effects at once, in the order of the calls. When a call that conflicts ran meanwhile, the
 * effects are computed anew: a Write may have made the file that this Edit needs.
 */
export const admit: Stage = async (flight: Flight) => {
  const { batch, machine, services, ticket } = flight;
  const strict = machine.concurrency === "strict";
  const serial = strict && !(await batch.complete);
  for (;;) {
    const { isConcurrencySafe: safe } = flight.traits!;
    ticket.state = "waiting";
    services.locks.claim(ticket, { effects: flight.effects, safe, batch, serial });
    const stale = services.locks.admit(ticket, flight.signal);
    if (!(stale instanceof Promise ? await stale : stale)) return;
    await computeEffects(flight);
  }
};
