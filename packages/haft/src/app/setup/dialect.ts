import type { Dialect } from "@haft/core/dialect";
import type { Machine } from "@haft/core/executor";
import { compileGlob, type Settings } from "@haft/core/policy";
import type { Offer, Offers } from "@haft/core/registry";

/**
 * The dialect for the present model: one for all models, or one by a pattern of the model's name. The first pattern that
 * matches wins. `undefined`: Haft's own names.
 *
 * @throws HaftError `validation_failed` for an unknown dialect, even one that no model needs now.
 */
export async function dialectFor(
  chosen: Settings["dialect"],
  model: () => string | undefined,
): Promise<() => Dialect | undefined> {
  if (chosen === undefined) return () => undefined;
  const { dialectNamed } = await import("@haft/core/dialect");
  const spokenBy = (name: string): Dialect | undefined => (name === "claude" ? undefined : dialectNamed(name));
  if (typeof chosen === "string") {
    const dialect = spokenBy(chosen);
    return () => dialect;
  }
  const families = Object.entries(chosen).map(([pattern, name]) => ({
    glob: compileGlob(pattern),
    dialect: spokenBy(name),
  }));
  return () => {
    const name = model();
    return name === undefined ? undefined : families.find(({ glob }) => isOf(glob, name))?.dialect;
  };
}

/** A pattern may leave the provider out: `gemini-*` matches `google/gemini-3-pro`. */
const isOf = (glob: ReturnType<typeof compileGlob>, name: string): boolean =>
  glob.matches(name) || glob.matches(name.slice(name.indexOf("/") + 1));

/** Offers in the names of the machine's dialect. */
export function offersIn(offers: Offers, { dialect, registry }: Machine): Offers {
  const inNames = (offer: Offer): Offer =>
    dialect?.()?.offer(offer, (name, tool) => name !== tool && registry.names().has(name)) ?? offer;
  return { now: () => inNames(offers.now()), current: async () => inNames(await offers.current()) };
}
