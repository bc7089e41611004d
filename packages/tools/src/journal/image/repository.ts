/** The `.git` folder in which a path lies: what is in it belongs together. */
export const repositoryOf = (path: string): string | undefined => /^.*?\/\.git(?=\/)/.exec(path)?.[0];
