/** A word as a shell reads it back. */
export const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
