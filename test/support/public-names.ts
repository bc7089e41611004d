import { posix } from "node:path";
import { resolveImport, type Sources } from "./sources.ts";

/** A name that a package gives away, and where it is declared. */
export interface PublicName {
  readonly name: string;
  readonly isType: boolean;
  readonly file: string;
  /** Whether a doc comment stands before the declaration. */
  readonly isDescribed: boolean;
}

/** The exports of a module, its own and re-exported ones. Names from outside packages are left out. */
export function publicNames(sources: Sources, file: string): ReadonlyMap<string, PublicName> {
  const text = sources.get(file) ?? "";
  const found = new Map<string, PublicName>();
  const target = (name: string) => resolveImport(file, name) ?? posix.join(posix.dirname(file), name);
  for (const [, from = ""] of text.matchAll(/^export (?:type )?\* from "([^"]+)"/gm))
    for (const [name, one] of publicNames(sources, target(from))) found.set(name, one);
  // A whole module under one name counts as one name.
  for (const { 1: name = "", index } of text.matchAll(/^export \* as (\w+) from "[^"]+"/gm))
    found.set(name, { name, isType: false, file, isDescribed: hasCommentAbove(text, index) });
  for (const [, type, list = "", from] of text.matchAll(/^export (type )?\{([^}]*)\}(?: from "([^"]+)")?/gm)) {
    const named = from === undefined ? declarations(text, file) : publicNames(sources, target(from));
    for (const part of list.split(",").map((each) => each.trim())) {
      if (part === "") continue;
      const [inner = "", outer = inner] = part.replace(/^type /, "").split(" as ");
      const one = named.get(inner);
      if (one) found.set(outer, { ...one, name: outer, isType: one.isType || type !== undefined });
    }
  }
  for (const [name, one] of declarations(text, file, "export ")) found.set(name, one);
  return found;
}

const KINDS = "(?:abstract )?(?:async )?(function\\*?|const|class|interface|type|enum)";

function declarations(text: string, file: string, before = "(?:export )?"): Map<string, PublicName> {
  const all = text.matchAll(new RegExp(`^${before}${KINDS} ([\\w$]+)`, "gm"));
  const found = new Map<string, PublicName>();
  for (const { 1: kind = "", 2: name = "", index } of all) {
    // An overloaded function is described by its first signature.
    if (found.has(name)) continue;
    const isType = kind === "interface" || kind === "type";
    found.set(name, { name, isType, file, isDescribed: hasCommentAbove(text, index) });
  }
  return found;
}

/** A comment for the linter may stand between. */
function hasCommentAbove(text: string, index: number): boolean {
  const above = text.slice(0, index).replace(/(?:^\s*\/\/.*\n)+$/m, "");
  return above.trimEnd().endsWith("*/");
}
