import type { Toolbox } from "../../adapter/index.ts";

/** The policy's answer. */
export type MessageBusDecision = "ALLOW" | "DENY" | "ASK_USER";

/** A question to the policy about one call. */
export interface ToolConfirmationRequest {
  readonly toolName: string;
  readonly params: unknown;
}

/** Sends a question to the policy. */
export interface MessageBus {
  request(question: ToolConfirmationRequest, signal: AbortSignal): Promise<MessageBusDecision>;
}

/** Timeout in milliseconds for an answer of the bus. */
const ANSWER_WITHIN_MS = 30_000;

/** The answer of the bus. Without a bus, at the timeout or with an invalid answer, a person decides: never an allow. */
export async function askMessageBus(
  bus: MessageBus | undefined,
  question: ToolConfirmationRequest,
  withinMs = ANSWER_WITHIN_MS,
): Promise<MessageBusDecision> {
  if (!bus) return "ASK_USER";
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<MessageBusDecision>((resolve) => {
    timer = setTimeout(() => resolve("ASK_USER"), withinMs);
  });
  try {
    const said = await Promise.race([bus.request(question, over.signal), late]);
    return said === "ALLOW" || said === "DENY" ? said : "ASK_USER";
  } catch {
    return "ASK_USER";
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** Haft's policy as a message bus. */
export function policyBus(toolbox: Pick<Toolbox, "decide">): MessageBus {
  let asked = 0;
  const words = { allow: "ALLOW", deny: "DENY", ask: "ASK_USER" } as const;
  return {
    async request({ toolName, params }) {
      const { decision } = await toolbox.decide({ id: `bus-${++asked}`, tool: toolName, input: params });
      return words[decision];
    },
  };
}
