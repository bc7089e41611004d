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

const ICONS: Readonly<Record<(typeof PAGES)[number][0], string>> = {
  "": "M3 5h14M3 10h14M3 15h9",
  approvals: "M4 10l4 4 8-9",
  schedules: "M10 5v5l3 2M10 2.5a7.5 7.5 0 1 0 .01 0",
  journal: "M4 7h8a4.5 4.5 0 1 1 0 9H7M7 4L4 7l3 3",
  policy: "M10 2.5l6.5 2.5v4.5c0 4-2.7 6.7-6.5 8-3.800-1.300-6.500-4-6.500-8V5z",
  workers: "M3 4h14v5H3zM3 12h14v5H3zM6 6.500h.01M6 14.500h.01",
  settings: "M3 6h7M14 6h3M3 14h3M10 14h7M12 4v4M8 12v4",
};

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
              <svg viewBox="0 0 20 20" aria-hidden="true">
                <path d={ICONS[path]} />
              </svg>
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also where nothing in it takes the focus */}
      <main id="main" tabIndex={0} class={isSession && parts.length === 2 ? "main-session" : ""}>
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

function Page({
  parts: [page = "", id = "", tab = "", detail = ""],
}: {
  readonly parts: readonly string[];
}): ComponentChildren {
  if (page === "s" && id !== "") return <SessionTab key={`${id}/${tab}/${detail}`} id={id} tab={tab} detail={detail} />;
  if (page === "approvals") return <ApprovalsPage />;
  if (page === "schedules") return <SchedulesPage />;
  if (page === "journal") return <JournalPage />;
  if (page === "policy") return <PolicyPage />;
  if (page === "workers") return <WorkersPage />;
  if (page === "settings") return <SettingsPage />;
  return <SessionsPage />;
}

function SessionTab({ id, tab, detail }: Readonly<Record<"id" | "tab" | "detail", string>>) {
  switch (tab) {
    case "steps":
      return <StepsPage id={id} />;
    case "time":
      return <TimePage id={id} start={detail} />;
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
  // The address of a restarted server differs only after the "#", so the browser does not load the page again.
  addEventListener("hashchange", () => {
    if (/[#&]token=/.test(location.hash)) location.reload();
  });
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
