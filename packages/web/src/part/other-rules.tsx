import { useState } from "preact/hooks";
import { post } from "../lib/api.ts";
import { Failure, place } from "./bits.tsx";
import { RuleFields, type RuleLists, rulesFrom } from "./rule-fields.tsx";

interface Difference {
  readonly id: string;
  readonly tool: string;
  readonly before: string;
  readonly now: string;
  readonly reason: string;
}

/** Decides the session again under other rules. Nothing runs. */
export function OtherRules({ id, call: here }: { readonly id: string; readonly call: string }) {
  const [lists, setLists] = useState<RuleLists>({});
  const [report, setReport] = useState<{ calls: number; undecided: number; differences: readonly Difference[] }>();
  const [error, setError] = useState<string>();
  return (
    <details class="card">
      <summary>Test other rules on this session</summary>
      <RuleFields value={lists} onChange={setLists} />
      <button
        type="button"
        class="allow"
        onClick={() =>
          void post<typeof report & object>(`/api/sessions/${id}/replay`, rulesFrom(lists)).then(
            (answer) => {
              setReport(answer);
              setError(undefined);
            },
            (thrown: Error) => setError(thrown.message),
          )
        }
      >
        Decide again
      </button>
      <Failure error={error} />
      {report && (
        <>
          <p>
            {report.calls} calls, {report.differences.length} decided differently.
          </p>
          <ul class="plain-list">
            {report.differences.map(({ id: call, tool, before, now, reason }) => (
              <li key={call} class={call === here ? "now" : undefined}>
                <code>{call}</code> {tool}: {before} → <b class={`decision-${now}`}>{now}</b>{" "}
                <span class="dim">{place(reason)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}
