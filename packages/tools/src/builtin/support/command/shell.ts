let loaded: Promise<typeof import("../../../shell/index.ts")> | undefined;

/**
 * The script parser, loaded with the first script. Importing it anew each time costs as much as parsing many a script.
 */
export const shell = (): NonNullable<typeof loaded> => (loaded ??= import("../../../shell/index.ts"));
