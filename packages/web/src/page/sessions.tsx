import { useState } from "preact/hooks";
import { get, post } from "../lib/api.ts";
import { inbox, sessions } from "../lib/inbox.ts";
import type { SessionEntry } from "../lib/model.ts";
import { goTo, pathTo } from "../lib/router.ts";
import { useLoaded, useStore } from "../lib/store.ts";
import { agoOf, clean, Empty, Failure, Head } from "../part/bits.tsx";

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
      {shown.length === 0 && <Empty>{all.length === 0 ? "This folder has no session yet." : "No session fits."}</Empty>}
      <ul class="cards">
        {shown.map((session) => (
          <li key={session.id} class="card session-card">
            <a class="session-link" href={pathTo("s", session.id)}>
              <span class="session-title">{clean(session.title || "Untitled session")}</span>
              <span class="dim">
                {agoOf(session.changedAt)}
                {session.model !== undefined && ` · ${clean(session.model)}`} · {session.id.slice(0, 8)}
              </span>
            </a>
            <span class="session-state">
              {session.approvals > 0 && <span class="tag tag-warn">{session.approvals} to answer</span>}
              <span class={`tag status-tag-${session.status}`}>{session.status}</span>
              <button type="button" class="quiet" onClick={() => void start({ resume: session.id, fork: true })}>
                Fork<span class="sr"> {clean(session.title)}</span>
              </button>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
