import type { Schema } from "../schema/index.ts";
import type { Absent, OfferContext } from "../tool/index.ts";
import type { Deferral } from "./deferral/deferral.ts";
import type { Entry, Registry } from "./registry.ts";
import { messageOf } from "./source.ts";
import { createTexts, type ToolTexts } from "./texts.ts";

/** A tool in one model request. */
export interface Offered {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input: Schema;
  readonly entry: Entry;
  /** The provider hides it from the model until it is loaded. Only in `withheld` offers. */
  readonly isDeferred?: true;
}

/** The tool list of one model request. */
export interface Offer {
  readonly tools: readonly Offered[];
  /** Text about these tools for the system prompt, one paragraph each. */
  readonly prompt: readonly string[];
  /** The known tools that are not in the offer, with the reason. */
  readonly absent: readonly { readonly name: string; readonly why: string }[];
  /** Names of the tools of which the model knows only the name. They are among the absent ones. */
  readonly deferred: readonly string[];
  /** The tool that loads them. Absent if nothing can be loaded. */
  readonly loader?: string;
}

/** Decides whether a tool exists for a request. The same function guards the list and the call. */
export type Availability = (entry: Entry, ctx: OfferContext) => true | Absent;

/** Models call tools one by one unless told that they need not. Independent calls in one turn run in parallel. */
export const BATCHING_PROMPT =
  "When several tool calls do not depend on each other, make them all in one turn: they run at the same time. " +
  "Calls that touch the same files keep the order in which you make them.";

/** The parts of offers, for one agent. */
export interface OfferOptions {
  readonly registry: Registry;
  readonly available: Availability;
  /** The context for tools; `tools` is filled in here. */
  context(): Omit<OfferContext, "tools">;
  /** Whether to tell the model about batching. Default true. */
  readonly batching?: boolean;
  /** Defers definitions until they are wanted. Absent: every tool is offered in full. */
  readonly deferral?: Deferral;
  /** The provider itself hides deferred tools from the model: they are offered in full too, marked, and in their place. */
  readonly withheld?: true;
}

/** Makes offers for one agent. */
export interface Offers {
  /** The offer in the current state. */
  current(): Promise<Offer>;
  /** The same, synchronously; for a text that a tool can only give later it uses the last one. */
  now(): Offer;
}

/**
 * Rebuilds the list each time: changes since the last request (a setting, a rule, a server) take effect immediately.
 * The order is the registry's, so that an unchanged list is identical and a provider's cache stays valid. A tool whose
 * texts or schema fail is absent with the reason; all others are offered.
 */
export function createOffers(options: OfferOptions): Offers {
  const texts = createTexts();
  const batching = options.batching ?? true;

  function now(): Offer {
    const broken = new Map<Entry, string>();
    for (;;) {
      const selection = withInputs(select(options, broken));
      const read = selection.present.map((entry) => ({ entry, texts: texts.of(entry, selection.ctx) }));
      const found = broken.size;
      for (const { entry, texts } of read) if ("failed" in texts) broken.set(entry, texts.failed);
      // Texts may name the other tools, so the remaining tools are asked again without the broken ones.
      if (broken.size === found) return assemble(selection, read, batching);
    }
  }

  return {
    now,
    async current() {
      const offer = now();
      const arrivals = texts.arrivals();
      if (!arrivals) return offer;
      await arrivals;
      return now();
    },
  };
}

function assemble(
  { absent, deferred, loader, marked }: Selection,
  read: readonly { readonly entry: Entry; readonly texts: ToolTexts }[],
  batching: boolean,
): Offer {
  const tools: Offered[] = [];
  const prompt: string[] = [];
  for (const { entry, texts } of read) {
    if ("failed" in texts) continue;
    const { name, title, input } = entry.tool;
    tools.push({
      name,
      ...(title ? { title } : {}),
      description: texts.description,
      input,
      entry,
      ...(marked.has(name) ? { isDeferred: true } : {}),
    });
    if (texts.prompt !== undefined) prompt.push(texts.prompt);
  }
  if (batching && tools.length > 0) prompt.unshift(BATCHING_PROMPT);
  return { tools, prompt, absent, deferred, ...(loader === undefined ? {} : { loader }) };
}

/** The parts of an offer before the texts. */
interface Selection {
  readonly present: readonly Entry[];
  readonly absent: Offer["absent"];
  readonly deferred: readonly string[];
  readonly loader?: string;
  /** Tools among the present ones that the provider should hide. */
  readonly marked: ReadonlySet<string>;
  readonly ctx: OfferContext;
}

const NOTHING: ReadonlySet<string> = new Set();

function select(options: OfferOptions, broken: ReadonlyMap<Entry, string>): Selection {
  const { registry, available, context, deferral } = options;
  const present: Entry[] = [];
  const absent: { name: string; why: string }[] = [];
  const base = context();
  for (const entry of registry.entries()) {
    const why = broken.get(entry);
    const answer =
      why === undefined ? whenAvailable(available, entry, { ...base, tools: registry.names() }) : { absent: why };
    if (answer === true) present.push(entry);
    else absent.push({ name: entry.tool.name, why: answer.absent });
  }
  const selection: Selection = {
    present,
    absent,
    deferred: [],
    marked: NOTHING,
    ctx: { ...base, tools: namesIn(present) },
  };
  return deferral ? withoutDeferred(selection, deferral, options.withheld === true) : selection;
}

/** Lets a tool's text describe the others. */
const withInputs = (selection: Selection): Selection => ({
  ...selection,
  ctx: {
    ...selection.ctx,
    inputs: () => selection.present.map(({ tool: { name, input } }) => ({ name, input })),
  },
});

/** Removes the tools that are offered by name only; also the loader tool, if there is nothing to load. */
function withoutDeferred({ present, absent, ctx }: Selection, deferral: Deferral, isWithheld: boolean): Selection {
  const { offered: short, deferred, names } = deferral.split(present, ctx.agent.id);
  const offered = isWithheld ? present : short;
  const connecting = deferral.arrivals?.connecting() ?? [];
  const isIdle = names.length === 0 && connecting.length === 0;
  const kept = isIdle ? offered.filter(({ tool }) => tool.name !== deferral.loader) : offered;
  const why = `only its name is offered until ${deferral.loader} loads it`;
  return {
    present: kept,
    absent: [
      ...absent,
      ...(kept.length < offered.length ? [{ name: deferral.loader, why: "all tools are offered directly" }] : []),
      ...(isWithheld ? [] : deferred.map(({ tool }) => ({ name: tool.name, why }))),
    ],
    deferred: deferred.map(({ tool }) => tool.name),
    ...(kept.some(({ tool }) => tool.name === deferral.loader) ? { loader: deferral.loader } : {}),
    marked: isWithheld ? new Set(names) : NOTHING,
    ctx: { ...ctx, tools: namesIn(kept), deferred: names, connecting },
  };
}

const namesIn = (entries: readonly Entry[]): ReadonlySet<string> => new Set(entries.map(({ tool }) => tool.name));

/** A check or a schema that throws hides the tool: a call would fail, too. */
export function whenAvailable(available: Availability, entry: Entry, ctx: OfferContext): true | Absent {
  let asked = "availability check";
  try {
    const answer = available(entry, ctx);
    if (answer !== true) return answer;
    asked = "input schema";
    void entry.tool.input.json;
    return true;
  } catch (thrown) {
    return { absent: `its ${asked} failed: ${messageOf(thrown)}` };
  }
}
