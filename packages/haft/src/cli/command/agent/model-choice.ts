/** The model requested outside the settings: by option, or in the environment. An empty variable requests none. */
export const wishedModel = ({ model }: { readonly model?: string }): string | undefined =>
  model ?? (process.env.HAFT_MODEL || undefined);
