import { useState } from "preact/hooks";
import { get, post } from "../lib/api.ts";
import { inbox, sessions } from "../lib/inbox.ts";
import type { SessionEntry } from "../lib/model.ts";
import { goTo, pathTo } from "../lib/router.ts";
import { useLoaded, useStore } from "../lib/store.ts";
import { agoOf, clean, Empty, Failure, Head } from "../part/bits.tsx";
import { sendOnEnter } from "../part/composer.tsx";

/** All sessions of the folder, and the prompt for a new one. */
export function SessionsPage() {
  const all = useStore(sessions);
  const waiting = useStore(inbox).length;
  const about = useLoaded(() => get<{ cwd: string; version: string }>("/api/about"), []);
  const [prompt, setPrompt] = useState("");
  const [filter, setFilter] = useState("");
  const [error, setError] = useState<string>();
  const shown = all.filter(({ title, id }) => `${title} ${id}`.toLowerCase().includes(filter.toLowerCase()));

  const start = async (body: object): Promise<void> => {
    try {
      const { id } = await post<SessionEntry>("/api/sessions", body);
      goTo("s", id);
    } catch (thrown) {
      setError((thrown as Error).message);
    }
  };

  return (
    <div class="page">
      <Head title="Sessions">
        <span class="dim">{about.data && clean(about.data.cwd)}</span>
      </Head>
      <form
        class="composer start"
        onSubmit={(event) => {
          event.preventDefault();
          void start(prompt.trim() === "" ? {} : { prompt: prompt.trim() });
        }}
      >
        <textarea
          aria-label="Prompt of a new session"
          placeholder="Describe a task to start a session"
          rows={2}
          value={prompt}
          onInput={(event) => setPrompt(event.currentTarget.value)}
          onKeyDown={sendOnEnter}
        />
        <button type="submit" class="allow">
          Start
        </button>
      </form>
      <Failure error={error} />
      {waiting > 0 && (
        <p class="banner">
          <a href={pathTo("approvals")}>
            {waiting === 1 ? "One question waits" : `${waiting} questions wait`} for an answer
          </a>
        </p>
      )}
      {all.length > 8 && (
        <input
          type="search"
          aria-label="Search sessions"
          placeholder="Search"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      {shown.length === 0 && (
        <Empty>{all.length === 0 ? "This folder has no session yet." : "No session matches."}</Empty>
      )}
      {[...Map.groupBy(shown, groupOf)].sort(byGroup).map(([group, members]) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul class="cards list">
            {members.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                onFork={() => void start({ resume: session.id, fork: true })}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

const GROUPS = ["Waiting for you", "Working", "Open", "Earlier"] as const;

function groupOf({ approvals, status }: SessionEntry): (typeof GROUPS)[number] {
  if (approvals > 0) return "Waiting for you";
  return status === "working" ? "Working" : status === "idle" ? "Open" : "Earlier";
}

const byGroup = ([a]: readonly [(typeof GROUPS)[number], unknown], [b]: readonly [(typeof GROUPS)[number], unknown]) =>
  GROUPS.indexOf(a) - GROUPS.indexOf(b);

const SessionRow = ({ session, onFork }: { readonly session: SessionEntry; onFork(): void }) => {
  const { id, title, changedAt, model, mode, approvals, status } = session;
  return (
    <li class="card session-card">
      <a class="session-link" href={pathTo("s", id)}>
        <span class="session-title">{clean(title || "Untitled session")}</span>
        <span class="dim" title={id}>
          {[agoOf(changedAt), model && clean(model), mode && `mode ${mode}`].filter(Boolean).join(" · ")}
        </span>
      </a>
      <span class="session-state">
        {approvals > 0 && <span class="tag tag-warn">{approvals} to answer</span>}
        {status === "working" && approvals === 0 && <span class="tag status-tag-working">working</span>}
        <button type="button" class="quiet" onClick={onFork}>
          Fork<span class="sr"> {clean(title)}</span>
        </button>
      </span>
    </li>
  );
};
