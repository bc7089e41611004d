import { createHash } from "node:crypto";
import type { ApprovalRequest, Asker } from "@haft/core/approval";
import type { CallEvent } from "@haft/core/executor";
import { type Caller, type CallerRequest, type Clock, createClock, fail } from "@haft/core/tool";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  type Server,
} from "@modelcontextprotocol/server";
import { approvalAnswer, approvalForm } from "./approval-form.ts";
import type { Asking, Round } from "./client-questions.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { type Followed, passOn, passOnRest } from "./progress.ts";

/** The features that a client supports for the calls that it makes. */
export interface Abilities {
  readonly can: Caller["can"];
  /** It can open pages for its person. */
  readonly opensPages: boolean;
}

/** A client's call in progress. */
export interface Attended extends Followed, Abilities {
  hasStarted: boolean;
}

/** Connects running calls with their clients: a call's questions and news go to its own client only. */
export interface ClientCalls {
  readonly ask: Asker;
  /**
   * Runs one tool call for a client under a unique id. `wantsMessages`: whether an older client currently wants
   * messages; a newer one repeats it in each request.
   */
  attend<R>(
    tool: string,
    asking: Asking,
    abilities: Abilities,
    wantsMessages: () => boolean,
    run: (id: string, caller: Caller) => Promise<R>,
  ): Promise<R>;
  /** Reports an event of a call. */
  hear(event: CallEvent): void;
}

/** The prefix of call ids; a number follows. */
const PREFIX = "mcp-";

export interface DeskOptions {
  /** Called for a question without a recipient: no client made its call, or the call is unknown. */
  readonly onUnasked?: (title: string) => void;
  readonly clock?: Clock;
}

export function createClientCalls({ onUnasked = () => {}, clock = createClock() }: DeskOptions = {}): ClientCalls {
  // An object with numeric keys: a map that is filled and emptied forever keeps old entries alive for long.
  const calls: Record<number, Attended> = {};
  const heartbeat = createHeartbeat(clock);
  let count = 0;
  /** Nested calls belong to the same client; their ids continue after a dot. */
  const callOf = (id: string): Attended | undefined =>
    id.startsWith(PREFIX) ? calls[Number.parseInt(id.slice(PREFIX.length), 10)] : undefined;
  return {
    async ask(request, signal) {
      const call = callOf(request.callId);
      if (!call) onUnasked(request.title);
      if (!call) return undefined;
      const { can, opensPages } = call;
      if (!can.has("elicitation/create") && !(opensPages && request.page !== undefined)) return undefined;
      const form = approvalForm(request, opensPages);
      const asked = call.hasStarted
        ? call.asking.ask(`approval-${request.id}`, form)
        : call.asking.confirm(digestOf(request), form);
      const over = new Promise<undefined>((resolve) => {
        signal.addEventListener("abort", () => resolve(undefined), { once: true });
      });
      const reply = await Promise.race([asked, over]);
      return reply && approvalAnswer(request, reply, opensPages);
    },
    async attend(tool, asking, abilities, wantsMessages, run) {
      const number = ++count;
      const told = { startedAt: clock.now(), toldAt: Number.NEGATIVE_INFINITY, progress: 0 };
      const call: Attended = { ...{ tool, asking, wantsMessages, hasStarted: false }, ...abilities, ...told };
      calls[number] = call;
      const leave = asking.round()._meta?.progressToken === undefined ? undefined : heartbeat.follow(call);
      try {
        return await run(`${PREFIX}${number}`, callerOf(asking, abilities.can));
      } finally {
        leave?.();
        passOnRest(call);
        delete calls[number];
      }
    },
    hear(event) {
      if (event.type === "tool:execution:start") {
        const call = callOf(event.call.id);
        if (call) call.hasStarted = true;
      } else if (event.type === "tool:execution:progress") {
        const call = callOf(event.call.id);
        if (call) passOn(call, event.progress, clock.now());
      }
    },
  };
}

/** Everything that a person was shown: an approval applies to exactly this. */
function digestOf({ id: _id, callId: _call, expiresAt: _until, ...shown }: ApprovalRequest): string {
  return createHash("sha256").update(JSON.stringify(shown)).digest("hex");
}

const needed: Readonly<Record<CallerRequest["method"], ClientCapabilities>> = {
  "elicitation/create": { elicitation: { form: {} } },
  "sampling/createMessage": { sampling: {} },
  "roots/list": { roots: {} },
};

/** The client as its tools see it. */
export function callerOf(asking: Asking, can: Caller["can"]): Caller {
  return {
    can,
    async ask(key, request) {
      if (can.has(request.method)) return asking.ask(key, request);
      const requiredCapabilities = needed[request.method];
      // The newer protocol has its own error for this; an older client reads the tool's error.
      if (asking.round().envelope) asking.fail(new MissingRequiredClientCapabilityError({ requiredCapabilities }));
      return fail(
        "tool_unavailable",
        `This client does not support ${request.method}.`,
        "Use another client, or a tool that does not ask.",
      );
    },
  };
}

/** The client's capabilities: sent with each request in the newer protocol, and once at the start in the older. */
export function abilitiesOf(server: Server, round: Round): Abilities {
  const envelope: Readonly<Record<string, unknown>> | undefined = round.envelope;
  const said = envelope
    ? (envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined)
    : server.getClientCapabilities();
  const can = new Set<CallerRequest["method"]>();
  const { elicitation } = said ?? {};
  if (elicitation && (elicitation.form || !elicitation.url)) can.add("elicitation/create");
  if (said?.sampling) can.add("sampling/createMessage");
  if (said?.roots) can.add("roots/list");
  return { can, opensPages: elicitation?.url !== undefined };
}
