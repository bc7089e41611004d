import { unknown } from "../../tool/index.ts";
import { type Flight, type Pending, refuse, type Stage } from "../flight.ts";
import { computeEffects } from "./effects.ts";

/** A call counts as soon as it is made, whatever comes of it: an agent that only errs must end, too. */
export const afford: Stage = (flight: Flight) => {
  const missing = flight.machine.afford?.();
  return missing ? refuse(missing) : undefined;
};

/**
 * Takes the locks of all effects at once, in the order of the calls. When a call that conflicts ran meanwhile, the
 * effects are computed anew: a Write may have made the file that this Edit needs.
 */
export const admit: Stage = (flight: Flight) => {
  const { batch, machine } = flight;
  return machine.concurrency === "strict"
    ? batch.complete().then((allSafe) => queue(flight, !allSafe))
    : queue(flight, false);
};

/** An effect in whose way everything is. */
const ALONE = unknown("its tool wants to run alone");

function queue(flight: Flight, serial: boolean): Pending<void> {
  const { locks } = flight.services;
  const { ticket, batch, effects } = flight;
  ticket.state = "waiting";
  const claimed = flight.alone ? [...effects, ALONE] : effects;
  locks.claim(ticket, { effects: claimed, safe: flight.traits!.isConcurrencySafe, batch, serial });
  const stale = locks.admit(ticket, flight.signal);
  return stale === false ? undefined : stale.then((isStale) => (isStale ? queueAnew(flight, serial) : undefined));
}

async function queueAnew(flight: Flight, serial: boolean): Promise<void> {
  await computeEffects(flight);
  await queue(flight, serial);
}
