import type { Toolbox } from "../../adapter/index.ts";

/** What the policy answers. */
export type MessageBusDecision = "ALLOW" | "DENY" | "ASK_USER";

/** A question to the policy about one call. */
export interface ToolConfirmationRequest {
  readonly toolName: string;
  readonly params: unknown;
}

/** Brings a question to whoever decides by rules. */
export interface MessageBus {
  request(question: ToolConfirmationRequest, signal: AbortSignal): Promise<MessageBusDecision>;
}

/** Milliseconds after which a bus has not answered. */
const ANSWER_WITHIN_MS = 30_000;

/** What the bus says. Without a bus, an answer in time, or one that is an answer, a person decides: never an allow. */
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
