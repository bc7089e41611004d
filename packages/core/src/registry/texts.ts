import type { OfferContext } from "../tool/index.ts";
import type { Entry } from "./registry.ts";
import { messageOf } from "./source.ts";

/** The texts of one tool in an offer, or why it cannot be offered. */
export type ToolTexts =
  | { readonly description: string; readonly prompt: string | undefined }
  | { readonly failed: string };

/** Returns the texts of tools, including those that arrive later. A tool whose text fails affects only itself. */
export interface Texts {
  of(entry: Entry, ctx: OfferContext): ToolTexts;
  /** Resolves when every pending text has arrived or failed. Absent if none is pending. */
  arrivals(): Promise<unknown> | undefined;
}

/** The outcome of a text that its tool gave later. */
type Arrived = { readonly text: string | undefined } | { readonly failed: string };

/** Caches the last text of each tool, for a synchronous offer while a new text is pending. */
export function createTexts(): Texts {
  const last = new Map<string, Arrived>();
  const pending = new Set<Promise<void>>();

  /** A text that is available now; or the last one, if it arrives later. */
  function settle(key: string, give: () => string | undefined | Promise<string | undefined>): Arrived {
    try {
      const given = give();
      if (!(given instanceof Promise)) return { text: given };
      const arrival = given
        .then(
          (text) => void last.set(key, { text }),
          (thrown: unknown) => void last.set(key, { failed: messageOf(thrown) }),
        )
        .finally(() => pending.delete(arrival));
      pending.add(arrival);
      return last.get(key) ?? { text: undefined };
    } catch (thrown) {
      return { failed: messageOf(thrown) };
    }
  }

  return {
    of({ tool }, ctx) {
      const { description: words } = tool;
      const description = settle(`description ${tool.name}`, () => (typeof words === "string" ? words : words(ctx)));
      if ("failed" in description) return { failed: `its description failed: ${description.failed}` };
      const prompt = settle(`prompt ${tool.name}`, () => tool.prompt?.(ctx));
      if ("failed" in prompt) return { failed: `its words for the system prompt failed: ${prompt.failed}` };
      return { description: description.text ?? "", prompt: prompt.text };
    },
    arrivals: () => (pending.size === 0 ? undefined : Promise.all(pending)),
  };
}
