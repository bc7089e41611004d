import { basisOf } from "../../registry/index.ts";
import { type Effect, traitsOf, unknown } from "../../tool/index.ts";
import { blindPorts } from "../execution/bound-ports.ts";
import { sealOf } from "../execution/seal.ts";
import { effectContext, type Flight, type Stage } from "../flight.ts";
import { settleEffects } from "../settle-effects.ts";

/** What this call may at most do, at real locations. */
export const effects: Stage = async (flight: Flight) => {
  await computeEffects(flight);
  flight.batch.settle(flight, flight.traits!.isConcurrencySafe);
};

/** Asks the tool, and settles what it says: real paths, the ground it rests on, and nothing beyond its static bound. */
export async function computeEffects(flight: Flight): Promise<void> {
  const { machine } = flight;
  const { tool, source } = flight.entry!;
  const declared = await declaredEffects(flight);
  const settled = settleEffects(declared, {
    cwd: machine.cwd(),
    basis: basisOf(source),
    locate: (path) => machine.ports.files.locate(path),
  });
  flight.effects = settled instanceof Promise ? await settled : settled;
  const beyond = flight.effects.find((effect) => effect.do !== "unknown" && !tool.can?.includes(effect.do));
  if (beyond && !tool.can?.includes("unknown")) {
    const why = `${tool.name} declares ${beyond.do}, which is not among what it says it can do (${tool.can?.join(", ")})`;
    flight.effects = [...flight.effects, unknown(why)];
  }
  const seal = sealOf(flight);
  flight.seal = seal instanceof Promise ? await seal : seal;
  flight.traits = traitsOf(flight.effects, tool.override);
}

async function declaredEffects(flight: Flight): Promise<readonly Effect[]> {
  const { tool } = flight.entry!;
  try {
    const declared = tool.effects(flight.input, effectContext(flight, blindPorts(flight.machine)));
    return declared instanceof Promise ? await declared : declared;
  } catch (thrown) {
    return [unknown(`${tool.name} could not tell its effects: ${thrown instanceof Error ? thrown.message : thrown}`)];
  }
}
