import { type Answered, type CallContext, fail, type Question } from "../tool/index.ts";
import { bindPorts } from "./bound-ports.ts";
import type { Deadline } from "./deadline.ts";
import { emit } from "./emit.ts";
import type { Flight } from "./flight.ts";
import type { ProgressFeed } from "./progress.ts";

/** What `run` gets: the call's own ports, its signal, and ways to tell, to ask and to call further. */
export function callContext(flight: Flight, signal: AbortSignal, feed: ProgressFeed, deadline: Deadline): CallContext {
  const { machine, call, services } = flight;
  let questions = 0;

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
    ports: bindPorts(machine, call.tool, flight.decision!.grant),
    ask: (question) => unhurried(askPerson(flight, question, ++questions, signal)),
    invoke: (tool, input) => unhurried(services.invoke(flight, tool, input)),
  };
}

async function askPerson(flight: Flight, question: Question, number: number, signal: AbortSignal): Promise<Answered> {
  const { machine, call, decision } = flight;
  if (!machine.approvals) fail("needs_approval", `${call.tool} has a question, and nobody is there to answer it.`);
  const request = {
    id: `${machine.session.id}:${call.id}:ask${number}`,
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
  emit(flight, { type: "tool:permission:request", request });
  const settlement = await machine.approvals.ask(request, decision!, signal);
  if (settlement.kind === "nobody") fail("needs_approval", `Nobody is there to answer: ${question.title}`);
  if (settlement.kind === "expired") fail("approval_expired", `Nobody answered in time: ${question.title}`);
  const { answer, by } = settlement;
  emit(flight, { type: "tool:permission:response", requestId: request.id, answer, by });
  if (answer.behavior === "deny")
    fail("denied_by_user", `The user said no${answer.message ? `: ${answer.message}` : "."}`);
  return {
    ...(answer.input === undefined ? {} : { input: answer.input }),
    ...(answer.message === undefined ? {} : { message: answer.message }),
  };
}
