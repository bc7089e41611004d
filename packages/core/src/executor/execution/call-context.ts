import { type Outcome, refusalOf } from "../../approval/index.ts";
import { createCatalog } from "../../registry/index.ts";
import { type Answered, type CallContext, HaftError, type Ports, type Question } from "../../tool/index.ts";
import { emit } from "../emit.ts";
import type { Flight } from "../flight.ts";
import type { Machine } from "../machine.ts";
import { bindPorts } from "./bound-ports.ts";
import type { Deadline } from "./deadline.ts";
import type { ProgressFeed } from "./progress.ts";

/** What `run` gets: the call's own ports, its signal, and ways to tell, to ask and to call further. */
export function callContext(flight: Flight, signal: AbortSignal, feed: ProgressFeed, deadline: Deadline): CallContext {
  const { machine, call, services } = flight;
  async function unhurried<T>(wait: Promise<T>): Promise<T> {
    deadline.pause();
    try {
      return await wait;
    } finally {
      deadline.resume();
    }
  }

  return {
    call,
    agent: machine.agent,
    session: machine.session,
    cwd: machine.cwd(),
    home: machine.home,
    signal,
    progress: (update) => feed.update(update),
    ports: { ...bindPorts(machine, call, flight.decision!.grant), ...catalogPort(machine) },
    ask: (question) => unhurried(askPerson(flight, question, signal)),
    invoke: (tool, input) => unhurried(services.invoke(flight, tool, input)),
  };
}

/** Loading a definition changes what the model is told and nothing else, so it needs no grant. */
function catalogPort({ deferral, registry, available, offerContext }: Machine): Pick<Ports, "catalog"> {
  return deferral ? { catalog: createCatalog({ deferral, registry, available, context: offerContext }) } : {};
}

async function askPerson(flight: Flight, question: Question, signal: AbortSignal): Promise<Answered> {
  const { machine, call, decision } = flight;
  const draft = {
    callId: call.id,
    agent: machine.agent,
    tool: call.tool,
    title: question.title,
    input: flight.observed,
    effects: question.effects ?? [],
    show: question.show,
    why: `${call.tool} asks while it runs.`,
    destructive: false,
    suggestions: [],
  };
  const outcome: Outcome = machine.approvals
    ? await machine.approvals.ask(draft, decision!, signal, (request) => {
        emit(flight, { type: "tool:permission:request", request });
      })
    : { status: "unattended", requestId: "" };
  const refusal = refusalOf(outcome, call.tool);
  if (refusal) throw new HaftError(refusal);
  if (outcome.status !== "answered") return {};
  const { answer, by, requestId } = outcome;
  emit(flight, { type: "tool:permission:response", requestId, answer, by });
  return {
    ...(answer.behavior === "allow" && answer.input !== undefined ? { input: answer.input } : {}),
    ...(answer.message === undefined ? {} : { message: answer.message }),
  };
}
