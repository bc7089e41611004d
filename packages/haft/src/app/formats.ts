import type { aiSdk, anthropic } from "@haft/core/adapter";

/** The formats that `haft.for` knows, and what each gives. */
export interface Formats {
  anthropic: ReturnType<typeof anthropic>;
  "ai-sdk": ReturnType<typeof aiSdk>;
}
