/** Timeout of a command in the foreground, in milliseconds. */
export const COMMAND_MS = { usual: 120_000, most: 600_000 } as const;

/** Input fields of every shell. */
export const commandFields = {
  timeout: {
    type: "integer",
    minimum: 1,
    maximum: COMMAND_MS.most,
    description: `Timeout in milliseconds. Default ${COMMAND_MS.usual}, at most ${COMMAND_MS.most}.`,
  },
  workdir: {
    type: "string",
    format: "path",
    description: "The folder to run in. Default: the working directory.",
  },
} as const;
