import { unknown } from "../../tool/index.ts";
import { type Flight, type Pending, refuse, type Stage } from "../flight.ts";
import { computeEffects } from "./effects.ts";

/** Every call counts as soon as it is made, whatever its result: an agent that only makes errors must end, too. */
export const afford: Stage = (flight: Flight) => {
  const missing = flight.machine.afford?.();
  return missing ? refuse(missing) : undefined;
};

/**
 * Takes the locks of all effects at once, in the order of the calls. If a conflicting call ran meanwhile, the effects
 * are computed anew: a Write may have made the file that this Edit needs.
 */
export const admit: Stage = (flight: Flight) => {
  const { batch, machine } = flight;
  return machine.concurrency === "strict"
    ? batch.complete().then((allSafe) => queue(flight, !allSafe))
    : queue(flight, false);
};

/** An effect that conflicts with every other. */
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
