import type { Schema } from "../schema/index.ts";
import type { Absent, OfferContext, Tool } from "../tool/index.ts";
import type { Entry, Registry } from "./registry.ts";

/** A tool as one model request gets it. */
export interface Offered {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input: Schema;
  readonly entry: Entry;
}

/** The tool list of one model request. */
export interface Offer {
  readonly tools: readonly Offered[];
  /** What the system prompt should say about these tools, one paragraph each. */
  readonly prompt: readonly string[];
  /** The known tools that are not offered, with the reason. */
  readonly absent: readonly { readonly name: string; readonly why: string }[];
}

/** Decides whether a tool exists for a request. The same function guards the list and the call. */
export type Availability = (entry: Entry, ctx: OfferContext) => true | Absent;

/**
 * Models call tools one by one unless told that they need not; independent calls in one turn then run side by side.
 */
export const BATCHING_PROMPT =
  "When several tool calls do not depend on each other, make them all in one turn: they run at the same time. " +
  "Calls that touch the same files keep the order in which you make them.";

export interface OfferOptions {
  readonly registry: Registry;
  readonly available: Availability;
  /** `tools` is filled in here. */
  readonly context: Omit<OfferContext, "tools">;
  /** Whether to tell the model about batching. Default true. */
  readonly batching?: boolean;
}

/**
 * Assembles the list anew: what changed since the last request (a setting, a rule, a server) counts at once. The order
 * is the registry's, so that an unchanged list is identical and a provider's cache holds.
 */
export async function assembleOffer({ registry, available, context, batching = true }: OfferOptions): Promise<Offer> {
  const present: Entry[] = [];
  const absent: { name: string; why: string }[] = [];
  const names = new Set(registry.entries().map(({ tool }) => tool.name));
  for (const entry of registry.entries()) {
    const answer = whenAvailable(available, entry, { ...context, tools: names });
    if (answer === true) present.push(entry);
    else absent.push({ name: entry.tool.name, why: answer.absent });
  }
  const ctx: OfferContext = { ...context, tools: new Set(present.map(({ tool }) => tool.name)) };
  const tools = await Promise.all(present.map((entry) => offered(entry, ctx)));
  const prompts = await Promise.all(present.map(({ tool }) => tool.prompt?.(ctx)));
  const prompt = [
    ...(batching && tools.length > 0 ? [BATCHING_PROMPT] : []),
    ...prompts.filter((text) => text !== undefined),
  ];
  return { tools, prompt, absent };
}

/** A check that throws hides the tool: it could not be used either. */
export function whenAvailable(available: Availability, entry: Entry, ctx: OfferContext): true | Absent {
  try {
    return available(entry, ctx);
  } catch (thrown) {
    return { absent: `its availability check failed: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}

async function offered(entry: Entry, ctx: OfferContext): Promise<Offered> {
  const { tool } = entry;
  const description = await describe(tool, ctx);
  return { name: tool.name, ...(tool.title ? { title: tool.title } : {}), description, input: tool.input, entry };
}

async function describe(tool: Tool, ctx: OfferContext): Promise<string> {
  return typeof tool.description === "string" ? tool.description : await tool.description(ctx);
}
