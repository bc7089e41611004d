/** The `.git` folder that contains a path. Its files belong together. */
export const repositoryOf = (path: string): string | undefined => /^.*?\/\.git(?=\/)/.exec(path)?.[0];
