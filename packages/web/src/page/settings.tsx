import { useState } from "preact/hooks";
import { get, put } from "../lib/api.ts";
import { hasQueue } from "../lib/place.ts";
import { useLoaded, useStore } from "../lib/store.ts";
import { theme } from "../lib/theme.ts";
import { clean, Failure, Head } from "../part/bits.tsx";
import { NoQueue } from "./workers.tsx";

export interface SettingsAnswer {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly files: readonly { readonly file: string; readonly origin: string }[];
  readonly problems: readonly {
    readonly severity: string;
    readonly message: string;
    readonly cure: string;
    readonly file: string;
  }[];
  readonly userFile: string;
}

interface Change {
  readonly keys: readonly string[];
  readonly value: unknown;
}

export const saveSettings = (changes: readonly Change[]): Promise<SettingsAnswer> =>
  put<SettingsAnswer>("/api/settings", { changes });

interface Field {
  readonly keys: readonly [string, string];
  readonly label: string;
  readonly type: "boolean" | "number" | "text" | "lines";
  /** The value in force while none is set; words for a text. */
  readonly fallback?: true | string;
}

const BASH: readonly Field[] = [
  { keys: ["bash", "enableSandbox"], label: "Run every command in the sandbox", type: "boolean" },
  {
    keys: ["bash", "confirmDangerousCommands"],
    label: "Ask before dangerous commands",
    type: "boolean",
    fallback: true,
  },
  { keys: ["bash", "dangerousCommandWhitelist"], label: "Commands that never ask, one a line", type: "lines" },
  { keys: ["bash", "allowedDirectories"], label: "More folders for commands, one a line", type: "lines" },
  {
    keys: ["bash", "defaultWorkingDirectory"],
    label: "Start folder of commands",
    type: "text",
    fallback: "the folder of the session",
  },
];

const AGENTS: readonly Field[] = [
  { keys: ["toolAgent", "maxToolCalls"], label: "Limit of calls per agent", type: "number", fallback: "no limit" },
  { keys: ["toolAgent", "maxAgents"], label: "Limit of agents per session", type: "number", fallback: "100" },
  {
    keys: ["toolAgent", "timeoutMs"],
    label: "Time limit per agent, in milliseconds",
    type: "number",
    fallback: "no limit",
  },
  { keys: ["toolAgent", "model"], label: "Model for agents", type: "text", fallback: "the model of the session" },
  {
    keys: ["toolAgent", "autoConfirmDangerous"],
    label: "Agents confirm dangerous commands themselves",
    type: "boolean",
  },
];

/** The user's settings: commands and agents as panels, everything else as it is in force. */
export function SettingsPage() {
  const { data, error, reload } = useLoaded(() => get<SettingsAnswer>("/api/settings"), []);
  const [failure, setFailure] = useState<string>();
  const chosen = useStore(theme);
  const save = (keys: readonly string[], value: unknown): void =>
    void saveSettings([{ keys, value }]).then(
      () => {
        setFailure(undefined);
        reload();
      },
      (thrown: Error) => setFailure(thrown.message),
    );
  return (
    <div class="page">
      <Head title="Settings">
        <label class="mode">
          <span>Theme</span>
          <select value={chosen} onChange={(event) => theme.set(event.currentTarget.value as "auto")}>
            <option value="auto">as the system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
      </Head>
      <Failure error={error ?? failure} />
      {data && (
        <>
          <p class="dim">
            Saved in <code>{clean(data.userFile)}</code>. Tool switches take effect with the next request, the others in
            new sessions.
          </p>
          <div class="columns">
            <Panel title="Commands" fields={BASH} settings={data.settings} onSave={save} />
            <Panel title="Agents" fields={AGENTS} settings={data.settings} onSave={save} />
          </div>
          {data.problems.map(({ message, cure, severity }, at) => (
            <p key={at} class={`notice notice-${severity}`}>
              {clean(message)} {clean(cure)}
            </p>
          ))}
          {!hasQueue.value && (
            <section class="card">
              <h2>Workers</h2>
              <NoQueue why="No queue is configured, so every call runs on this machine." />
            </section>
          )}
          <details class="card">
            <summary>Settings in force</summary>
            <pre class="plain">{clean(JSON.stringify(data.settings, null, 2))}</pre>
          </details>
        </>
      )}
    </div>
  );
}

interface PanelProps {
  readonly title: string;
  readonly fields: readonly Field[];
  readonly settings: Readonly<Record<string, unknown>>;
  onSave(keys: readonly string[], value: unknown): void;
}

function Panel({ title, fields, settings, onSave }: PanelProps) {
  return (
    <section class="card stack">
      <h2>{title}</h2>
      {fields.map(({ keys, label, type, fallback }) => {
        const value = (settings[keys[0]] as Record<string, unknown> | undefined)?.[keys[1]];
        if (type === "boolean")
          return (
            <label key={keys[1]} class="check">
              <input
                type="checkbox"
                checked={(value ?? fallback) === true}
                onChange={(event) => onSave(keys, event.currentTarget.checked)}
              />
              <span>{label}</span>
            </label>
          );
        if (type === "lines")
          return (
            <label key={keys[1]}>
              <span>{label}</span>
              <textarea
                rows={2}
                spellcheck={false}
                value={((value as readonly string[] | undefined) ?? []).join("\n")}
                onChange={(event) =>
                  onSave(
                    keys,
                    event.currentTarget.value
                      .split("\n")
                      .map((line) => line.trim())
                      .filter(Boolean),
                  )
                }
              />
            </label>
          );
        return (
          <label key={keys[1]}>
            <span>{label}</span>
            <input
              type="text"
              inputMode={type === "number" ? "numeric" : "text"}
              value={String(value ?? "")}
              placeholder={typeof fallback === "string" ? fallback : undefined}
              onChange={(event) => {
                const { value: text } = event.currentTarget;
                onSave(keys, text === "" ? null : type === "number" ? Number(text) : text);
              }}
            />
          </label>
        );
      })}
    </section>
  );
}
