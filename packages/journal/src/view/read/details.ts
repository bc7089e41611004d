import { type Attributes, UNREADABLE, writeAttributes } from "@haft/host/files";
import type { BeforeImages } from "../../before-images.ts";
import { type Image, imageOf, statOf } from "../../image/image.ts";
import { toSystem } from "../../image/raw-path.ts";
import { attributesAt, hasDetails, UNKNOWN, withAttributes } from "../../store/details.ts";
import type { Change } from "../../store/record.ts";

export interface Detailing {
  readonly changes: readonly Change[];
  /** Paths whose entries are alike in type, content and mode. */
  readonly alike: readonly string[];
  readonly keeping: BeforeImages;
  /** The place of the command's version of a path. */
  upper(path: string): string;
}

/** Grants rights to everybody who runs the file, like setuid. */
const CAPABILITY = "security.capability";

/** The text for a file that has lost them. */
const NO_CAPABILITIES = "its capabilities, because everybody who ran it would get them";

/** Adds owners and extended attributes to the changes of a view, and changes of nothing else. */
export function withDetails({ changes, alike, keeping, upper }: Detailing): readonly Change[] {
  const olds = changes.filter(({ before }) => hasDetails(before)).map(({ path }) => path);
  const news = changes.filter(({ after }) => hasDetails(after)).map(({ path }) => path);
  const found = attributesAt([...olds, ...news.map(upper), ...alike.flatMap((path) => [path, upper(path)])]);
  const pair = (path: string) => [found.get(path), found.get(upper(path))] as const;
  const kept = changes.map((change) =>
    found === UNKNOWN ? withoutUnread(change) : withoutGrants(withAttributes(change, ...pair(change.path)), upper),
  );
  return [...kept, ...alike.filter(isOther).map(detail)];

  function isOther(path: string): boolean {
    const [old, now] = pair(path);
    return JSON.stringify(old) !== JSON.stringify(now) || hasOtherOwner(path, upper(path));
  }

  function detail(path: string): Change {
    const from = upper(path);
    const change = { path, before: keeping.keep(path), after: imageOf(from, statOf(from)!) };
    return withoutGrants(withAttributes(change, ...pair(path)), upper);
  }
}

/** A replaced file has no attributes that nobody can read. */
const withoutUnread = (change: Change): Change =>
  change.lacks === undefined && change.before.type === "file" && change.after.type === "file" && !change.shared
    ? { ...change, lacks: UNREADABLE }
    : change;

/** Only root can give files away. In the namespace of others every file is their own. */
function hasOtherOwner(path: string, upper: string): boolean {
  if (process.geteuid?.() !== 0) return false;
  const [real, now] = [statOf(path), statOf(upper)];
  return real !== undefined && now !== undefined && (real.uid !== now.uid || real.gid !== now.gid);
}

/** Nobody approved that new content runs with capabilities. */
function withoutGrants(change: Change, upper: (path: string) => string): Change {
  const { path, before, after } = change;
  if (after.type !== "file" || after.attributes?.[CAPABILITY] === undefined) return change;
  const isSame = before.type === "file" && before.hash === after.hash;
  if (isSame && capabilityOf(before) === after.attributes[CAPABILITY]) return change;
  const { [CAPABILITY]: _, ...attributes } = after.attributes;
  writeAttributes([{ path: toSystem(upper(path)), attributes }]);
  const lacks = change.lacks === undefined ? NO_CAPABILITIES : `${change.lacks}; ${NO_CAPABILITIES}`;
  return { ...change, after: { ...after, attributes }, lacks };
}

const capabilityOf = (image: Image & { readonly attributes?: Attributes }): string | undefined =>
  image.attributes?.[CAPABILITY];
