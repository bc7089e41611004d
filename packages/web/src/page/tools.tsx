import { useState } from "preact/hooks";
import { get } from "../lib/api.ts";
import type { ToolInfo } from "../lib/model.ts";
import { useLoaded } from "../lib/store.ts";
import { clean, Failure } from "../part/bits.tsx";
import { SessionHead } from "../part/session-head.tsx";
import { type SettingsAnswer, saveSettings } from "./settings.tsx";

interface Switches {
  readonly enableToolCalls?: boolean;
  readonly tools?: Readonly<Record<string, { readonly enabled?: boolean; readonly autoExecute?: boolean }>>;
}

/** The tools of a session with their effects, cost and switches. Changes count from the next request on. */
export function ToolsPage({ id }: { readonly id: string }) {
  const tools = useLoaded(() => get<{ tools: readonly ToolInfo[] }>(`/api/sessions/${id}/tools`), [id]);
  const settings = useLoaded(() => get<SettingsAnswer>("/api/settings"), []);
  const [filter, setFilter] = useState("");
  const [error, setError] = useState<string>();
  const switches = (settings.data?.settings ?? {}) as Switches;
  const save = (keys: readonly string[], value: unknown): void =>
    void saveSettings([{ keys, value }]).then(
      () => {
        setError(undefined);
        settings.reload();
        tools.reload();
      },
      (thrown: Error) => setError(thrown.message),
    );
  const shown = (tools.data?.tools ?? []).filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(filter.toLowerCase()),
  );
  const groups = [...Map.groupBy(shown, ({ source, group }) => (source === "builtin" ? group : source))];
  const tokens = shown.reduce((sum, tool) => sum + (tool.offered ? tool.tokens : 0), 0);

  return (
    <div class="page">
      <SessionHead id={id} tab="tools" />
      <div class="toolbar">
        <label class="check">
          <input
            type="checkbox"
            checked={switches.enableToolCalls !== false}
            onChange={(event) => save(["enableToolCalls"], event.currentTarget.checked)}
          />
          <span>Tool calls</span>
        </label>
        <input
          type="search"
          aria-label="Search tools"
          placeholder="Search"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <span class="dim">
          {shown.filter(({ offered }) => offered).length} of {shown.length} offered, about {tokens.toLocaleString("en")}{" "}
          tokens
        </span>
      </div>
      <Failure error={tools.error ?? error} />
      {groups.map(([group, members]) => (
        <section key={group}>
          <h2>
            {clean(group)} <span class="tag">{members.length}</span>
          </h2>
          <ul class="cards tools">
            {members.map((tool) => (
              <ToolCard key={tool.name} tool={tool} setting={switches.tools?.[tool.name] ?? {}} onSave={save} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface ToolCardProps {
  readonly tool: ToolInfo;
  readonly setting: { readonly enabled?: boolean; readonly autoExecute?: boolean };
  onSave(keys: readonly string[], value: unknown): void;
}

const ICONS: Readonly<Record<string, string>> = {
  ...{ read: "◉", edit: "✎", delete: "⌫", move: "→", search: "⌕", execute: "▶", think: "✶", fetch: "⇣", other: "◆" },
};

function ToolCard({ tool, setting, onSave }: ToolCardProps) {
  const { name, source, kind, can, description, inputSchema, tokens, offered, why } = tool;
  return (
    <li class="card tool">
      <details>
        <summary>
          <span class="tool-icon" aria-hidden="true">
            {ICONS[kind] ?? "◆"}
          </span>
          <b>{clean(name)}</b>
          {source !== "builtin" && <span class="tag tag-warn">{clean(source)}</span>}
          {!offered && <span class="tag">not offered</span>}
          <span class="dim one-line">{clean(firstSentence(description))}</span>
        </summary>
        {!offered && <p>Not offered: {clean(why ?? "unknown reason")}</p>}
        <p class="description">{clean(description)}</p>
        <p class="dim">
          {clean(kind)} · {tokens} tokens · can: {can.join(", ") || "nothing"}
        </p>
        <pre class="plain">{clean(JSON.stringify(inputSchema, null, 2))}</pre>
      </details>
      <div class="switches">
        <label class="check">
          <input
            type="checkbox"
            checked={setting.enabled ?? offered}
            onChange={(event) => onSave(["tools", name, "enabled"], event.currentTarget.checked)}
          />
          <span>
            enabled<span class="sr"> {clean(name)}</span>
          </span>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={setting.autoExecute === true}
            onChange={(event) => onSave(["tools", name, "autoExecute"], event.currentTarget.checked ? true : null)}
          />
          <span>
            reads without asking<span class="sr"> {clean(name)}</span>
          </span>
        </label>
      </div>
    </li>
  );
}

const firstSentence = (text: string): string => /^[\s\S]{0,200}?[.!?](?=\s|$)/.exec(text)?.[0] ?? text.slice(0, 200);
