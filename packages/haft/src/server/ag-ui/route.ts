import { z } from "zod";
import type { LiveSession } from "../live/live-session.ts";
import type { ServerParts } from "../live/parts.ts";
import { Problem } from "../route/problem.ts";
import { type Route, route } from "../route/route.ts";
import { AgUiRun } from "./ag-ui.ts";

/** The part of AG-UI's RunAgentInput that is used here. */
const runInput = z.object({
  threadId: z.string().min(1),
  runId: z.string().min(1),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).default([]),
  resume: z
    .array(
      z.object({ interruptId: z.string(), status: z.enum(["resolved", "cancelled"]), payload: z.unknown().optional() }),
    )
    .optional(),
});

/** Milliseconds after a question in which others may join it. */
const QUESTIONS_MS = 100;

type RunInput = z.output<typeof runInput>;

/** Runs for clients that speak AG-UI. A thread is a session: `new` or an unknown thread starts one. */
export function agUiRoutes(parts: ServerParts): Route[] {
  const threads = new Map<string, string>();

  async function sessionOf({ threadId }: RunInput): Promise<LiveSession> {
    const known = threads.get(threadId);
    if (known !== undefined) return parts.rooms.enter(known);
    if (parts.rooms.list().some(({ id }) => id === threadId)) return parts.rooms.enter(threadId);
    const session = await parts.rooms.start({});
    threads.set(threadId, session.id);
    return session;
  }

  return [
    route({
      method: "post",
      path: "/api/ag-ui",
      summary: "One run in the AG-UI protocol; a question ends it as an interrupt, and `resume` answers it",
      body: runInput,
      answer: z.unknown(),
      async run({ body, client, signal }) {
        const session = await sessionOf(body);
        return agUiStream(parts, session, body, client, signal);
      },
    }),
  ];
}

function agUiStream(
  { inbox }: ServerParts,
  { agent, on }: LiveSession,
  input: RunInput,
  client: string,
  signal: AbortSignal,
): Response {
  const run = new AgUiRun(input.threadId, input.runId);
  const prompt = input.resume ? undefined : lastPrompt(input);
  if (!input.resume && prompt === undefined)
    throw new Problem(400, "invalid_input", "The run has no user message and no resume.");
  const encoder = new TextEncoder();
  let stop = (): void => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let isOver = false;
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        stop();
        controller.close();
      };
      const send = (events: readonly object[]): void => {
        if (isOver) return;
        for (const event of events) controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      };
      let isModelSpeaking = false;
      let timer: NodeJS.Timeout | undefined;
      // Calls of one message ask shortly after each other. A question that comes later ends the next run.
      const interruptSoon = (): void => {
        clearTimeout(timer);
        if (isModelSpeaking || agent.haft.pending().length === 0) return;
        timer = setTimeout(() => {
          const open = agent.haft.pending();
          if (open.length === 0) return;
          send(run.interrupted(open));
          end();
        }, QUESTIONS_MS);
      };
      const silence = on((_, event) => {
        send(run.map(event));
        if (event.type === "end") return end();
        if (event.type === "request") isModelSpeaking = true;
        const isFinished = event.type === "model" && /^(?:finish|error)$/.test(event.event.type);
        if (isFinished) isModelSpeaking = false;
        if (isFinished || event.type === "tool:permission:request") interruptSoon();
      });
      stop = () => {
        clearTimeout(timer);
        silence();
      };
      signal.addEventListener("abort", end, { once: true });
      send([run.started()]);
      const failed = (thrown: unknown): void => {
        send([{ type: "RUN_ERROR", message: thrown instanceof Error ? thrown.message : String(thrown) }]);
        end();
      };
      try {
        for (const { interruptId, status, payload } of input.resume ?? []) {
          const receipt = inbox.answer({ id: interruptId, answer: answerFrom(status, payload) }, client);
          if (!receipt.accepted) return failed(new Error(receipt.message));
        }
        interruptSoon();
      } catch (thrown) {
        return failed(thrown);
      }
      if (prompt !== undefined) agent.prompt(prompt, { by: client, withMentions: false }).catch(failed);
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
}

function answerFrom(status: "resolved" | "cancelled", payload: unknown): object {
  const { approved, message, input } = (payload ?? {}) as Readonly<Record<string, unknown>>;
  const words = typeof message === "string" ? { message } : {};
  // Only a clear yes is a yes.
  if (status === "cancelled" || approved !== true) return { behavior: "deny", ...words };
  return { behavior: "allow", ...words, ...(input === undefined ? {} : { input }) };
}

function lastPrompt({ messages }: RunInput): string | undefined {
  const content = messages.findLast(({ role }) => role === "user")?.content;
  if (typeof content === "string") return content === "" ? undefined : content;
  if (!Array.isArray(content)) return undefined;
  const text = content
    .map((part: { readonly text?: unknown }) => (typeof part?.text === "string" ? part.text : ""))
    .join("\n");
  return text.trim() === "" ? undefined : text;
}
