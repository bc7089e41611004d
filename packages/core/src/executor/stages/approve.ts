import type { ApprovalRequest } from "../../approval/index.ts";
import type { Display } from "../../tool/index.ts";
import { stopBatch } from "../batch.ts";
import { bindPorts } from "../bound-ports.ts";
import { emit } from "../emit.ts";
import { effectContext, type Flight, refuse, type Stage, titleOf, type Verdict } from "../flight.ts";
import type { Settlement } from "../machine.ts";
import { decide, judge } from "./decide.ts";

/**
 * Asks a person where the decision says so. While an earlier call of the batch waits for an answer, calls that would
 * change something wait too, and are decided again afterwards: the answer may have left a grant behind.
 */
export const approve: Stage = async (flight: Flight) => {
  const { batch } = flight;
  while (mustWait(flight)) {
    await nextAnswer(flight);
    flight.signal.throwIfAborted();
    const denied = await decide(flight);
    if (denied) return denied;
  }
  if (flight.decision!.decision === "allow") return;
  // In the same instant as the check above: two calls must not both find that nobody asks.
  batch.asking.add(flight);
  try {
    return act(flight, await ask(flight, await requestOf(flight)));
  } finally {
    batch.asking.delete(flight);
    for (const wake of [...batch.answered]) wake();
  }
};

/** Whether an earlier call of the batch waits for a person, and this one is not merely reading. */
function mustWait(flight: Flight): boolean {
  const { batch, decision, traits } = flight;
  if (batch.asking.size === 0 || (traits!.isReadOnly && decision!.decision === "allow")) return false;
  const place = batch.flights.indexOf(flight);
  return [...batch.asking].some((other) => batch.flights.indexOf(other) < place);
}

function nextAnswer({ batch, signal }: Flight): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      batch.answered.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    batch.answered.add(wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}

async function ask(flight: Flight, request: ApprovalRequest): Promise<Settlement> {
  const { approvals } = flight.machine;
  if (!approvals) return { kind: "nobody" };
  emit(flight, { type: "tool:permission:request", request });
  const settlement = await approvals.ask(request, flight.decision!, flight.signal);
  if (settlement.kind === "answered") {
    const { answer, by } = settlement;
    emit(flight, { type: "tool:permission:response", requestId: request.id, answer, by });
  }
  return settlement;
}

function act(flight: Flight, settlement: Settlement): Verdict {
  const { machine, batch, call } = flight;
  const { reason } = flight.decision!;
  if (settlement.kind === "nobody") {
    return refuse({
      code: "needs_approval",
      message: `${call.tool} needs a person's approval, and nobody is there to give it: ${reason}`,
      hint: "Allow it with a rule or a mode beforehand, or run where somebody can answer. Do not try the same call again.",
    });
  }
  if (settlement.kind === "expired") {
    return refuse({
      code: "approval_expired",
      message: `Nobody answered in time whether ${call.tool} may run; it did not.`,
      hint: "Go on without it, or say what you would need.",
    });
  }
  const { answer, by } = settlement;
  if (answer.behavior === "deny") {
    if (!answer.message || answer.interrupt) stopBatch(batch, `the user said no to ${call.tool}.`);
    const feedback = answer.message ? ` They said: ${answer.message}` : "";
    return refuse({
      code: "denied_by_user",
      message: `The user said no to this ${call.tool} call.${feedback}`,
      hint: answer.message ? "Take this into account." : "Do not try it again. Stop and wait for what the user says.",
    });
  }
  if (answer.remember) machine.remember?.(answer.remember);
  if (answer.message) flight.context.push(`The user allowed this and said: ${answer.message}`);
  if (answer.input !== undefined) return { rewrite: answer.input, by };
  flight.approval = { by, scope: answer.remember?.scope ?? "once" };
  return recheck(flight);
}

/** A person may think for long. What was forbidden meanwhile stays forbidden. */
function recheck(flight: Flight): Verdict {
  const now = judge(flight);
  if (now.decision !== "deny") return undefined;
  flight.decision = now;
  return refuse({ code: now.code ?? "denied_by_rule", message: `${flight.call.tool} was refused: ${now.reason}` });
}

async function requestOf(flight: Flight): Promise<ApprovalRequest> {
  const { machine, call, decision } = flight;
  const title = titleOf(flight);
  return {
    id: `${machine.session.id}:${call.id}:${flight.rewrites}`,
    callId: call.id,
    agent: machine.agent,
    tool: call.tool,
    title,
    input: flight.observed,
    effects: flight.effects,
    show: await preview(flight),
    why: decision!.reason,
    destructive: flight.traits!.isDestructive,
    suggestions: decision!.suggestions,
  };
}

/** What the person sees. A tool that cannot show it leaves the plain input, never nothing. */
async function preview(flight: Flight): Promise<Display> {
  const { tool } = flight.entry!;
  const plain: Display = { kind: "text", text: JSON.stringify(flight.observed, null, 2) ?? "" };
  if (!tool.preview) return plain;
  try {
    const ports = bindPorts(flight.machine, tool.name, {
      effects: flight.effects,
      holes: flight.decision!.grant.holes,
    });
    // A preview reads and changes nothing, whatever the call itself may do.
    return await tool.preview(flight.input, effectContext(flight, readOnly(ports)));
  } catch {
    return plain;
  }
}

function readOnly(ports: ReturnType<typeof bindPorts>): ReturnType<typeof bindPorts> {
  const refused = () => Promise.reject(new Error("A preview changes nothing."));
  return { ...ports, files: { ...ports.files, write: refused }, processes: { run: refused } };
}
