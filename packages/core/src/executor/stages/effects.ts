import { basisOf } from "../../registry/source.ts";
import { type Effect, overrideOf, traitsOf, unknown } from "../../tool/index.ts";
import { type AnalysedRun, effectContext, type FoundRun, type Pending, type Stage } from "../call-run.ts";
import { blindPorts } from "../execution/bound-ports.ts";
import { fingerprintOf } from "../execution/fingerprint.ts";
import { settleEffects } from "../settle-effects.ts";

/** The most that this call may do, at real locations. */
export const effects: Stage<FoundRun, AnalysedRun> = (callRun) => {
  const computed = computeEffects(callRun);
  return computed instanceof Promise ? computed.then(report) : report(computed);
};

function report(callRun: AnalysedRun): AnalysedRun {
  callRun.batch.settle(callRun, callRun.traits.isConcurrencySafe);
  return callRun;
}

/** Asks the tool for its effects and settles them: real paths, their basis, and nothing beyond its static bound. */
export function computeEffects(callRun: FoundRun): Pending<AnalysedRun> {
  const declared = declaredEffects(callRun);
  // A tool without effects, or whose effects follow from its input alone, waits for nobody.
  return declared instanceof Promise ? declared.then((list) => settle(callRun, list)) : settle(callRun, declared);
}

function settle(callRun: FoundRun, declared: readonly Effect[]): Pending<AnalysedRun> {
  const { machine, entry } = callRun;
  const settled = settleEffects(declared, {
    cwd: machine.cwd(),
    basis: basisOf(entry.source),
    locate: (path) => machine.ports.files.locate(path),
  });
  return settled instanceof Promise ? settled.then((list) => bind(callRun, list)) : bind(callRun, settled);
}

function bind(callRun: FoundRun, settled: readonly Effect[]): Pending<AnalysedRun> {
  const { tool } = callRun.entry;
  const beyond = settled.find((effect) => effect.do !== "unknown" && !tool.can?.includes(effect.do));
  const why =
    beyond &&
    !tool.can?.includes("unknown") &&
    `${tool.name} declares ${beyond.do}, which is not in its declared bound can (${tool.can?.join(", ")})`;
  callRun.effects = why ? [...settled, unknown(why)] : settled;
  const override = overrideOf(tool, callRun.input);
  callRun.alone = override?.isConcurrencySafe === false;
  const analysed = Object.assign(callRun, { traits: traitsOf(callRun.effects, override) });
  const fingerprint = fingerprintOf(analysed);
  if (fingerprint instanceof Promise)
    return fingerprint.then((known) => Object.assign(analysed, { fingerprint: known }));
  analysed.fingerprint = fingerprint;
  return analysed;
}

function declaredEffects(callRun: FoundRun): Pending<readonly Effect[]> {
  const { tool } = callRun.entry;
  const untold = (thrown: unknown) => [
    unknown(`${tool.name} could not compute its effects: ${thrown instanceof Error ? thrown.message : thrown}`),
  ];
  try {
    const declared = tool.effects(callRun.input, effectContext(callRun, blindPorts(callRun.machine)));
    return declared instanceof Promise ? declared.catch(untold) : declared;
  } catch (thrown) {
    return untold(thrown);
  }
}
