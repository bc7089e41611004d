/** Quotes a word for a shell. */
export const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
