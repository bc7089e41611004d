import { defineTool, text } from "@haft/core/tool";

const MOST_SECONDS = 3600;

const input = {
  type: "object",
  properties: {
    seconds: { type: "number", minimum: 0, maximum: MOST_SECONDS, description: `How long, at most ${MOST_SECONDS}.` },
    reason: { type: "string", maxLength: 200, description: "The reason to wait." },
  },
  required: ["seconds"],
  additionalProperties: false,
} as const;

/** How a wait ended. */
interface SleepOutput {
  readonly sleptMs: number;
  /** Whether a message to the agent arrived meanwhile. */
  readonly woken: boolean;
}

/** Sleep: waits, and wakes when the agent receives a message. Needs no program. */
export const sleep = defineTool({
  name: "Sleep",
  title: "Wait",
  rules: { groups: ["automation"] },
  searchHint: "sleep wait pause seconds delay poll",
  description:
    "Waits some seconds. Ends early when the user or another agent says something. To wait for a background task, use TaskOutput.",
  input,
  offer: "deferred",
  // Time passes anyway: sleep touches nothing that a rule could guard.
  can: [],
  effects: () => [],
  describe: ({ seconds, reason }) => {
    const time = seconds === undefined ? "Wait" : `Wait ${seconds} s`;
    return { title: reason ? `${time}: ${reason}` : time, activity: reason ? `Waiting: ${reason}` : "Waiting" };
  },
  async run({ seconds }, { ports: { clock, inbox }, signal }): Promise<SleepOutput> {
    const from = clock.now();
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    let woken = false;
    const arrival = inbox?.arrival(either).then(
      () => {
        woken = true;
      },
      () => {},
    );
    try {
      await Promise.race([clock.sleep(seconds * 1000, either), ...(arrival ? [arrival] : [])]);
    } finally {
      over.abort();
    }
    signal.throwIfAborted();
    return { sleptMs: Math.max(0, clock.now() - from), woken };
  },
  toModel: ({ sleptMs, woken }) => [
    text(`${Math.round(sleptMs / 1000)} s have passed.${woken ? " A message has arrived." : ""}`),
  ],
});
