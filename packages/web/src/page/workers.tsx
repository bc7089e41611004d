import type { QueueReport } from "@haft/workers";
import { get } from "../lib/api.ts";
import { useLoaded, useRepeated } from "../lib/store.ts";
import { agoOf, clean, Empty, Failure, Head, timeOf } from "../part/bits.tsx";

interface Answer {
  /** The reason if there is no queue. */
  readonly why?: string;
  readonly queue?: { readonly address: string; readonly name: string; readonly isUsed: boolean };
  readonly report?: QueueReport;
}

const LOOK_MS = 2_000;

/** The queue and its workers, as `haft workers` shows them. */
export function WorkersPage() {
  const { data, error, reload } = useLoaded(() => get<Answer>("/api/workers"), []);
  useRepeated(reload, LOOK_MS);
  const { why, queue, report } = data ?? {};
  return (
    <div class="page">
      <Head title="Workers">
        {queue && (
          <span class="dim">
            queue {clean(queue.name)} on {clean(queue.address)}
          </span>
        )}
      </Head>
      <Failure error={error} />
      {why !== undefined && <NoQueue why={why} />}
      {queue?.isUsed === false && (
        <p class="banner">HAFT_QUEUE names this queue. To send calls to it, start haft serve with --queue.</p>
      )}
      {report && <Report report={report} />}
    </div>
  );
}

/** The reason for an empty page, and the cure. */
export const NoQueue = ({ why }: { readonly why: string }) => (
  <Empty>
    {clean(why)} <code>haft serve --queue redis://HOST:PORT</code> sends calls to workers on other machines.
  </Empty>
);

function Report({ report: { workers, waiting, running, events, redis } }: { readonly report: QueueReport }) {
  const room = workers.reduce((sum, { concurrency, draining }) => sum + (draining ? 0 : concurrency), 0);
  return (
    <>
      <dl class="numbers">
        <Fact name="waiting" value={waiting} isBad={waiting > 0 && room === 0} />
        <Fact name="running" value={running} />
        <Fact name="capacity" value={room} />
        <Fact name="workers" value={workers.length} isBad={workers.length === 0} />
      </dl>
      {!redis.persistent && (
        <p class="notice-warning">
          Redis keeps nothing on disk: a restart loses calls. Start it with --appendonly yes.
        </p>
      )}
      {redis.full && (
        <p class="notice-warning">Redis is full and takes no new calls. Raise its maxmemory, or remove old keys.</p>
      )}
      {redis.evicts && (
        <p class="notice-warning">Redis may drop calls when it is full. Set maxmemory-policy to noeviction.</p>
      )}
      {workers.length === 0 ? (
        <Empty>
          No worker takes calls. Start one: <code>haft worker --queue ADDRESS --key-file FILE</code>
        </Empty>
      ) : (
        <ul class="cards">
          {workers.map((worker) => (
            <WorkerCard key={worker.id} worker={worker} />
          ))}
        </ul>
      )}
      {events.length > 0 && (
        <section>
          <h2>Latest events</h2>
          <ol class="plain-list events">
            {events.toReversed().map((event) => (
              <li key={event.id}>
                <EventLine event={event} />
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
}

const Fact = ({ name, value, isBad }: { readonly name: string; readonly value: number; readonly isBad?: boolean }) => (
  <div>
    <dt>{name}</dt>
    <dd class={isBad ? "bad" : ""}>{value.toLocaleString("en")}</dd>
  </div>
);

function WorkerCard({ worker }: { readonly worker: QueueReport["workers"][number] }) {
  const { id, active, concurrency, done, labels, workspaces, version, draining, silentMs, startedAt } = worker;
  return (
    <li class="card">
      <div class="entry-head">
        <b class="worker-id">{clean(id)}</b>
        <span class="session-state">
          {labels.map((label) => (
            <span key={label} class="tag">
              {clean(label)}
            </span>
          ))}
          {draining ? (
            <span class="tag tag-warn">draining</span>
          ) : (
            <span class="tag tag-good">{active > 0 ? "working" : "idle"}</span>
          )}
        </span>
      </div>
      <p class="worker-load">
        <meter min={0} max={concurrency} value={active} aria-label={`${active} of ${concurrency} calls run`} />
        <span>
          {active} of {concurrency} running, {done.toLocaleString("en")} done
        </span>
      </p>
      <p class="dim">
        {silentMs !== undefined && `heartbeat ${timeOf(silentMs)} ago · `}started{" "}
        {agoOf(new Date(startedAt).toISOString())} · version {clean(version)}
      </p>
      <p>
        {workspaces.length === 0
          ? "any folder"
          : workspaces.map((folder) => <code key={folder}>{clean(folder)} </code>)}
      </p>
    </li>
  );
}

type QueueEvent = QueueReport["events"][number];

const WORDS: Readonly<Record<QueueEvent["is"], readonly [words: string, tag: string]>> = {
  joined: ["takes calls", "tag-good"],
  draining: ["takes no new calls", "tag-warn"],
  left: ["has ended", ""],
  ended: ["ran", ""],
  failed: ["failed at", "tag-bad"],
  refused: ["refused", "tag-bad"],
  lost: ["was lost while it ran", "tag-bad"],
};

/** An event of the queue. Others may have written it. */
function EventLine({ event: { at, is, worker, tool, session, ms, code } }: { readonly event: QueueEvent }) {
  const [words, tag] = WORDS[is] ?? [is, ""];
  return (
    <>
      <time class="dim" dateTime={new Date(at).toISOString()}>
        {new Date(at).toLocaleTimeString("en", { hour12: false })}
      </time>{" "}
      <span class={`tag ${tag}`}>{clean(is)}</span> {clean(worker)} {clean(words)} {clean(tool ?? "")}
      {session !== undefined && <span class="dim"> of session {clean(session)}</span>}
      {ms !== undefined && <span class="dim"> · {timeOf(ms)}</span>}
      {code !== undefined && <span class="bad"> · {clean(code)}</span>}
    </>
  );
}
