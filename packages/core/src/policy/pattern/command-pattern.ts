import { compileGlob, type Glob } from "./glob.ts";

/** A pattern for one simple command. */
export interface CommandPattern {
  readonly source: string;
  readonly isExact: boolean;
  /** Whole words that begin every match, for an index. */
  readonly words: readonly string[];
  /** The literal text after them: the start of a word that a wildcard ends. */
  readonly partialWord: string;
  matches(command: string): boolean;
}

/**
 * Compiles a command pattern. `*` matches anything, spaces too; without it only this exact command matches. ` *` at the
 * end needs a space or the end of the command: `ls *` means `ls` and `ls -la`, never `lsof`. The old ending `:*` is the
 * same as ` *`.
 */
export function compileCommand(source: string): CommandPattern {
  const text = plainSpaces(source.trim()).replace(/:\*$/, " *");
  const glob = compileGlob(text);
  const bare = endsInWordStar(text) ? compileGlob(text.slice(0, -2)) : undefined;
  const words = glob.prefix.split(" ");
  const partialWord = glob.isExact ? "" : (words.pop() ?? "");
  return {
    source,
    isExact: glob.isExact,
    words,
    partialWord,
    matches: bare ? (command) => glob.matches(command) || matchesBare(bare, command) : glob.matches,
  };
}

/** The words of a command as one line, quoted where needed to keep the words apart. */
export const commandLine = (argv: readonly string[]): string => argv.map(quoted).join(" ");

/** Comparison uses one space between words; spaces within quotes belong to the word. */
const plainSpaces = (text: string): string => (/['"\\]/.test(text) ? text : text.replaceAll(/\s+/g, " "));

const matchesBare = (bare: Glob, command: string): boolean => bare.matches(command);

const endsInWordStar = (text: string): boolean => text.endsWith(" *") && text.length > 2;

function quoted(word: string): string {
  if (word !== "" && !/\s/.test(word)) return word;
  return word.includes("'") ? JSON.stringify(word) : `'${word}'`;
}

/**
 * Finds operators and redirections outside quotes, and returns the first. Such a pattern may look like a rule for one
 * command but never matches, because scripts are judged command by command.
 */
export function findOperator(pattern: string): string | undefined {
  let quote = "";
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] ?? "";
    if (character === "\\" && quote !== "'") index++;
    else if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (isSubstitution(pattern, index)) return undefined;
    else if ("|&;<>\n".includes(character)) return /^(?:&&|\|\||>>|<<|\|&|&>|.)/s.exec(pattern.slice(index))?.[0];
  }
  return undefined;
}

// Operators within a substitution belong to it and stay in the command's text.
const isSubstitution = (pattern: string, index: number): boolean =>
  pattern[index] === "`" || (pattern[index] === "$" && pattern[index + 1] === "(");
