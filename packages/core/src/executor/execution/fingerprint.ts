import { type Effect, fail, HaftError, type RunEffect, type RunRequest } from "../../tool/index.ts";
import type { AnalysedRun, CallRun, Fingerprint } from "../call-run.ts";
import { undeclared } from "./bound/undeclared.ts";
import { checkContents } from "./contents.ts";
import { judge, refusedBy } from "./judge.ts";

/** Records what the commands of a call would start, and where, before any decision about them. */
export function fingerprintOf({ machine, effects }: CallRun): Fingerprint | Promise<Fingerprint> {
  const generation = machine.policy().generation;
  const { identify } = machine.ports.processes;
  const proved = effects.filter(isProved);
  if (!identify || proved.length === 0) return { places: [], generation };
  const places = proved.map(async (effect) => ({ effect, identity: await identify(placeOf(effect)) }));
  return Promise.all(places).then((known) => ({ places: known, generation }));
}

/** The parts that a command is started with. */
type Script = Pick<RunRequest, "command" | "cwd" | "env">;

/** Refuses to start a command if it, or something that its decision relies on, has changed since the decision. */
export async function checkFingerprint(callRun: AnalysedRun, script: Script): Promise<void> {
  const { machine, fingerprint, approval, hookSays } = callRun;
  const { identify } = machine.ports.processes;
  checkScript(callRun, script);
  if (!fingerprint) return;
  if (identify) {
    for (const { effect, identity } of fingerprint.places)
      if ((await identify(placeOf(effect))) !== identity)
        changed(`${effect.cwd}, or the program ${effect.argv[0]}, has changed`);
    if (fingerprint.places.length > 0 && !fingerprint.places.some(({ effect }) => effect.cwd === script.cwd))
      changed(`The command would start in ${script.cwd}, which it had not declared`);
  }
  await checkContents(callRun, fingerprint.contents, approval ? "asked" : "decided");
  if (machine.policy().generation === fingerprint.generation) return;
  const now = judge(callRun);
  if (now.decision === "deny") throw new HaftError(refusedBy(now, "The command"));
  if (now.decision === "ask" && !approval && hookSays?.decision !== "allow") changed("The rules have changed");
}

/** A tool that has declared a script may start no other script and use no other variables: nobody has decided on those. */
function checkScript({ machine, effects, call }: CallRun, script: Script): void {
  const named = effects.flatMap((effect) => ("script" in effect && effect.script ? [effect.script] : []));
  const { digest } = machine.ports.processes;
  if (!digest || named.length === 0 || named.includes(digest(script))) return;
  undeclared(call.tool, `run a script or variables that it had not declared: ${script.command}`);
}

const changed = (what: string): never =>
  fail("conflict", `${what} since the decision about this call. Nothing was run.`, "Check it, then call again.");

const isRun = (effect: Effect): effect is RunEffect => effect.do === "run";
const isProved = (effect: Effect): effect is RunEffect => isRun(effect) && effect.basis === "proved";

/** The identity of an opaque program does not matter: no conclusion was drawn from it. */
const placeOf = ({ cwd, argv, opaque }: RunEffect) => (opaque ? { cwd } : { cwd, program: argv[0] ?? "" });
