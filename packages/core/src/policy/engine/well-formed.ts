import { type Effect, normalize, toPosix, unknown } from "../../tool/index.ts";

type Raw = Readonly<Record<string, unknown>>;

/**
 * Brings the effects of a call into the form that everything else relies on: known words, absolute normal paths, plain
 * values. Anything else becomes `unknown`, so a malformed effect asks instead of slipping through or throwing.
 */
export function wellFormed(effects: unknown): readonly Effect[] {
  if (!Array.isArray(effects)) return [unjudged("the tool's effects are not a list")];
  return effects.map((effect: unknown) => check(effect));
}

/** Nobody vouches for an unreadable effect. */
const unjudged = (why: string): Effect => ({ ...unknown(why), basis: "claimed" });

function check(value: unknown): Effect {
  if (typeof value !== "object" || value === null) return unjudged("an effect is not an object");
  const raw = value as Raw;
  const effect = readEffect(raw);
  if (!effect) return unjudged("an effect is malformed");
  return isBasis(effect.basis) ? effect : { ...effect, basis: "claimed" };
}

/** Returns the object itself if nothing has to change. */
function readEffect(raw: Raw): Effect | undefined {
  const effect = raw as unknown as Effect;
  switch (effect.do) {
    case "read":
      return onPath(effect);
    case "write":
      return isText(effect.change) ? onPath(effect) : undefined;
    case "run":
      return isTexts(effect.argv) &&
        isText(effect.text) &&
        isText(effect.cwd) &&
        isOptionalTexts(effect.assigns) &&
        isOptionalTexts(effect.wrappers)
        ? effect
        : undefined;
    case "connect":
      return isText(effect.host) && (effect.port === undefined || typeof effect.port === "number") ? effect : undefined;
    case "send":
      return isText(effect.channel) && isOptionalText(effect.to) ? effect : undefined;
    case "call":
      return isText(effect.server) && isText(effect.tool) ? effect : undefined;
    case "delegate":
      return isText(effect.agent) ? effect : undefined;
    case "state":
      return isText(effect.of) ? effect : undefined;
    case "unknown":
      return isText(effect.why) ? effect : undefined;
    case "ask":
      return effect;
    default:
      return undefined;
  }
}

function onPath<T extends { readonly path: string; readonly as?: string }>(effect: T): T | undefined {
  const path = absolute(effect.path);
  const as = effect.as === undefined ? undefined : absolute(effect.as);
  if (path === undefined || (effect.as !== undefined && as === undefined)) return undefined;
  if (path === effect.path && as === effect.as) return effect;
  return { ...effect, path, ...(as === undefined ? {} : { as }) };
}

function absolute(path: unknown): string | undefined {
  if (!isText(path)) return undefined;
  const posix = toPosix(path);
  if (!posix.startsWith("/")) return undefined;
  return isNormal(posix) ? posix : normalize(posix);
}

const isNormal = (path: string): boolean => path === "/" || !/\/(?:\.{0,2}(?:\/|$))/.test(path);

const isBasis = (value: unknown): boolean => value === "enforced" || value === "proved" || value === "claimed";
const isText = (value: unknown): value is string => typeof value === "string";
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isOptionalTexts = (value: unknown): boolean => value === undefined || isTexts(value);
