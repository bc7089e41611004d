import { unknown } from "../../tool/index.ts";
import { type AnalysedRun, type Pending, refuse, type Stage } from "../call-run.ts";
import { computeEffects } from "./effects.ts";

/**
 * Every call counts as soon as it is made, whatever its result: an agent that only makes errors must end, too. And no
 * call starts while the record cannot be written.
 */
export const afford: Stage = ({ machine }) => {
  const missing = machine.afford?.() ?? machine.recorder?.ready?.();
  if (missing instanceof Promise) return missing.then((error) => (error ? refuse(error) : undefined));
  return missing ? refuse(missing) : undefined;
};

/**
 * Takes the locks of all effects at once, in the order of the calls. If a conflicting call ran meanwhile, the effects
 * are computed again: a Write may have created the file that this Edit needs.
 */
export const admit: Stage<AnalysedRun> = (callRun) => {
  const { batch, machine } = callRun;
  return machine.concurrency === "strict"
    ? batch.complete().then((allSafe) => queue(callRun, !allSafe))
    : queue(callRun, false);
};

/** An effect that conflicts with every other. */
const ALONE = unknown("its tool runs alone");

function queue(callRun: AnalysedRun, serial: boolean): Pending<void> {
  const { locks } = callRun.services;
  const { ticket, batch, effects, machine } = callRun;
  ticket.state = "waiting";
  const claimed = callRun.alone ? [...effects, ALONE] : effects;
  const { apart } = machine;
  locks.claim(ticket, { effects: claimed, safe: callRun.traits.isConcurrencySafe, batch, serial, apart });
  const stale = locks.admit(ticket, callRun.signal);
  return stale === false ? undefined : stale.then((isStale) => (isStale ? queueAnew(callRun, serial) : undefined));
}

async function queueAnew(callRun: AnalysedRun, serial: boolean): Promise<void> {
  await computeEffects(callRun);
  await queue(callRun, serial);
}
