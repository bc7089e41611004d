/** The folder of a session's stored results. It exists only for the tools of Haft. */
export const spillFolder = (session: string): string => `/haft-results/${session}`;
