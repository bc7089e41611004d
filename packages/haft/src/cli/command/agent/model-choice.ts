/** The model requested outside the settings: by option, or in the environment. */
export const wishedModel = ({ model }: { readonly model?: string }): string | undefined =>
  model ?? process.env.HAFT_MODEL;
