import { stem } from "./stem.ts";
import { COMMANDS, DEEDS, PHRASES, SYNONYMS } from "./synonym-table.ts";

/** How two words are related: `same` is a verb with the same meaning, `like` a word for nearly the same thing. */
export type Kinship = "same" | "like";

/** Synonyms of words. All keys and values are stems. */
export interface Thesaurus {
  /** The stems of the words in a group with this one; never the stem itself. */
  related(stem: string): ReadonlyMap<string, Kinship>;
  /** Whether a word is a verb for a tool's action. */
  isDeed(stem: string): boolean;
  /** The word that two adjacent words mean together, as written; `undefined` if they are not a phrase. */
  phrase(first: string, second: string): string | undefined;
  /** The words for the action of a shell command; `undefined` for any other word. */
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
