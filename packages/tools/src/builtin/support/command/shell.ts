let loaded: Promise<typeof import("../../../shell/index.ts")> | undefined;

/** What reads scripts, loaded with the first of them. To ask the loader for it each time costs as much as many a script. */
export const shell = (): NonNullable<typeof loaded> => (loaded ??= import("../../../shell/index.ts"));
