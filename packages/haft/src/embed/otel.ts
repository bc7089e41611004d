/** @module Calls as spans and metrics of OpenTelemetry. Takes its API, so that it imports nothing. */
import type { CallEvent } from "@haft/core/executor";
import type { Haft } from "../app/haft.ts";
import type { Attributes, OtelApi, OtelContext, OtelSpan } from "./otel-api.ts";

/** Options for the telemetry of a Haft. */
export interface OtelOptions {
  /** Put arguments and results into spans. They may hold secrets. Default false. */
  readonly content?: boolean;
  /** The parent of all spans, as a W3C `traceparent`. Default: the active span when a call arrives. */
  readonly traceparent?: string;
}

/** The telemetry of a Haft, until it is disposed. */
export interface Otel extends Disposable {
  /** The W3C `traceparent` of a running call, to pass on to a service or a program. */
  traceparent(callId: string): string | undefined;
}

/** The names of the GenAI conventions, which are in development, and Haft's own. */
const NAME = {
  operation: "gen_ai.operation.name",
  tool: "gen_ai.tool.name",
  type: "gen_ai.tool.type",
  callId: "gen_ai.tool.call.id",
  arguments: "gen_ai.tool.call.arguments",
  result: "gen_ai.tool.call.result",
  conversation: "gen_ai.conversation.id",
  agentId: "gen_ai.agent.id",
  agentName: "gen_ai.agent.name",
  error: "error.type",
  duration: "gen_ai.execute_tool.duration",
  effects: "haft.effects",
  decision: "haft.decision",
  rule: "haft.rule",
  basis: "haft.basis",
  undo: "haft.undo",
  status: "haft.status",
  approver: "haft.approval.by",
  answer: "haft.approval.answer",
  wait: "haft.approval.duration",
  decisions: "haft.decisions",
} as const;

const INTERNAL = 0;
const ERROR = 2;

/** A running call: its span, and the span of a question about it. */
class OpenCall {
  readonly context: OtelContext;
  readonly span: OtelSpan;
  readonly #made: ReturnType<typeof instrumentsOf>;
  readonly #startedAt = performance.now();
  #wait: { readonly span: OtelSpan; readonly startedAt: number } | undefined;

  constructor(span: OtelSpan, context: OtelContext, made: ReturnType<typeof instrumentsOf>) {
    this.span = span;
    this.context = context;
    this.#made = made;
  }

  decide({ decision, effects, call }: Extract<CallEvent, { type: "tool:call:decided" }>): void {
    const { decision: behavior, rule } = decision;
    this.span.setAttributes({
      [NAME.decision]: behavior,
      [NAME.effects]: [...new Set(effects.map((effect) => effect.do))],
      ...(rule ? { [NAME.rule]: rule.rule } : {}),
    });
    this.#made.decisions.add(1, { [NAME.decision]: behavior, [NAME.tool]: call.tool });
  }

  ask(): void {
    const span = this.#made.tracer.startSpan("wait_for_approval", { kind: INTERNAL }, this.context);
    this.#wait = { span, startedAt: performance.now() };
  }

