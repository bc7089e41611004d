import type { Change, Effect, ReadEffect, WriteEffect } from "@haft/core/tool";
import { only, type Value } from "../word/value.ts";
import { isFree, type Place, placesOf, type Standpoint } from "./place.ts";

/** Adds a read of everything that `value` names. `-` and empty devices are free. */
export function readInto(effects: Effect[], value: Value, at: Standpoint, tree = false): string | undefined {
  const name = only(value);
  if (name === "-" || name === "" || (name !== undefined && isFree(name))) return undefined;
  const places = placesOf(value, at);
  if (typeof places === "string") return places;
  effects.push(...places.map((place) => reading(place.path, place.as, tree || place.tree === true)));
  return undefined;
}

/** A proved read. */
export const reading = (path: string, as: string | undefined, tree: boolean): ReadEffect => ({
  do: "read",
  basis: "proved",
  path,
  ...(as === undefined ? {} : { as }),
  ...(tree ? { tree: true } : {}),
});

/** A proved write. */
export const writing = (place: Place, change: Change, tree = false): WriteEffect => ({
  do: "write",
  basis: "proved",
  path: place.path,
  ...(place.as === undefined ? {} : { as: place.as }),
  ...(tree ? { tree: true } : {}),
  change,
});
