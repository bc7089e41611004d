let loaded: Promise<typeof import("@haft/shell")> | undefined;

/**
 * The script parser, loaded with the first script. Importing it again each time costs as much as parsing many scripts.
 */
export const shell = (): NonNullable<typeof loaded> => (loaded ??= import("@haft/shell"));
