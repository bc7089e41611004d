/** The names of bundles. */
export const BUNDLE = /\.(?:mcpb|dxt)$/i;

const NAME = /^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/;

/** Whether a text is the name of a server of a registry. */
export const isServerName = (text: string): boolean => NAME.test(text) && text.length <= 200;

/** Whether a word can be the name of a server of a registry, with or without `@VERSION`. */
export const isRegistryName = (word: string): boolean => isServerName(word.replace(/@[\w.+-]+$/, ""));

/** Whether a word names a server somewhere else: an MCP bundle, a server.json, or a server of the registry. */
export const isSource = (word: string): boolean =>
  BUNDLE.test(word) || /(?:^|[/.])server\.json$/.test(word) || isRegistryName(word);
