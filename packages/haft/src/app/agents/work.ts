import type { AgentRequest } from "@haft/core/tool";
import { HaftError } from "@haft/core/tool";
import { MOST_STOP_BLOCKS, type RunHooks, type SessionOutcome } from "@haft/plugins/hook";
import { type AgentEnd, type AgentEvent, type Message, type Model, runAgent, userMessage } from "../../agent/index.ts";
import type { Haft } from "../haft.ts";
import { openStrangers } from "../session/strangers.ts";
import type { AgentNode, Report } from "./node.ts";

/** Everything needed to run one agent. */
export interface Work {
  readonly node: AgentNode;
  readonly request: AgentRequest;
  readonly report: Report;
  readonly haft: Haft;
  readonly model: Model;
  readonly runHooks: RunHooks;
  readonly system: string;
  /** Aborts the work at once. */
  readonly signal: AbortSignal;
  /** Fires at the timeout. */
  readonly late: AbortSignal;
  readonly maxTurns: number;
  /** Writes down each message of the conversation. */
  readonly keep: (message: Message) => void;
}

/** Runs an agent until it has answered, and writes its report. Never rejects. */
export async function work(job: Work): Promise<void> {
  const { report, haft, request, signal, late } = job;
  const either = AbortSignal.any([signal, late]);
  let limit: string | undefined;
  let refused = false;
  const silence = listen(job, () => {
    refused = true;
  });
  try {
    const who = { agent_id: job.node.ref.id, agent_type: report.type };
    const { context } = await job.runHooks("SubagentStart", who, signal);
    let goesOn = 0;
    const end = await runAgent({
      model: job.model,
      executor: haft,
      mailbox: haft.mailbox,
      offer: () => haft.offer({ deferred: job.model.withholdsTools ? "withheld" : true }),
      messages: [...context.map((text) => userMessage(`[SubagentStart hook] ${text}`)), userMessage(request.prompt)],
      async beforeEnd(text) {
        const heard = await job.runHooks(
          "SubagentStop",
          { ...who, stop_hook_active: goesOn > 0, ...(text === "" ? {} : { last_assistant_message: text }) },
          either,
        );
        if (heard.stop !== undefined) return { stop: heard.stop };
        const idle = heard.blocked === undefined ? await idleHook(job, either) : undefined;
        if (idle?.stop !== undefined) return { stop: idle.stop };
        const [event, said] = idle ? (["TeammateIdle", idle] as const) : (["SubagentStop", heard] as const);
        if (said.blocked === undefined || goesOn++ >= MOST_STOP_BLOCKS) return {};
        return {
          messages: [said.blocked, ...said.context].map((words) => userMessage(`[${event} hook] ${words}`)),
        };
      },
      system: job.system,
      maxTurns: job.maxTurns,
      signal: either,
      stopAfter(outcomes) {
        report.failedCalls += outcomes.filter(({ status }) => status !== "ok").length;
        const spent = outcomes.find(({ result }) => result.error?.details?.budget === "calls");
        limit ??= spent?.result.error?.message;
        return refused ? "the user said no" : limit;
      },
      onEvent: (event) => news(job, event),
    });
    limit ??= late.aborted ? "Its timeout was reached." : end.reason === "max_turns" ? end.why : shortage(end.error);
    report.text = limit !== undefined && !signal.aborted ? ((await lastWords(job, end)) ?? end.text) : end.text;
    settle(report, end, { limit, stopped: signal.aborted });
  } catch (thrown) {
    Object.assign(report, { status: "failed", why: thrown instanceof Error ? thrown.message : String(thrown) });
  } finally {
    silence();
  }
}

/** A member of a team is about to end. */
function idleHook({ node, runHooks }: Work, signal: AbortSignal): Promise<SessionOutcome> | undefined {
  const { team, ref } = node;
  if (!team) return undefined;
  return runHooks("TeammateIdle", { teammate_name: ref.name ?? ref.id, team_name: team.name }, signal);
}

