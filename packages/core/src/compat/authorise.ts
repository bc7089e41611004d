import type { Broker } from "../approval/index.ts";
import { refusalOf } from "../approval/outcome.ts";
import type { Executor } from "../executor/index.ts";
import { type AgentRef, type Effect, isWithinEffects, type ToolError, toJson } from "../tool/index.ts";

/** The policy to decide by and the broker to ask. */
export interface Authority {
  readonly executor: Pick<Executor, "explain">;
  /** Without it an ask is a denial. */
  readonly approvals?: Pick<Broker, "ask">;
}

/** The answer of policy and people to a call that the host will run itself. */
export type Authorisation =
  | { readonly allowed: true; readonly by: string; readonly input: unknown }
  | { readonly allowed: false; readonly error: ToolError };

/**
 * Decides a call like the pipeline, asking people if necessary, without running it: for hosts with a loop of their own.
 * An answer that changes the input is decided again.
 */
export async function authorise(
  authority: Authority,
  call: { readonly id: string; readonly tool: string; readonly input: unknown; readonly agent: AgentRef },
  signal?: AbortSignal,
  before?: Agreed,
): Promise<Authorisation> {
  const { executor, approvals } = authority;
  const { id, tool, input, agent } = call;
  if (signal?.aborted) return refused({ code: "cancelled", message: `${tool} was cancelled. It did not run.` });
  const { decision, effects, traits, error } = await executor.explain({ id, tool, input });
  if (!decision) return refused(error ?? { code: "execution_failed", message: `${tool} could not be decided.` });
  if (decision.decision === "allow") return { allowed: true, by: decision.rule?.rule ?? "policy", input };
  if (decision.decision === "deny")
    return refused({ code: decision.code ?? "denied_by_rule", message: `${tool} was refused: ${decision.reason}` });
  if (before && isWithinEffects(effects, before.effects)) return { allowed: true, by: before.by, input };
  if (before && before.answers >= MOST_CHANGES)
    return refused({ code: "limit_reached", message: `Every answer changed the input of ${tool} again.` });
  const outcome = approvals
    ? await approvals.ask(
        {
          callId: id,
          agent,
          tool,
          title: tool,
          input,
          effects,
          show: { kind: "text", text: toJson(input) },
          why: decision.reason,
          ...(decision.rule ? { rule: decision.rule } : {}),
          destructive: traits.isDestructive,
          suggestions: [],
        },
        decision,
        signal,
      )
    : ({ status: "unattended", requestId: "" } as const);
  if (outcome.status !== "answered" || outcome.answer.behavior !== "allow")
    return refused(refusalOf(outcome, tool) ?? { code: "denied_by_user", message: `${tool} was refused.` });
  if (outcome.answer.input === undefined) return { allowed: true, by: outcome.by, input };
  const agreed = { effects, by: outcome.by, answers: (before?.answers ?? 0) + 1 };
  return authorise(authority, { ...call, input: outcome.answer.input }, signal, agreed);
}

/** A yes with a changed input: it is valid for that input as long as its effects are within the shown ones. */
interface Agreed {
  readonly effects: readonly Effect[];
  readonly by: string;
  readonly answers: number;
}

/** Limit for consecutive answers that each change the input. */
const MOST_CHANGES = 3;

const refused = (error: ToolError): Authorisation => ({ allowed: false, error });
