import type { CommandPattern } from "../pattern/command-pattern.ts";

/** Command rules, indexed by the words they begin with. */
export interface CommandIndex<T> {
  readonly isEmpty: boolean;
  /** The first of all, if any. */
  readonly first: T | undefined;
  /** The entries whose first word is this one. */
  startingWith(program: string): readonly T[];
  /** The entries that may match a command line. Check the pattern of each: some will not match. */
  near(command: string): T[];
}

interface Node<T> {
  readonly next: Map<string, Node<T>>;
  /** Patterns without literal text after this word. */
  readonly here: T[];
  /** Patterns whose next word is literal only at its beginning, keyed by its first character. */
  readonly partial: Map<string, T[]>;
}

/** A tree of words: `git push *` is found under git, push. So a command meets only rules that begin as it does. */
export function indexCommands<T extends { readonly pattern: CommandPattern }>(entries: readonly T[]): CommandIndex<T> {
  const root = newNode<T>();
  const byProgram = new Map<string, T[]>();
  for (const entry of entries) {
    const { words, partialWord } = entry.pattern;
    if (words.length > 0) listAt(byProgram, words[0]!).push(entry);
    const node = words.reduce(descend, root);
    if (partialWord === "") node.here.push(entry);
    else listAt(node.partial, partialWord[0] ?? "").push(entry);
  }
  return {
    isEmpty: entries.length === 0,
    first: entries[0],
    startingWith: (program) => byProgram.get(program) ?? [],
    near(command) {
      const found: T[] = [];
      let node: Node<T> | undefined = root;
      for (let start = 0; node; ) {
        found.push(...node.here);
        if (node.partial.size > 0) found.push(...(node.partial.get(command[start] ?? "") ?? []));
        if (start > command.length || node.next.size === 0) break;
        const space = command.indexOf(" ", start);
        const end = space < 0 ? command.length : space;
        node = node.next.get(command.slice(start, end));
        start = end + 1;
      }
      return found;
    },
  };
}

function descend<T>(node: Node<T>, word: string): Node<T> {
  const known = node.next.get(word);
  if (known) return known;
  const fresh = newNode<T>();
  node.next.set(word, fresh);
  return fresh;
}

function listAt<T>(map: Map<string, T[]>, key: string): T[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

const newNode = <T>(): Node<T> => ({ next: new Map(), here: [], partial: new Map() });
