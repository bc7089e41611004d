import { get } from "../lib/api.ts";
import { useLoaded } from "../lib/store.ts";
import { clean, Empty, Failure, timeOf } from "../part/bits.tsx";
import { Text } from "../part/display.tsx";
import { SessionHead } from "../part/session-head.tsx";

interface Server {
  readonly name: string;
  readonly state: string;
  readonly tools?: readonly unknown[] | number;
  readonly error?: { readonly message: string; readonly hint?: string };
  readonly logs?: readonly string[];
}

/** The MCP servers of a session with their state, and the last lines of their logs. */
export function ServersPage({ id }: { readonly id: string }) {
  const { data, error } = useLoaded(() => get<{ servers: readonly Server[] }>(`/api/sessions/${id}/mcp`), [id]);
  return (
    <div class="page">
      <SessionHead id={id} tab="mcp" />
      <Failure error={error} />
      {data?.servers.length === 0 && <Empty>No MCP server is configured. Add one with “haft mcp add”.</Empty>}
      <ul class="cards">
        {data?.servers.map((server) => (
          <li key={server.name} class="card">
            <h2>
              {clean(server.name)}{" "}
              <span class={`tag ${server.state === "ready" ? "tag-good" : "tag-warn"}`}>{server.state}</span>
            </h2>
            <Failure error={server.error && `${server.error.message} ${server.error.hint ?? ""}`} />
            {(server.logs ?? []).length > 0 && (
              <details>
                <summary>Log</summary>
                <Text text={server.logs!.join("\n")} />
              </details>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Agent {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly description: string;
  readonly model: string;
  readonly background: boolean;
  readonly status: string;
  readonly why?: string;
  readonly text: string;
  readonly calls: number;
  readonly failedCalls: number;
  readonly tokens: number;
  readonly durationMs: number;
  readonly filesModified: readonly string[];
  readonly left?: Readonly<Record<string, number>>;
}

/** The agents that a session has started, as a tree. */
export function AgentsPage({ id }: { readonly id: string }) {
  const { data, error, reload } = useLoaded(
    () =>
      get<{ agents: readonly Agent[]; types: readonly { name: string; description: string }[] }>(
        `/api/sessions/${id}/agents`,
      ),
    [id],
  );
  return (
    <div class="page">
      <SessionHead id={id} tab="agents" />
      <Failure error={error} />
      <button type="button" class="quiet" onClick={reload}>
        Refresh
      </button>
      {data?.agents.length === 0 && <Empty>The session has started no agents.</Empty>}
      <ul class="tree">
        {data?.agents.map((agent) => (
          <li key={agent.id} class={`card depth-${Math.min(4, agent.id.split(".").length)}`}>
            <h2>
              {clean(agent.name ?? agent.id)} <span class="tag">{agent.status}</span>
            </h2>
            <p>{clean(agent.description)}</p>
            <p class="dim">
              {agent.type} · {clean(agent.model)} · {agent.calls} calls, {agent.failedCalls} failed ·{" "}
              {agent.tokens.toLocaleString("en")} tokens · {timeOf(agent.durationMs)}
              {agent.filesModified.length > 0 && ` · ${agent.filesModified.length} files changed`}
            </p>
            <Budget left={agent.left} tokens={agent.tokens} calls={agent.calls} />
            {agent.why !== undefined && <p class="bad">{clean(agent.why)}</p>}
            {agent.text !== "" && <Text text={agent.text} />}
          </li>
        ))}
      </ul>
      {data && data.types.length > 0 && (
        <details>
          <summary>Kinds of agents</summary>
          <ul class="plain-list">
            {data.types.map(({ name, description }) => (
              <li key={name}>
                <b>{clean(name)}</b> <span class="dim">{clean(description)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** The rest of an agent's budget, as bars where its use is known. */
function Budget({
  left = {},
  ...used
}: {
  readonly left?: Agent["left"];
  readonly tokens: number;
  readonly calls: number;
}) {
  const kinds = Object.entries(left);
  if (kinds.length === 0) return <p class="dim">No limit.</p>;
  return (
    <ul class="plain-list budget" aria-label="Budget">
      {kinds.map(([kind, rest]) => {
        const spent = kind === "tokens" ? used.tokens : kind === "calls" ? used.calls : undefined;
        const text = `${kind}: ${rest.toLocaleString("en")} left`;
        return (
          <li key={kind}>
            {spent !== undefined && <progress value={spent} max={Math.max(1, spent + rest)} aria-label={text} />} {text}
          </li>
        );
      })}
    </ul>
  );
}

interface Job {
  readonly id: string;
  readonly command: string;
  readonly description?: string;
  readonly status: string;
  readonly exitCode: number | null;
  readonly bytes: number;
  readonly durationMs: number;
}

/** The background jobs of a session. */
export function JobsPage({ id }: { readonly id: string }) {
  const { data, error, reload } = useLoaded(() => get<{ jobs: readonly Job[] }>(`/api/sessions/${id}/jobs`), [id]);
  return (
    <div class="page">
      <SessionHead id={id} tab="jobs" />
      <Failure error={error} />
      <button type="button" class="quiet" onClick={reload}>
        Refresh
      </button>
      {data?.jobs.length === 0 && <Empty>No background job has been started.</Empty>}
      <ul class="cards">
        {data?.jobs.map((job) => (
          <li key={job.id} class="card">
            {job.description !== undefined && <p>{clean(job.description)}</p>}
            <code>{clean(job.command)}</code> <span class="tag">{job.status}</span>
            <p class="dim">
              {job.id} · {timeOf(job.durationMs)} · {job.bytes.toLocaleString("en")} bytes of output
              {job.exitCode !== null && ` · exit code ${job.exitCode}`}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
