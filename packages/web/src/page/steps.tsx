import { useEffect, useMemo } from "preact/hooks";
import type { CallRow, Row, SessionView } from "../../../haft/src/view/index.ts";
import { inbox } from "../lib/inbox.ts";
import { SessionFollower } from "../lib/session.ts";
import { useStore } from "../lib/store.ts";
import { ApprovalCard } from "../part/approval.tsx";
import { clean, Empty, Failure, timeOf } from "../part/bits.tsx";
import { Shown } from "../part/display.tsx";
import { CallError } from "../part/row.tsx";
import { SessionHead } from "../part/session-head.tsx";

type StepStatus = "pending" | "running" | "awaiting confirmation" | "completed" | "failed";

interface Step {
  readonly row: CallRow;
  readonly status: StepStatus;
  readonly thinking?: string;
}

const SIGNS: Readonly<Record<StepStatus, string>> = {
  ...{ pending: "○", running: "◐", "awaiting confirmation": "?", completed: "✓", failed: "✗" },
};

/** The calls of a session as steps, each with the thoughts before it. Steps that wait for a person are open. */
export function StepsPage({ id }: { readonly id: string }) {
  const follower = useMemo(() => new SessionFollower(id), [id]);
  useEffect(() => () => follower.close(), [follower]);
  const { view, error } = useStore(follower.shown);
  const steps = useMemo(() => (view ? stepsOf(view) : []), [view]);
  return (
    <div class="page">
      <SessionHead id={id} tab="steps" {...(view ? { view } : {})} />
      <Failure error={error} />
      {view && steps.length === 0 && <Empty>The session has no steps yet.</Empty>}
      <ol class="steps">
        {steps.map((step) => (
          <StepCard key={step.row.id} step={step} view={view!} />
        ))}
      </ol>
    </div>
  );
}

function StepCard({ step: { row, status, thinking }, view }: { readonly step: Step; readonly view: SessionView }) {
  const isWaiting = status === "awaiting confirmation";
  const request = isWaiting ? view.approvals.find(({ callId }) => callId === row.callId) : undefined;
  const digest = useStore(inbox).find((item) => item.request.id === request?.id)?.digest;
  return (
    <li class={`step step-${status.replace(" ", "-")}`}>
      <details open={isWaiting || status === "running"}>
        <summary>
          <span class="step-sign" role="img" aria-label={status} title={status}>
            {SIGNS[status]}
          </span>
          <span class="title">{clean(row.title)}</span>
          <span class="tag">{clean(row.tool)}</span>
          <span class="dim time">{timeOf(row.durationMs)}</span>
        </summary>
        {thinking !== undefined && <blockquote class="dim">{clean(thinking)}</blockquote>}
        {request ? (
          <ApprovalCard request={request} {...(digest === undefined ? {} : { digest })} />
        ) : (
          <>
            {row.input !== undefined && (
              <pre class="plain">{clean(JSON.stringify(row.input, null, 2)).slice(0, 4_000)}</pre>
            )}
            {row.display && <Shown display={row.display} />}
            {row.summary !== undefined && <p class="dim">{clean(row.summary.slice(0, 1_000))}</p>}
            <CallError row={row} />
          </>
        )}
      </details>
    </li>
  );
}

function stepsOf({ rows }: SessionView): readonly Step[] {
  let thinking: string | undefined;
  return rows.flatMap((row: Row): Step[] => {
    if (row.kind === "reasoning") thinking = row.text;
    if (row.kind !== "call") return [];
    const step = { row, status: statusOf(row), ...(thinking === undefined ? {} : { thinking }) };
    thinking = undefined;
    return [step];
  });
}

function statusOf({ status }: CallRow): StepStatus {
  if (status === "writing" || status === "waiting") return "pending";
  if (status === "asking") return "awaiting confirmation";
  if (status === "running") return "running";
  return status === "ok" ? "completed" : "failed";
}