/** The budget that was too small for another turn. */
const shortage = (error: unknown): string | undefined =>
  HaftError.is(error) && error.details?.budget !== undefined ? error.message : undefined;

function settle(
  report: Report,
  end: AgentEnd,
  { limit, stopped }: { limit: string | undefined; stopped: boolean },
): void {
  const failed =
    end.error === undefined
      ? undefined
      : HaftError.is(end.error)
        ? end.error.message
        : String((end.error as Error).message ?? end.error);
  const why = stopped ? "it was stopped" : (limit ?? failed ?? end.why);
  if (why !== undefined) report.why = why;
  report.status = stopped
    ? "stopped"
    : end.reason === "answered" && limit === undefined && report.text.trim() !== ""
      ? "completed"
      : "failed";
}

/** The last words of an agent that reached a limit: asks it once more, without tools. */
async function lastWords(
  { model, system, signal, request }: Work,
  { messages }: AgentEnd,
): Promise<string | undefined> {
  const ask = userMessage(
    "[You have reached a limit. Say in a few sentences what you found and did, and what is left.]",
  );
  let text: string | undefined;
  const own = AbortSignal.any([signal, AbortSignal.timeout(LAST_WORDS_MS)]);
  for await (const event of model.step({ system, messages: [...messages, ask], tools: [], signal: own }))
    if (event.type === "part" && event.part.type === "text") text = (text ?? "") + event.part.text;
  if (text !== undefined) tell(request, { type: "text", text, isWhole: true });
  return text;
}

const LAST_WORDS_MS = 60_000;

/** Reports the calls of this agent, and notes what it and the agents below it changed, and the strangers they have read. */
function listen({ node, request, report, haft }: Work, onNo: () => void): () => void {
  const isBelow = (id: string) => id === node.ref.id || id.startsWith(`${node.ref.id}.`);
  const files = new Set<string>();
  const strangers = openStrangers(undefined);
  return haft.on(
    (event) => {
      if (!isBelow(event.agent.id)) return;
      const isOwn = event.agent.id === node.ref.id;
      if (event.type === "tool:permission:response") {
        const { answer } = event;
        if (isOwn && answer.behavior === "deny" && (!answer.message || answer.interrupt)) onNo();
        return;
      }
      if (event.type !== "tool:execution:complete" && event.type !== "tool:execution:error") return;
      const { effects, status, result } = event.outcome;
      if (status === "ok")
        for (const effect of effects) if (effect.do === "write" && !effect.tree) files.add(effect.path);
      report.filesModified = [...files].sort();
      strangers.note(result.labels);
      report.sources = strangers.sources();
      if (!isOwn) return;
      report.calls += 1;
      const text = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
      const error = result.error ? { error: result.error.message } : {};
      tell(request, {
        type: "result",
        id: event.call.id,
        tool: event.call.tool,
        ok: status === "ok",
        text,
        ...error,
        effects,
      });
    },
    ["tool:execution:complete", "tool:execution:error", "tool:permission:response"],
  );
}

function news({ request, report, keep }: Work, event: AgentEvent): void {
  if (event.type === "message") keep(event.message);
  if (event.type === "call") {
    const { id, tool, input } = event.call;
    tell(request, { type: "call", id, tool, input, title: `${report.description}: ${tool}` });
  }
  if (event.type === "retry") tell(request, { type: "note", text: "The model failed; retrying." });
  if (event.type !== "model") return;
  const inner = event.event;
  const typeOf = (of: "text" | "reasoning") => (of === "text" ? "text" : "thinking");
  if (inner.type === "delta") tell(request, { type: typeOf(inner.of), text: inner.text, isWhole: false });
  if (inner.type === "part" && inner.part.type !== "tool-call")
    tell(request, { type: typeOf(inner.part.type), text: inner.part.text, isWhole: true });
}

/** A listener must not change what happens. */
function tell({ onNews }: AgentRequest, told: Parameters<NonNullable<AgentRequest["onNews"]>>[0]): void {
  try {
    onNews?.(told);
  } catch {
    // Ignored: the listener's own failure.
  }
}
