import { contentsText, HaftError } from "@haft/core/tool";
import type { Conversation, Message, Model } from "../../agent/index.ts";
import { isNews } from "../../agent/message.ts";
import type { Haft } from "../../app/haft.ts";
import type { Compaction } from "../session.ts";
import { isNearlyFull } from "./context-limit.ts";
import { joined, splitConversation } from "./split.ts";
import { summarize } from "./summarize.ts";

export interface CompactOptions {
  readonly haft: Pick<Haft, "runHooks">;
  readonly settings: Haft["compaction"];
  readonly conversation: Conversation;
  /** Whether a message is a request of a person, not news from Haft. */
  isRequest(message: Message): boolean;
  readonly onCompacted: (compaction: Compaction, messages: readonly Message[]) => void;
  readonly onProblem: (message: string) => void;
}

export interface CompactRequest {
  readonly messages: readonly Message[];
  readonly model: Model;
  readonly reason: Compaction["reason"];
  readonly instructions?: string;
  readonly signal: AbortSignal;
}

/** Summarizes conversations that are long. */
export interface Compactor {
  /** @throws HaftError if there is nothing to summarize, a hook refuses, the model fails, or it is stopped (`cancelled`). */
  compact(request: CompactRequest): Promise<Compaction>;
  /** The same for a conversation that is full. `undefined`: it is not, or it stays as it is. Never rejects. */
  fit(
    request: Omit<CompactRequest, "reason" | "instructions">,
    state: { readonly isTooLong: boolean; readonly contextTokens: number | undefined },
  ): Promise<readonly Message[] | undefined>;
}

export function createCompactor(options: CompactOptions): Compactor {
  const { haft, settings, conversation } = options;

  async function shorten({ messages, model, reason, instructions, signal }: CompactRequest) {
    const split = splitConversation(messages, options.isRequest);
    if (!split)
      throw refusal("There is nothing to summarize yet.", "Continue, or start a new conversation with /clear.");
    const trigger = reason === "asked" ? "manual" : "auto";
    const heard = await haft.runHooks("PreCompact", { trigger, custom_instructions: instructions ?? "" }, signal);
    const refused = heard.stop ?? heard.blocked;
    if (refused !== undefined) throw refusal(`A hook refused the summary: ${refused}`, "Change the hook.");
    const wishes = [instructions, ...heard.context].filter((wish) => wish !== undefined && wish !== "").join("\n");
    const summary = await summarize(split.removed, {
      model,
      signal,
      ...(wishes === "" ? {} : { instructions: wishes }),
    }).catch((thrown) => {
      throw signal.aborted ? new HaftError(STOPPED) : thrown;
    });
    const shorter = joined(split, summary, conversation.file);
    conversation.replace(shorter, summary);
    const { file } = conversation;
    const compaction = { summary, messages: split.removed.length, reason, ...(file === undefined ? {} : { file }) };
    options.onCompacted(compaction, shorter);
    await haft.runHooks("PostCompact", { trigger, compact_summary: summary }, signal);
    return { compaction, shorter };
  }

  return {
    compact: async (request) => (await shorten(request)).compaction,
    async fit(request, { isTooLong, contextTokens }) {
      if (settings.auto === false) return undefined;
      if (!isTooLong && !isNearlyFull(contextTokens, request.model.name, settings.contextTokens)) return undefined;
      try {
        return (await shorten({ ...request, reason: "full" })).shorter;
      } catch (thrown) {
        if (!request.signal.aborted)
          options.onProblem(
            `The conversation was not summarized: ${thrown instanceof Error ? thrown.message : thrown}`,
          );
        return undefined;
      }
    },
  };
}

const STOPPED = { code: "cancelled", message: "The summary was stopped. The conversation is kept as it was." } as const;

const refusal = (message: string, hint: string): HaftError => new HaftError({ code: "conflict", message, hint });

/** Whether a message is a person's. */
export const looksLikeRequest = (message: Message): boolean =>
  message.role === "user" && !isNews(contentsText(message.content));
