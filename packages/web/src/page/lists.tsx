import { get } from "../lib/api.ts";
import { inbox } from "../lib/inbox.ts";
import { useLoaded, useRepeated, useStore } from "../lib/store.ts";
import { ApprovalCard } from "../part/approval.tsx";
import { clean, counted, Empty, Failure, timeOf } from "../part/bits.tsx";
import { Text } from "../part/display.tsx";
import { Markdown } from "../part/markdown.tsx";
import { SessionHead } from "../part/session-head.tsx";

/** Milliseconds between two looks. */
const LOOK_MS = 2_000;

interface Server {
  readonly name: string;
  readonly state: string;
  readonly tools?: readonly unknown[] | number;
  readonly error?: { readonly message: string; readonly hint?: string };
  readonly logs?: readonly string[];
}

/** The MCP servers of a session with their state, and the last lines of their logs. */
export function ServersPage({ id }: { readonly id: string }) {
  const { data, error, reload } = useLoaded(() => get<{ servers: readonly Server[] }>(`/api/sessions/${id}/mcp`), [id]);
  useRepeated(reload, LOOK_MS);
  const asked = useStore(inbox).filter(({ session, request }) => session === id && request.tool.startsWith("mcp__"));
  return (
    <div class="page">
      <SessionHead id={id} tab="mcp" />
      <Failure error={error} />
      {data?.servers.length === 0 && (
        <Empty>
          No MCP server is configured. <code>haft mcp add</code> adds one.
        </Empty>
      )}
      <ul class="cards">
        {data?.servers.map((server) => (
          <li key={server.name} class="card">
            <h2>
              {clean(server.name)}{" "}
              <span class={`tag ${server.state === "ready" ? "tag-good" : "tag-warn"}`}>
                {server.state === "waiting" ? "not started" : server.state}
              </span>
            </h2>
            {asked
              .filter(({ request }) => request.tool === `mcp__${server.name}`)
              .map(({ request, digest }) => (
                <ApprovalCard key={request.id} request={request} digest={digest} />
              ))}
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

const AGENT_TAGS: Readonly<Record<string, string>> = {
  ...{ running: "tag-warn", completed: "tag-good", failed: "tag-bad" },
};

/** The agents that a session has started, as a tree. */
export function AgentsPage({ id }: { readonly id: string }) {
  const { data, error, reload } = useLoaded(
    () =>
      get<{ agents: readonly Agent[]; types: readonly { name: string; description: string }[] }>(
        `/api/sessions/${id}/agents`,
      ),
    [id],
  );
  useRepeated(reload, LOOK_MS);
  return (
    <div class="page">
      <SessionHead id={id} tab="agents" />
      <Failure error={error} />
      {data?.agents.length === 0 && (
        <Empty>
          The session has started no agents. Each one appears here with its result and the rest of its budget.
        </Empty>
      )}
      <ul class="tree">
        {data?.agents.map((agent) => (
          <li key={agent.id} class={`card depth-${Math.min(4, agent.id.split(".").length)}`}>
            <h2>
              {clean(agent.description)} <span class={`tag ${AGENT_TAGS[agent.status] ?? ""}`}>{agent.status}</span>
            </h2>
            <p class="dim">
              {[
                clean(agent.name ?? agent.id),
                clean(agent.type),
                clean(agent.model),
                counted(agent.calls, "call"),
                agent.failedCalls > 0 ? `${agent.failedCalls} failed` : "",
                `${agent.tokens.toLocaleString("en")} tokens`,
                timeOf(agent.durationMs),
                agent.filesModified.length > 0 ? `${counted(agent.filesModified.length, "file")} changed` : "",
              ]
                .filter(Boolean)
                .join(" · ")}
            </p>
            <Budget left={agent.left} tokens={agent.tokens} calls={agent.calls} />
            {agent.why !== undefined && <p class="bad">{clean(agent.why)}</p>}
            {agent.text !== "" && <Markdown text={agent.text} />}
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

const MEANS: Readonly<Record<string, string>> = { spawns: "more agents" };

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
        const text = `Budget: ${rest.toLocaleString("en")} ${MEANS[kind] ?? kind} left`;
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
  useRepeated(reload, LOOK_MS);
  return (
    <div class="page">
      <SessionHead id={id} tab="jobs" />
      <Failure error={error} />
      {data?.jobs.length === 0 && <Empty>No background job has been started. Commands that run on appear here.</Empty>}
      <ul class="cards">
        {data?.jobs.map((job) => (
          <li key={job.id} class="card">
            <h2>
              {clean(job.description ?? job.command)}{" "}
              <span class={`tag ${job.status === "running" ? "tag-warn" : ""}`}>{job.status}</span>
            </h2>
            {job.description !== undefined && <code>{clean(job.command)}</code>}
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
