import { useEffect, useRef } from "preact/hooks";
import type { SessionView } from "../../../haft/src/view/index.ts";
import { sessions } from "../lib/inbox.ts";
import { pathTo } from "../lib/router.ts";
import { useStore } from "../lib/store.ts";
import { clean } from "./bits.tsx";

const MODES = ["default", "acceptEdits", "undoable", "plan", "dontAsk", "bypassPermissions"] as const;

/** The tabs of a session, by the last part of their address. */
export const TABS = [
  ["", "Live"],
  ["steps", "Steps"],
  ["time", "Time travel"],
  ["canvas", "Canvas"],
  ["tools", "Tools"],
  ["mcp", "MCP"],
  ["agents", "Agents"],
  ["jobs", "Jobs"],
] as const;

interface HeadProps {
  readonly id: string;
  readonly view?: SessionView;
  onSend?(path: string, body?: object): Promise<unknown>;
  readonly tab?: string;
}

/** The head of a session's pages: title, state, mode, tabs. */
export function SessionHead({ id, view, onSend, tab = "" }: HeadProps) {
  const entry = useStore(sessions).find((one) => one.id === id);
  const usage = view?.usage;
  const { status, model, mode } = { ...entry, ...view };
  const tabs = useRef<HTMLElement>(null);
  // On a phone not all of them fit.
  useEffect(() => tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }), [tab]);
  return (
    <header class="session-head">
      <h1>{clean(entry?.title || "New session")}</h1>
      <div class="session-facts">
        {status !== undefined && <span class={`tag status-tag-${status}`}>{status}</span>}
        {model !== undefined && <span class="tag">{clean(model)}</span>}
        {mode !== undefined && !onSend && <span class="tag">mode {mode}</span>}
        {usage?.contextTokens !== undefined && (
          <span class="tag">{usage.contextTokens.toLocaleString("en")} tokens of context</span>
        )}
        {view && onSend && (
          <label class="mode">
            <span>mode</span>
            <select
              value={view.mode ?? "default"}
              onChange={(event) => void onSend("mode", { mode: event.currentTarget.value })}
            >
              {MODES.map((mode) => (
                <option key={mode} value={mode}>
                  {mode}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <nav class="tabs" ref={tabs} aria-label="Pages of the session">
        {TABS.map(([path, name]) => (
          <a
            key={path}
            href={path === "" ? pathTo("s", id) : pathTo("s", id, path)}
            aria-current={path === tab ? "page" : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
    </header>
  );
}
