import { stem } from "./stem.ts";
import { PHRASES, SYNONYM_GROUPS } from "./synonym-table.ts";

/** What else a word may be called. Everything in stems. */
export interface Thesaurus {
  /** The stems of the words that stand in a group with this one; never the stem itself. */
  related(stem: string): ReadonlySet<string>;
  /** The word that two neighbouring words stand for, as written; `undefined` when they mean what they say. */
  phrase(first: string, second: string): string | undefined;
}

const NONE: ReadonlySet<string> = new Set();

export function createThesaurus(): Thesaurus {
  const related = new Map<string, Set<string>>();
  for (const group of SYNONYM_GROUPS) {
    const stems = new Set(group.split(" ").map(stem));
    for (const one of stems) {
      const others = related.get(one) ?? new Set();
      for (const other of stems) if (other !== one) others.add(other);
      related.set(one, others);
    }
  }
  const phrases = new Map(Object.entries(PHRASES));
  return {
    related: (word) => related.get(word) ?? NONE,
    phrase: (first, second) => phrases.get(`${first} ${second}`),
  };
}
