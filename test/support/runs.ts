/**
 * How often a property is tried, or how many of a list's lines are: `npm test` tries a part of `full`, so that everyone
 * can wait for it. The whole is tried by `npm run test:full`.
 */
export const runs = (full: number): number => Math.max(1, Math.ceil(full * Number(process.env.HAFT_RUNS ?? 1)));
