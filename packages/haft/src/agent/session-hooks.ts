import { MOST_STOP_BLOCKS, type RunHooks, type SessionOutcome, type SessionPayloads } from "@haft/plugins/hook";
import type { AgentEnd, MoreWork } from "./loop.ts";
import { type Message, userMessage } from "./message.ts";

/** A person's prompt with the additions of hooks, or the reason why it is not sent. */
export type Opening = { readonly messages: readonly Message[] } | { readonly refused: string };

/** Runs the hooks of the settings at the events of a conversation. Does nothing if none are configured. */
export interface SessionHooks {
  /** Runs for a prompt, before the model sees it. The first one starts the session. */
  opening(prompt: string, signal?: AbortSignal): Promise<Opening>;
  /** Passed to the loop: Stop hooks may continue a turn, at most eight times in a row. */
  beforeEnd(text: string): Promise<MoreWork>;
  /** Runs when a turn has ended with an error of the model. */
  failed(end: Pick<AgentEnd, "why" | "error" | "text">): Promise<void>;
  end(reason: SessionPayloads["SessionEnd"]["reason"]): Promise<void>;
}

export interface SessionHooksOptions {
  readonly runHooks: RunHooks;
  /** The name of the model. */
  readonly model: string;
  /** The session continues an earlier conversation. */
  readonly isResumed?: boolean;
}

export function sessionHooks({ runHooks, model, isResumed = false }: SessionHooksOptions): SessionHooks {
  let isStarted = false;
  let stopBlocks = 0;

  async function begin(signal?: AbortSignal): Promise<SessionOutcome> {
    isStarted = true;
    return runHooks("SessionStart", { source: isResumed ? "resume" : "startup", model }, signal);
  }

  return {
    async opening(prompt, signal) {
      const started = isStarted ? undefined : await begin(signal);
      if (started?.stop !== undefined) return { refused: started.stop };
      stopBlocks = 0;
      const { context, blocked, stop } = await runHooks("UserPromptSubmit", { prompt }, signal);
      const refused = stop ?? blocked;
      if (refused !== undefined) return { refused };
      return {
        messages: [
          ...fromHooks("SessionStart", started?.context),
          ...fromHooks("UserPromptSubmit", context),
          userMessage(prompt),
        ],
      };
    },
    async beforeEnd(text) {
      const { context, blocked, stop } = await runHooks("Stop", {
        stop_hook_active: stopBlocks > 0,
        ...(text === "" ? {} : { last_assistant_message: text }),
      });
      if (stop !== undefined) return { stop };
      // Limits hooks that always block, which would cost money endlessly.
      if (blocked === undefined || stopBlocks++ >= MOST_STOP_BLOCKS) return {};
      return { messages: fromHooks("Stop", [blocked, ...context]) };
    },
    async failed({ why, error, text }) {
      await runHooks("StopFailure", {
        error: kindOf(error),
        error_details: why ?? (error instanceof Error ? error.message : String(error)),
        ...(text === "" ? {} : { last_assistant_message: text }),
      });
    },
    async end(reason) {
      if (isStarted) await runHooks("SessionEnd", { reason });
    },
  };
}

/** The kind of an error, by the status that the server gave. */
function kindOf(error: unknown): SessionPayloads["StopFailure"]["error"] {
  const { statusCode: status } = (error ?? {}) as { readonly statusCode?: unknown };
  if (typeof status !== "number") return "unknown";
  if (status === 401 || status === 403) return "authentication_failed";
  if (status === 429) return "rate_limit";
  return status >= 500 ? "server_error" : "invalid_request";
}

/** Messages with the user's role, but not in the user's name. */
const fromHooks = (event: string, words: readonly string[] = []): readonly Message[] =>
  words.length === 0 ? [] : [userMessage(`[${event} hook]\n${words.join("\n")}`)];
