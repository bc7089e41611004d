import { basisOf } from "../../registry/source.ts";
import { type Effect, overrideOf, traitsOf, unknown } from "../../tool/index.ts";
import { blindPorts } from "../execution/bound-ports.ts";
import { sealOf } from "../execution/seal.ts";
import { effectContext, type Flight, type Pending, type Stage } from "../flight.ts";
import { settleEffects } from "../settle-effects.ts";

/** The most that this call may do, at real locations. */
export const effects: Stage = (flight: Flight) => {
  const told = () => flight.batch.settle(flight, flight.traits!.isConcurrencySafe);
  const computed = computeEffects(flight);
  return computed instanceof Promise ? computed.then(told) : told();
};

/** Asks the tool for its effects and settles them: real paths, their basis, and nothing beyond its static bound. */
export function computeEffects(flight: Flight): Pending<void> {
  const declared = declaredEffects(flight);
  // A tool without effects, or whose effects follow from its input alone, waits for nobody.
  return declared instanceof Promise ? declared.then((list) => settle(flight, list)) : settle(flight, declared);
}

function settle(flight: Flight, declared: readonly Effect[]): Pending<void> {
  const { machine, entry } = flight;
  const settled = settleEffects(declared, {
    cwd: machine.cwd(),
    basis: basisOf(entry!.source),
    locate: (path) => machine.ports.files.locate(path),
  });
  return settled instanceof Promise ? settled.then((list) => bind(flight, list)) : bind(flight, settled);
}

function bind(flight: Flight, settled: readonly Effect[]): Pending<void> {
  const { tool } = flight.entry!;
  const beyond = settled.find((effect) => effect.do !== "unknown" && !tool.can?.includes(effect.do));
  const why =
    beyond &&
    !tool.can?.includes("unknown") &&
    `${tool.name} declares ${beyond.do}, which is not among what it says it can do (${tool.can?.join(", ")})`;
  flight.effects = why ? [...settled, unknown(why)] : settled;
  const override = overrideOf(tool, flight.input);
  flight.traits = traitsOf(flight.effects, override);
  flight.alone = override?.isConcurrencySafe === false;
  const seal = sealOf(flight);
  if (!(seal instanceof Promise)) flight.seal = seal;
  else
    return seal.then((known) => {
      flight.seal = known;
    });
}

function declaredEffects(flight: Flight): Pending<readonly Effect[]> {
  const { tool } = flight.entry!;
  const untold = (thrown: unknown) => [
    unknown(`${tool.name} could not tell its effects: ${thrown instanceof Error ? thrown.message : thrown}`),
  ];
  try {
    const declared = tool.effects(flight.input, effectContext(flight, blindPorts(flight.machine)));
    return declared instanceof Promise ? declared.catch(untold) : declared;
  } catch (thrown) {
    return untold(thrown);
  }
}
