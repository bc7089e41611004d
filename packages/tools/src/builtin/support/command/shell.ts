let loaded: Promise<typeof import("@haft/shell")> | undefined;

/**
 * The script parser, loaded with the first script. Importing it anew each time costs as much as parsing many a script.
 */
export const shell = (): NonNullable<typeof loaded> => (loaded ??= import("@haft/shell"));
