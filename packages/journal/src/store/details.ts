import { type Attributes, readAttributes } from "@haft/host/files";
import type { Image } from "../image/image.ts";
import { toSystem } from "../image/raw-path.ts";
import type { Change } from "./record.ts";

/** Attributes by path. A path that has none is missing. */
export type AttributesAt = ReadonlyMap<string, Attributes>;

/** For all paths, if nobody can read attributes here. */
export const UNKNOWN: AttributesAt = new Map();

/** Reads the attributes of many paths with one program, because Node cannot read them. */
export function attributesAt(paths: readonly string[]): AttributesAt {
  const distinct = [...new Set(paths)];
  const found = readAttributes(distinct.map(toSystem));
  if (found === undefined) return UNKNOWN;
  return new Map([...found].map(([index, attributes]) => [distinct[index] ?? "", attributes]));
}

export const hasDetails = ({ type }: Image): boolean => type === "file" || type === "folder";

/** The change with the attributes of its sides, if either has any. */
export function withAttributes(change: Change, before: Attributes = {}, after: Attributes = {}): Change {
  if (Object.keys(before).length + Object.keys(after).length === 0) return change;
  const given = (image: Image, attributes: Attributes) =>
    image.type === "file" || image.type === "folder" ? { ...image, attributes } : image;
  return { ...change, before: given(change.before, before), after: given(change.after, after) };
}

/** The attributes of an image that are known. */
export const attributesOf = (image: Image): Attributes | undefined =>
  image.type === "file" || image.type === "folder" ? image.attributes : undefined;

/** Changes of paths as they are now: with their present attributes where the journal knows some. */
export function withPresentAttributes(changes: readonly Change[]): readonly Change[] {
  const known = changes.filter(({ before, after }) => attributesOf(before) ?? attributesOf(after));
  if (known.length === 0) return changes;
  const present = attributesAt(known.filter(({ before }) => hasDetails(before)).map(({ path }) => path));
  const isKnown = new Set(known);
  return changes.map((change) =>
    isKnown.has(change) ? withAttributes(change, present.get(change.path), attributesOf(change.after)) : change,
  );
}
