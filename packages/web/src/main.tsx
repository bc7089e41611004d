import { type ComponentChildren, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, logInFromAddress } from "./lib/api.ts";
import { followInbox, inbox } from "./lib/inbox.ts";
import { folder, hasQueue } from "./lib/place.ts";
import { followAddress, goTo, pathTo, route } from "./lib/router.ts";
import { connect, isForgotten, isOnline } from "./lib/socket.ts";
import { useStore } from "./lib/store.ts";
import { followTheme } from "./lib/theme.ts";
import { ApprovalsPage } from "./page/approvals.tsx";
import { CanvasPage } from "./page/canvas.tsx";
import { JournalPage } from "./page/journal.tsx";
import { AgentsPage, JobsPage, ServersPage } from "./page/lists.tsx";
import { PolicyPage } from "./page/policy.tsx";
import { SchedulesPage } from "./page/schedules.tsx";
import { SessionPage } from "./page/session.tsx";
import { SessionsPage } from "./page/sessions.tsx";
import { SettingsPage } from "./page/settings.tsx";
import { StepsPage } from "./page/steps.tsx";
import { TimePage } from "./page/time.tsx";
import { ToolsPage } from "./page/tools.tsx";
import { WorkersPage } from "./page/workers.tsx";
import { HelpDialog } from "./part/help.tsx";

const PAGES = [
  ["", "Sessions", "s"],
  ["approvals", "Approvals", "a"],
  ["schedules", "Schedules", "t"],
  ["journal", "Journal", "j"],
  ["policy", "Policy", "p"],
  ["workers", "Workers", "w"],
  ["settings", "Settings", ","],
] as const;

function App() {
  const parts = useStore(route);
  const waiting = useStore(inbox).length;
  const online = useStore(isOnline);
  const forgotten = useStore(isForgotten);
  const workers = useStore(hasQueue);
  const [isHelp, setHelp] = useState(false);
  const [page = "", id = ""] = parts;
  const isSession = page === "s" && id !== "";

  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Haft` : "Haft";
  }, [waiting]);

  useEffect(() => {
    let last = "";
    const onKey = (event: KeyboardEvent): void => {
      if (
        /^(?:INPUT|TEXTAREA|SELECT)$/.test((event.target as HTMLElement).tagName) ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey
      )
        return;
      if (event.key === "?") setHelp(true);
      if (event.key === "q") focusQuestion();
      const target = last === "g" ? PAGES.find(([, , key]) => key === event.key) : undefined;
      if (target) goTo(...(target[0] === "" ? [] : [target[0]]));
      last = event.key;
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  if (forgotten) return <LoggedOut />;
  return (
    <div class="app">
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <nav class="nav" aria-label="Pages">
        <a class="brand" href="#/">
          <img src="/icon.svg" alt="" width="24" height="24" /> Haft
        </a>
        {PAGES.filter(([path]) => path !== "workers" || workers).map(([path, name]) => {
          const isHere = path === page || (path === "" && page === "s");
          return (
            <a key={path} href={path === "" ? "#/" : pathTo(path)} aria-current={isHere ? "page" : undefined}>
              {name}
              {path === "approvals" && waiting > 0 && (
                <span class="badge">
                  {waiting}
                  <span class="sr"> waiting</span>
                </span>
              )}
            </a>
          );
        })}
        <button type="button" class="quiet help-button" onClick={() => setHelp(true)}>
          Keys <kbd>?</kbd>
        </button>
      </nav>
      <main id="main" tabIndex={-1} class={isSession && parts.length === 2 ? "main-session" : ""}>
        {!online && (
          <p class="offline" role="status">
            The connection to the server is lost. Trying again …
          </p>
        )}
        <Page parts={parts} />
      </main>
      {isHelp && <HelpDialog onClose={() => setHelp(false)} />}
    </div>
  );
}

function Page({ parts: [page = "", id = "", tab = ""] }: { readonly parts: readonly string[] }): ComponentChildren {
  if (page === "s" && id !== "") return <SessionTab key={`${id}/${tab}`} id={id} tab={tab} />;
  if (page === "approvals") return <ApprovalsPage />;
  if (page === "schedules") return <SchedulesPage />;
  if (page === "journal") return <JournalPage />;
  if (page === "policy") return <PolicyPage />;
  if (page === "workers") return <WorkersPage />;
  if (page === "settings") return <SettingsPage />;
  return <SessionsPage />;
}

function SessionTab({ id, tab }: { readonly id: string; readonly tab: string }) {
  switch (tab) {
    case "steps":
      return <StepsPage id={id} />;
    case "time":
      return <TimePage id={id} />;
    case "canvas":
      return <CanvasPage id={id} />;
    case "tools":
      return <ToolsPage id={id} />;
    case "mcp":
      return <ServersPage id={id} />;
    case "agents":
      return <AgentsPage id={id} />;
    case "jobs":
      return <JobsPage id={id} />;
    default:
      return <SessionPage id={id} />;
  }
}

/** Focuses the next question of the page; after the last one, the first. */
function focusQuestion(): void {
  const cards = [...document.querySelectorAll<HTMLElement>(".approval")];
  cards[(cards.indexOf(document.activeElement as HTMLElement) + 1) % cards.length]?.focus();
}

function skip(): void {
  document.getElementById("main")?.focus();
}

/** Without a valid cookie there is nothing to see: the address with the token opens the page. */
const LoggedOut = () => (
  <main class="logged-out">
    <h1>Haft</h1>
    <p>
      This page needs the address that <code>haft serve</code> prints: it carries the token behind <code>#</code>. A
      server that is started again has a new one.
    </p>
  </main>
);

async function start(): Promise<void> {
  followTheme();
  const root = document.getElementById("app")!;
  try {
    await logInFromAddress();
    const about = await get<{ cwd: string; hasQueue: boolean }>("/api/about");
    folder.set(about.cwd);
    hasQueue.set(about.hasQueue);
  } catch {
    render(<LoggedOut />, root);
    return;
  }
  followAddress();
  connect();
  followInbox();
  render(<App />, root);
}

void start();
