import { createHash } from "node:crypto";
import type { ApprovalRequest, Asker } from "@haft/core/approval";
import type { CallEvent } from "@haft/core/executor";
import { type Caller, type CallerRequest, fail } from "@haft/core/tool";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  type Server,
} from "@modelcontextprotocol/server";
import { approvalAnswer, approvalForm } from "./approval-form.ts";
import type { Asking, Round } from "./talk.ts";

/** Where calls in progress meet the clients that asked for them: an approval goes to the client of its own call only. */
export interface Desk {
  readonly ask: Asker;
  /** Runs one call for a client under an id that no other call has. */
  attend<R>(asking: Asking, can: Caller["can"], run: (id: string, caller: Caller) => Promise<R>): Promise<R>;
  /** Tells what happens to calls. */
  hear(event: CallEvent): void;
}

export function createDesk(): Desk {
  const calls = new Map<string, { readonly asking: Asking; readonly can: Caller["can"]; hasStarted: boolean }>();
  let count = 0;
  return {
    async ask(request, signal) {
      // The calls that a call makes in turn are its client's too; their ids go on behind a dot.
      const call = calls.get(request.callId.split(".", 1)[0]!);
      if (!call?.can.has("elicitation/create")) return undefined;
      const form = approvalForm(request);
      const asked = call.hasStarted
        ? call.asking.ask(`approval-${request.id}`, form)
        : call.asking.confirm(digestOf(request), form);
      const over = new Promise<undefined>((resolve) => {
        signal.addEventListener("abort", () => resolve(undefined), { once: true });
      });
      const reply = await Promise.race([asked, over]);
      return reply && approvalAnswer(request, reply);
    },
    async attend(asking, can, run) {
      const id = `mcp-${++count}`;
      calls.set(id, { asking, can, hasStarted: false });
      try {
        return await run(id, callerOf(asking, can));
      } finally {
        calls.delete(id);
      }
    },
    hear(event) {
      const call = event.type === "tool:execution:start" ? calls.get(event.call.id) : undefined;
      if (call) call.hasStarted = true;
    },
  };
}

/** Everything that a person was shown: a yes counts for exactly this. */
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
      // The newer protocol has an error of its own for this; an older client reads the tool's.
      if (asking.round().envelope) asking.fail(new MissingRequiredClientCapabilityError({ requiredCapabilities }));
      return fail(
        "tool_unavailable",
        `This client has not said that it can answer ${request.method}.`,
        "Use a client that can, or a tool that does not ask.",
      );
    },
  };
}

/** What a client has said that it can do: with this request in the newer protocol, at the start in the older. */
export function abilitiesOf(server: Server, round: Round): Caller["can"] {
  const envelope: Readonly<Record<string, unknown>> | undefined = round.envelope;
  const said = envelope
    ? (envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined)
    : server.getClientCapabilities();
  const can = new Set<CallerRequest["method"]>();
  const { elicitation } = said ?? {};
  if (elicitation && (elicitation.form || !elicitation.url)) can.add("elicitation/create");
  if (said?.sampling) can.add("sampling/createMessage");
  if (said?.roots) can.add("roots/list");
  return can;
}