  answered({ answer, by }: Extract<CallEvent, { type: "tool:permission:response" }>): void {
    if (!this.#wait) return;
    const { span, startedAt } = this.#wait;
    const attributes = { [NAME.answer]: answer.behavior, [NAME.approver]: by };
    span.setAttributes(attributes);
    span.end();
    this.#made.waiting.record((performance.now() - startedAt) / 1000, attributes);
    this.#wait = undefined;
  }

  complete({ outcome, call }: Extract<CallEvent, { outcome: unknown }>, content: boolean): void {
    const { status, result, traits } = outcome;
    this.#wait?.span.end();
    const failed: Attributes = result.error ? { [NAME.error]: result.error.code } : {};
    this.span.setAttributes({
      [NAME.status]: status,
      ...(traits.isReadOnly ? {} : { [NAME.undo]: traits.isReversible }),
      ...failed,
      ...(content ? { [NAME.result]: JSON.stringify(result.content) } : {}),
    });
    if (result.error) this.span.setStatus({ code: ERROR, ...(content ? { message: result.error.message } : {}) });
    this.span.end();
    this.#made.duration.record((performance.now() - this.#startedAt) / 1000, { [NAME.tool]: call.tool, ...failed });
  }

  /** Ends it without a result. */
  end(): void {
    this.#wait?.span.end();
    this.span.end();
  }
}

function instrumentsOf(api: OtelApi) {
  const tracer = api.trace.getTracer("haft");
  const meter = api.metrics.getMeter("haft");
  return {
    tracer,
    duration: meter.createHistogram(NAME.duration, { unit: "s", description: "Duration of tool calls." }),
    waiting: meter.createHistogram(NAME.wait, { unit: "s", description: "Time until a person answered." }),
    decisions: meter.createCounter(NAME.decisions, { description: "Decisions about tool calls." }),
  };
}

/**
 * Turns the calls of a Haft into spans and metrics: `using telemetry = otel(haft, await import("@opentelemetry/api"))`. A
 * span `execute_tool NAME` for each call has the kinds of its effects, the decision, and a child span while a person is
 * asked.
 */
export function otel(
  haft: Pick<Haft, "on" | "session" | "registry">,
  api: OtelApi,
  { content = false, traceparent }: OtelOptions = {},
): Otel {
  const made = instrumentsOf(api);
  const open = new Map<string, OpenCall>();
  const given = traceparent === undefined ? undefined : api.propagation.extract(api.ROOT_CONTEXT, { traceparent });

  /** A nested call is part of the call that made it. */
  const parentOf = (id: string): OtelContext =>
    open.get(id.slice(0, Math.max(0, id.lastIndexOf("."))))?.context ?? given ?? api.context.active();

  function receive({ call, agent, input }: Extract<CallEvent, { type: "tool:call:received" }>): void {
    const entry = haft.registry.get(call.tool);
    const attributes: Attributes = {
      [NAME.operation]: "execute_tool",
      [NAME.tool]: call.tool,
      [NAME.type]: "function",
      [NAME.callId]: call.id,
      [NAME.conversation]: haft.session.id,
      [NAME.agentId]: agent.id,
      ...(agent.name === undefined ? {} : { [NAME.agentName]: agent.name }),
      ...(entry
        ? { [NAME.basis]: entry.source.basis ?? (entry.source.origin === "builtin" ? "enforced" : "claimed") }
        : {}),
      ...(content ? { [NAME.arguments]: JSON.stringify(input) } : {}),
    };
    const parent = parentOf(call.id);
    const span = made.tracer.startSpan(`execute_tool ${call.tool}`, { kind: INTERNAL, attributes }, parent);
    open.set(call.id, new OpenCall(span, api.trace.setSpan(parent, span), made));
  }

  const stop = haft.on((event) => {
    if (event.type === "tool:call:received") return receive(event);
    const known = open.get(event.call.id);
    if (!known) return;
    if (event.type === "tool:call:decided") known.decide(event);
    else if (event.type === "tool:permission:request") known.ask();
    else if (event.type === "tool:permission:response") known.answered(event);
    else if (event.type === "tool:execution:start") known.span.addEvent("execution.start");
    else if (event.type === "tool:execution:complete" || event.type === "tool:execution:error") {
      open.delete(event.call.id);
      known.complete(event, content);
    }
  });

  return {
    traceparent(callId) {
      const known = open.get(callId);
      if (!known) return undefined;
      const carrier: { traceparent?: string } = {};
      api.propagation.inject(known.context, carrier);
      return carrier.traceparent;
    },
    [Symbol.dispose]() {
      stop();
      for (const known of open.values()) known.end();
      open.clear();
    },
  };
}
