import type { Effect } from "@haft/core/tool";
import { useEffect, useState } from "preact/hooks";
import { get, post } from "../lib/api.ts";
import type { SessionEntry, TimelineCall } from "../lib/model.ts";
import { goTo } from "../lib/router.ts";
import { useLoaded } from "../lib/store.ts";
import { clean, Effects, Empty, Failure, place, StatusIcon, timeOf } from "../part/bits.tsx";
import { Diff } from "../part/diff.tsx";
import { OtherRules } from "../part/other-rules.tsx";
import { PastFiles } from "../part/past-files.tsx";
import { SessionHead } from "../part/session-head.tsx";

interface Change {
  readonly path: string;
  readonly what: string;
  readonly diff?: string;
  readonly undone?: boolean;
}

/** The calls of a session on a slider: the files, the change and the decision at each of them. */
export function TimePage({ id }: { readonly id: string }) {
  const timeline = useLoaded(
    () => get<{ calls: readonly TimelineCall[]; total: number }>(`/api/sessions/${id}/timeline?limit=1000`),
    [id],
  );
  const calls = timeline.data?.calls ?? [];
  const [at, setAt] = useState<number>();
  const [error, setError] = useState<string>();
  const [report, setReport] = useState<string>();
  const index = Math.min(at ?? calls.length - 1, calls.length - 1);
  const call = calls[index];

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (/^(?:INPUT|TEXTAREA|SELECT)$/.test((event.target as HTMLElement).tagName)) return;
      if (event.key === "ArrowLeft") setAt(Math.max(0, index - 1));
      if (event.key === "ArrowRight") setAt(Math.min(calls.length - 1, index + 1));
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [index, calls.length]);

  const act = (work: Promise<string>): void => {
    setError(undefined);
    work.then(
      (text) => {
        setReport(text);
        timeline.reload();
      },
      (thrown: Error) => setError(thrown.message),
    );
  };
  const undo = (scope: object): Promise<string> =>
    post<{ changes: readonly unknown[]; conflicts: readonly unknown[] }>("/api/journal/undo", {
      session: id,
      ...scope,
    }).then(
      ({ changes, conflicts }) =>
        `${changes.length} paths restored${conflicts.length > 0 ? `, ${conflicts.length} left alone` : ""}.`,
    );
  const fork = async (forkAt: string): Promise<void> => {
    const { id: made } = await post<SessionEntry>("/api/sessions", { resume: id, fork: true, forkAt });
    goTo("s", made);
  };

  return (
    <div class="page">
      <SessionHead id={id} tab="time" />
      <Failure error={timeline.error ?? error} />
      {report !== undefined && <p class="banner">{report}</p>}
      {timeline.data && calls.length === 0 && <Empty>The session has made no calls yet.</Empty>}
      {call && (
        <>
          <div class="slider">
            <label for="slider">
              Call {index + 1} of {timeline.data?.total} · turn {call.turn}
            </label>
            <input
              id="slider"
              type="range"
              min={0}
              max={calls.length - 1}
              value={index}
              aria-valuetext={`${call.title ?? call.tool}, ${call.status}`}
              onInput={(event) => setAt(Number(event.currentTarget.value))}
            />
            <ol class="ticks" aria-hidden="true">
              {calls.map((one, tick) => (
                <li
                  key={one.id}
                  class={`tick ${one.changed ? "tick-change" : ""} tick-${one.status} ${tick === index ? "tick-now" : ""}`}
                />
              ))}
            </ol>
          </div>
          <section class="card moment">
            <h2>
              <StatusIcon status={call.status} /> {clean(call.title ?? call.tool)}
            </h2>
            <p class="dim">
              {call.tool} · {call.agent} · {new Date(call.startedAt).toLocaleTimeString("en")} ·{" "}
              {timeOf(call.durationMs)} · {call.grants} remembered answers at that moment
            </p>
            <p>
              <b>{call.decision ?? "not decided"}</b> {call.reason !== undefined && place(call.reason)}
            </p>
            <div class="answers">
              <button type="button" class="quiet" disabled={!call.changed} onClick={() => act(undo({ call: call.id }))}>
                Undo this call
              </button>
              <button type="button" class="quiet" disabled={!call.changed} onClick={() => act(undo({ to: call.id }))}>
                Undo everything after it
              </button>
              <button
                type="button"
                class="quiet"
                disabled={call.agent !== "main"}
                onClick={() => void fork(call.id).catch((thrown: Error) => setError(thrown.message))}
              >
                Fork from here
              </button>
            </div>
          </section>
          <Moment key={call.id} id={id} call={call.id} />
          <OtherRules id={id} call={call.id} />
        </>
      )}
    </div>
  );
}

/** The change of one call, and the files as they were right after it. */
function Moment({ id, call }: { readonly id: string; readonly call: string }) {
  const changes = useLoaded(
    () => get<{ changes: readonly Change[] }>(`/api/journal/${id}/${encodeURIComponent(call)}`),
    [id, call],
  );
  const entry = useLoaded(
    () => get<{ effects?: readonly Effect[] }>(`/api/sessions/${id}/calls/${encodeURIComponent(call)}`),
    [id, call],
  );
  return (
    <div class="columns">
      <section>
        <h2>Change</h2>
        <Failure error={changes.error} />
        {changes.data?.changes.length === 0 && <p class="dim">This call changed no file.</p>}
        {changes.data?.changes.map(({ path, what, diff, undone }) => (
          <div key={path}>
            {diff === undefined ? (
              <p>
                <code>{place(path)}</code> {clean(what)}
              </p>
            ) : (
              <Diff path={path} unified={diff} />
            )}
            {undone && <p class="tag">undone since</p>}
          </div>
        ))}
        {entry.data?.effects && <Effects effects={entry.data.effects} />}
      </section>
      <PastFiles id={id} call={call} />
    </div>
  );
}
