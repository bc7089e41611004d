import { type Effect, fail, type RunEffect, type RunRequest } from "../../tool/index.ts";
import type { Flight, Seal } from "../flight.ts";
import { judge } from "../stages/decide.ts";

/** Takes down what the commands of a call would start, and where, before anything is decided about them. */
export function sealOf({ machine, effects }: Flight): Seal | Promise<Seal> {
  const generation = machine.policy().generation;
  const { identify } = machine.ports.processes;
  const proved = effects.filter(isProved);
  if (!identify || proved.length === 0) return { places: [], generation };
  const places = proved.map(async (effect) => ({ effect, identity: await identify(placeOf(effect)) }));
  return Promise.all(places).then((known) => ({ places: known, generation }));
}

/** Refuses to start a command when something that its decision rests on has changed since. */
export async function checkSeal(flight: Flight, request: RunRequest): Promise<void> {
  const { machine, seal, approval, hookSays } = flight;
  const { identify } = machine.ports.processes;
  if (!seal || !identify) return;
  for (const { effect, identity } of seal.places)
    if ((await identify(placeOf(effect))) !== identity)
      changed(`${effect.cwd}, or the program ${effect.argv[0]}, is no longer what it was`);
  if (seal.places.length > 0 && !seal.places.some(({ effect }) => effect.cwd === request.cwd))
    changed(`The command would start in ${request.cwd}, of which nothing was said`);
  if (machine.policy().generation === seal.generation) return;
  const now = judge(flight);
  if (now.decision === "deny") fail("denied_by_rule", `The command was refused: ${now.reason}`);
  if (now.decision === "ask" && !approval && hookSays?.decision !== "allow") changed("The rules have changed");
}

const changed = (what: string): never =>
  fail("conflict", `${what} since this call was decided on. Nothing was run.`, "Look at it, and call again.");

const isProved = (effect: Effect): effect is RunEffect => effect.do === "run" && effect.basis === "proved";

/** What an opaque program is does not matter: nothing was concluded from it. */
const placeOf = ({ cwd, argv, opaque }: RunEffect) => (opaque ? { cwd } : { cwd, program: argv[0] ?? "" });
