import type { LiveSession } from "../live/live-session.ts";

/** Characters that may wait for a slow reader. Beyond, the stream ends; the client continues with `after`. */
const MOST_WAITING = 4_000_000;
const BEAT_MS = 15_000;

/**
 * Live events as server-sent events. `id` is the number of the event, so a browser continues by itself. `unreadMs`: the end
 * of the patience with a stream that is full.
 */
export function eventStream(
  session: Pick<LiveSession, "seq" | "after" | "on">,
  after: number,
  signal: AbortSignal,
  unreadMs: number,
): Response {
  const encoder = new TextEncoder();
  let stop = (): void => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let isOver = false;
        const send = (text: string): void => {
          if (isOver) return;
          if ((controller.desiredSize ?? 0) <= -MOST_WAITING) {
            end();
            // Frees what still waits then; nothing happens if all of it was read.
            setTimeout(() => controller.error(new Error("nobody has read the events")), unreadMs).unref();
          } else controller.enqueue(encoder.encode(text));
        };
        const silence = session.on(({ seq, text }) => send(`id: ${seq}\ndata: ${text}\n\n`));
        const beat = setInterval(() => send(": beat\n\n"), BEAT_MS).unref();
        const end = (): void => {
          if (isOver) return;
          isOver = true;
          stop();
          controller.close();
        };
        stop = () => {
          silence();
          clearInterval(beat);
        };
        signal.addEventListener("abort", end, { once: true });
        const missed = session.after(after);
        if (!missed) send(`event: gap\ndata: {"seq":${session.seq}}\n\n`);
        for (const { seq, text } of missed ?? []) send(`id: ${seq}\ndata: ${text}\n\n`);
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(body, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
}
