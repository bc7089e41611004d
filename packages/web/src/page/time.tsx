import type { Effect } from "@haft/core/tool";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, post } from "../lib/api.ts";
import type { SessionEntry, TimelineCall } from "../lib/model.ts";
import { goTo } from "../lib/router.ts";
import { useLoaded } from "../lib/store.ts";
import { clean, counted, Effects, Empty, Failure, place, StatusIcon, timeOf } from "../part/bits.tsx";
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

interface Remembered {
  readonly rules: readonly string[];
  readonly scope: string;
  readonly by?: string;
}

interface Timeline {
  readonly calls: readonly TimelineCall[];
  readonly total: number;
  readonly remembered: readonly Remembered[];
}

/** Calls of one request. */
const WINDOW = 1_000;
/** More calls than this are too narrow to tell apart. */
const MOST_TICKS = 250;

async function loadTimeline(id: string): Promise<Timeline> {
  const calls: TimelineCall[] = [];
  for (;;) {
    const part = await get<Timeline>(`/api/sessions/${id}/timeline?from=${calls.length}&limit=${WINDOW}`);
    calls.push(...part.calls);
    if (part.calls.length < WINDOW) return { ...part, calls };
  }
}

/** The calls of a session on a slider: the files, the change and the decision at each of them. `start`: the first shown. */
export function TimePage({ id, start }: { readonly id: string; readonly start: string }) {
  const { data, error, reload } = useLoaded(() => loadTimeline(id), [id]);
  const calls = data?.calls ?? [];
  const [at, setAt] = useState<number>();
  const first = calls.findLastIndex((one) => one.id === start);
  const index = Math.min(at ?? (first < 0 ? calls.length - 1 : first), calls.length - 1);
  const call = calls[index];
  const move = (step: number): void => setAt(Math.max(0, Math.min(calls.length - 1, index + step)));

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (/^(?:INPUT|TEXTAREA|SELECT)$/.test((event.target as HTMLElement).tagName)) return;
      if (event.key === "ArrowLeft") move(-1);
      if (event.key === "ArrowRight") move(1);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [index, calls.length]);

  return (
    <div class="page">
      <SessionHead id={id} tab="time" />
      <Failure error={error} />
      {data && calls.length === 0 && (
        <Empty>The session has made no calls yet. Each call appears here with the files as they were then.</Empty>
      )}
      {data && call && (
        <>
          <Slider calls={calls} index={index} onMove={setAt} />
          <Call
            key={call.id}
            id={id}
            call={call}
            later={after(calls, index)}
            remembered={data.remembered.slice(0, call.grants)}
            onChange={reload}
          />
          <Moment key={call.id} id={id} call={call.id} />
          <OtherRules id={id} call={call.id} />
        </>
      )}
    </div>
  );
}

/** The scope of an undo of everything after a call, which may have changed nothing itself. `undefined`: nothing is after it. */
function after(calls: readonly TimelineCall[], index: number): object | undefined {
  if (!calls.slice(index + 1).some(({ changed }) => changed)) return undefined;
  const last = calls.slice(0, index + 1).findLast(({ changed }) => changed);
  return last ? { to: last.id } : { all: true };
}

interface SliderProps {
  readonly calls: readonly TimelineCall[];
  readonly index: number;
  onMove(index: number): void;
}

function Slider({ calls, index, onMove }: SliderProps) {
  const call = calls[index]!;
  return (
    <div class="slider">
      <label for="slider">
        Call {index + 1} of {calls.length} · turn {call.turn}
      </label>
      <div class="slider-row">
        <button type="button" class="quiet" disabled={index === 0} onClick={() => onMove(index - 1)}>
          ←<span class="sr"> the call before</span>
        </button>
        <input
          id="slider"
          type="range"
          min={0}
          max={calls.length - 1}
          value={index}
          aria-valuetext={`${call.title ?? call.tool}, ${call.status}`}
          onInput={(event) => onMove(Number(event.currentTarget.value))}
        />
        <button type="button" class="quiet" disabled={index === calls.length - 1} onClick={() => onMove(index + 1)}>
          →<span class="sr"> the call after</span>
        </button>
      </div>
      {calls.length <= MOST_TICKS && (
        <ol class="ticks" aria-hidden="true">
          {calls.map((one, tick) => (
            <li
              key={one.id}
              class={`tick ${one.changed ? "tick-change" : ""} tick-${one.status} ${tick === index ? "tick-now" : ""}`}
            />
          ))}
        </ol>
      )}
    </div>
  );
}

interface CallProps {
  readonly id: string;
  readonly call: TimelineCall;
  /** The scope of the changes after this call, if there are any. */
  readonly later: object | undefined;
  /** The answers that counted for later calls, up to this one. */
  readonly remembered: readonly Remembered[];
  /** The files have changed. */
  onChange(): void;
}

/** One call: its decision, what was known and allowed then, and the ways back. */
function Call({ id, call, later, remembered, onChange }: CallProps) {
  const [error, setError] = useState<string>();
  const [report, setReport] = useState<string>();
  const act = (work: Promise<string | undefined>): void => {
    setError(undefined);
    work.then(setReport, (thrown: Error) => setError(thrown.message));
  };
  const undo = async (scope: object): Promise<string> => {
    const body = { session: id, ...scope };
    const { changes, conflicts } = await post<Record<"changes" | "conflicts", unknown[]>>("/api/journal/undo", body);
    onChange();
    return `${counted(changes.length, "path")} restored${conflicts.length > 0 ? `, ${conflicts.length} left alone` : ""}.`;
  };
  const fork = async (): Promise<undefined> => {
    const made = await post<SessionEntry>("/api/sessions", { resume: id, fork: true, forkAt: call.id });
    goTo("s", made.id);
  };
  return (
    <section class="card moment">
      <h2>
        <StatusIcon status={call.status} /> {clean(call.title ?? call.tool)}
      </h2>
      <p>
        <b class={`decision-${call.decision}`}>{call.decision ?? "not decided"}</b>{" "}
        {call.reason !== undefined && place(call.reason)}
      </p>
      <dl class="moment-facts">
        <Fact name="tool">{clean(call.tool)}</Fact>
        <Fact name="agent">{clean(call.agent)}</Fact>
        <Fact name="time">
          {new Date(call.startedAt).toLocaleTimeString("en", { hour12: false })}, {timeOf(call.durationMs)}
        </Fact>
        <Fact name="context">
          {call.context === undefined ? "not counted" : `${call.context.toLocaleString("en")} tokens`}
        </Fact>
        <Fact name="remembered answers">
          {remembered.length === 0
            ? "none"
            : remembered.map(({ rules, scope, by }, at) => (
                <div key={at}>
                  {rules.map((rule) => (
                    <code key={rule}>{place(rule)} </code>
                  ))}
                  <span class="tag">{scope}</span> {by !== undefined && <span class="dim">{clean(by)}</span>}
                </div>
              ))}
        </Fact>
      </dl>
      <Failure error={error} />
      {report !== undefined && <p class="banner">{report}</p>}
      <div class="answers">
        <button type="button" disabled={!call.changed} onClick={() => act(undo({ call: call.id }))}>
          Undo this call
        </button>
        <button type="button" disabled={later === undefined} onClick={() => act(undo(later ?? {}))}>
          Undo everything after it
        </button>
        <button type="button" disabled={call.agent !== "main"} onClick={() => act(fork())}>
          Fork from here
        </button>
      </div>
    </section>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

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
