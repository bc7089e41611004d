import { stem } from "./stem.ts";
import { COMMANDS, DEEDS, PHRASES, SYNONYMS } from "./synonym-table.ts";

/** How a word is another's: `same` is the same deed by another verb, `like` a word for nearly the same thing. */
export type Kinship = "same" | "like";

/** What else a word may be called. Everything in stems. */
export interface Thesaurus {
  /** The stems of the words that stand in a group with this one; never the stem itself. */
  related(stem: string): ReadonlyMap<string, Kinship>;
  /** Whether a word is a verb for what tools do. */
  isDeed(stem: string): boolean;
  /** The word that two neighbouring words stand for, as written; `undefined` when they mean what they say. */
  phrase(first: string, second: string): string | undefined;
  /** The words for what a command of a shell does; `undefined` for a word that is none. */
  command(word: string): readonly string[] | undefined;
}

const NONE: ReadonlyMap<string, Kinship> = new Map();

export function createThesaurus(): Thesaurus {
  const related = new Map<string, Map<string, Kinship>>();
  const deeds = new Set<string>();
  const relate = (group: string, kinship: Kinship): void => {
    const stems = new Set((group.match(/\S+/g) ?? []).map(stem));
    for (const one of stems) {
      const others = related.get(one) ?? new Map<string, Kinship>();
      for (const other of stems) if (other !== one) others.set(other, kinship);
      related.set(one, others);
      if (kinship === "same") deeds.add(one);
    }
  };
  for (const groups of Object.values(SYNONYMS)) for (const group of groups.split("|")) relate(group, "like");
  for (const group of DEEDS.split("|")) relate(group, "same");
  const commands = new Map(Object.entries(COMMANDS).map(([command, words]) => [command, words.split(" ")]));
  const phrases = new Map(Object.entries(PHRASES));
  return {
    related: (word) => related.get(word) ?? NONE,
    isDeed: (word) => deeds.has(word),
    command: (word) => commands.get(word),
    phrase: (first, second) => phrases.get(`${first} ${second}`),
  };
}
