import { useEffect, useState } from "preact/hooks";
import { get, post } from "../lib/api.ts";
import { pathTo } from "../lib/router.ts";
import { onMessage } from "../lib/socket.ts";
import { useLoaded } from "../lib/store.ts";
import { agoOf, clean, Empty, Failure, Head, place, whenOf } from "../part/bits.tsx";

interface Firing {
  readonly id: string;
  readonly at: string;
  readonly status: string;
  readonly text?: string;
  readonly session?: string;
  readonly open?: readonly string[];
  readonly missed?: number;
}

interface Schedule {
  readonly id: string;
  readonly name?: string;
  readonly expression: string;
  readonly zone?: string;
  readonly prompt: string;
  readonly folder: string;
  readonly mode: string;
  readonly grant: readonly string[];
  readonly enabled: boolean;
  readonly isApproved: boolean;
  readonly deadlineMinutes?: number;
  readonly next?: string;
  readonly firings: readonly Firing[];
}

const TAGS: Readonly<Record<string, string>> = { completed: "tag-good", failed: "tag-bad", needs_you: "tag-warn" };

/** The schedules of the user: each with its times, its grant and its latest firings. This server runs those that are due. */
export function SchedulesPage() {
  const { data, error, reload } = useLoaded(() => get<{ schedules: readonly Schedule[] }>("/api/schedules"), []);
  const [failure, setFailure] = useState<string>();
  useEffect(() => onMessage(({ type }) => type === "schedules" && reload()), []);
  const act = (id: string, action: string): void =>
    void post(`/api/schedules/${id}/${action}`).then(
      () => setFailure(undefined),
      (thrown: Error) => setFailure(thrown.message),
    );
  return (
    <div class="page">
      <Head title="Schedules" />
      <Failure error={error ?? failure} />
      <NewSchedule onDone={reload} />
      {data?.schedules.length === 0 && <Empty>There are no schedules. Add one above.</Empty>}
      <ul class="cards">
        {data?.schedules.map((schedule) => (
          <ScheduleCard key={schedule.id} schedule={schedule} onAct={(action) => act(schedule.id, action)} />
        ))}
      </ul>
    </div>
  );
}

interface CardProps {
  readonly schedule: Schedule;
  onAct(action: "pause" | "resume" | "run" | "remove"): void;
}

function ScheduleCard({ schedule, onAct }: CardProps) {
  const { id, name, expression, zone, prompt, folder, grant, enabled, isApproved, next, firings } = schedule;
  const [isRemoving, setRemoving] = useState(false);
  const title = clean(name ?? id);
  return (
    <li class="card">
      <h2>
        {title} <code>{clean(expression)}</code>{" "}
        {!isApproved ? (
          <span class="tag tag-bad">changed after it was approved: it does not run</span>
        ) : enabled ? (
          next !== undefined && <span class="tag">next {whenOf(next)}</span>
        ) : (
          <span class="tag tag-warn">paused</span>
        )}
      </h2>
      <p>{clean(prompt)}</p>
      <p class="dim">
        {place(folder)} · {clean(zone ?? "the zone of this machine")} · a question waits{" "}
        {schedule.deadlineMinutes ?? 10} minutes
      </p>
      <p>
        It may do without asking:{" "}
        {grant.length === 0
          ? "only read"
          : grant.map((rule) => (
              <>
                <code key={rule}>{clean(rule)}</code>{" "}
              </>
            ))}
      </p>
      {firings.length > 0 && (
        <details open={firings[0]?.status === "needs_you"}>
          <summary>
            {firings.length === 1 ? "One firing" : `The latest ${firings.length} runs`}:{" "}
            {firings[0]!.status.replace("_", " ")}
          </summary>
          <ul class="plain-list firings">
            {firings.map((firing) => (
              <FiringLine key={firing.id} firing={firing} />
            ))}
          </ul>
        </details>
      )}
      <div class="answers">
        <button type="button" class="quiet" onClick={() => onAct("run")} disabled={!isApproved || !enabled}>
          Run now<span class="sr"> {title}</span>
        </button>
        <button type="button" class="quiet" onClick={() => onAct(enabled ? "pause" : "resume")}>
          {enabled ? "Pause" : "Resume"}
          <span class="sr"> {title}</span>
        </button>
        <button type="button" class="deny" onClick={() => (isRemoving ? onAct("remove") : setRemoving(true))}>
          {isRemoving ? "Remove it and its grant" : "Remove"}
          <span class="sr"> {title}</span>
        </button>
      </div>
    </li>
  );
}

const FiringLine = ({ firing: { at, status, text, session, open = [], missed } }: { readonly firing: Firing }) => (
  <li>
    <span class={`tag ${TAGS[status] ?? ""}`}>{status.replace("_", " ")}</span>
    <div>
      <span class="dim">
        <time dateTime={at} title={whenOf(at)}>
          {agoOf(at)}
        </time>
        {missed !== undefined && ` · ${missed} ${missed === 1 ? "time" : "times"} without a host`}
        {session !== undefined && (
          <>
            {" · "}
            <a href={pathTo("s", session)}>session</a>
          </>
        )}
      </span>
      {text !== undefined && text !== "" && <p>{clean(text.slice(0, 400))}</p>}
      {open.length > 0 && <p class="bad">Nobody answered: {open.map(clean).join("; ")}</p>}
    </div>
  </li>
);

/** Adds a schedule: it is rehearsed, and its question with the grant comes to the approvals. */
function NewSchedule({ onDone }: { onDone(): void }) {
  const [draft, setDraft] = useState({ expression: "", prompt: "", name: "" });
  const [state, setState] = useState<{ readonly text: string; readonly isBad?: true; readonly isAsked?: true }>();
  const field = (key: keyof typeof draft) => (event: { currentTarget: { value: string } }) =>
    setDraft({ ...draft, [key]: event.currentTarget.value });
  const add = async (): Promise<void> => {
    setState({ text: "Rehearsing: no changes are made …" });
    try {
      const { name, ...rest } = draft;
      const body = name.trim() === "" ? rest : draft;
      const { state: end, why } = await post<{ state: string; why?: string }>("/api/schedules", body);
      if (end === "refused") return setState({ text: why ?? "It was refused.", isBad: true });
      setState(
        end === "asked"
          ? { text: "The rehearsal is complete. Its rights wait for your answer: ", isAsked: true }
          : undefined,
      );
      setDraft({ expression: "", prompt: "", name: "" });
      onDone();
    } catch (thrown) {
      setState({ text: (thrown as Error).message, isBad: true });
    }
  };
  return (
    <details class="card">
      <summary>New schedule</summary>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <label>
          <span>Times: minute, hour, day, month, weekday</span>
          <input type="text" required value={draft.expression} onInput={field("expression")} placeholder="0 3 * * *" />
        </label>
        <label>
          <span>Name (optional)</span>
          <input type="text" value={draft.name} onInput={field("name")} />
        </label>
        <label>
          <span>Prompt</span>
          <textarea required rows={3} value={draft.prompt} onInput={field("prompt")} />
        </label>
        <button type="submit" class="allow">
          Rehearse and ask
        </button>
      </form>
      {state && (
        <p class={state.isBad ? "failure" : "banner"} role="status">
          {clean(state.text)}
          {state.isAsked && <a href={pathTo("approvals")}>answer it</a>}
        </p>
      )}
    </details>
  );
}
