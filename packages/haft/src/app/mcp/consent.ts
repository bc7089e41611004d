import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Broker } from "@haft/core/approval";
import { connect, type Effect, run } from "@haft/core/tool";
import { describeServer, type McpServer, openStateFile, type StateFileOptions, type StateFolder } from "@haft/tools";

/** Which of a project's servers a person has agreed to, each bound to exactly what it starts. */
export interface Consent {
  has(server: McpServer): boolean;
  give(server: McpServer): void;
  withdraw(name: string): void;
}

/** Consents of one project, by its folder, kept in the user's state. Without state, or read only, new ones last as long as the session. */
export function openConsent(state: StateFolder | undefined, root: string, options?: StateFileOptions): Consent {
  const file = openStateFile<string>(state && join(state.workspace(root), "mcp-consent.json"), options);
  return {
    has: (server) => file.get(server.name) === serverDigest(server),
    give: (server) => file.set(server.name, serverDigest(server)),
    withdraw: (name) => file.delete(name),
  };
}

/** Whether a server starts only after a person has seen its command. */
export const needsConsent = (server: McpServer): boolean => server.origin === "project";

/**
 * Shows a person what a project's server would start, and keeps their yes. Without anybody to ask the answer is no; a
 * no counts for this session only.
 */
export async function askConsent(
  server: McpServer,
  parts: { readonly consent: Consent; readonly broker: Broker; readonly cwd: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { consent, broker, cwd } = parts;
  if (!needsConsent(server) || consent.has(server)) return true;
  const reason = "A project's MCP server starts only after a person has seen what it starts.";
  const outcome = await broker.ask(
    {
      callId: `mcp-start-${server.name}`,
      agent: { id: "main" },
      tool: `mcp__${server.name}`,
      title: `Start the MCP server "${server.name}" of this project`,
      input: { server: server.name },
      effects: [startEffect(server, cwd)],
      show: { kind: "text", text: describeServer(server) },
      why: reason,
      destructive: false,
      suggestions: [],
    },
    { decision: "ask", reason, trace: [], suggestions: [], grant: { effects: [], holes: [] } },
    signal,
  );
  if (outcome.status !== "answered" || outcome.answer.behavior !== "allow") return false;
  consent.give(server);
  return true;
}

function startEffect(server: McpServer, cwd: string): Effect {
  const { command, args = [], url = "" } = server;
  if (command === undefined) return connect(URL.canParse(url) ? url : "unknown");
  return run({ argv: [command, ...args], text: [command, ...args].join(" "), cwd: server.cwd ?? cwd });
}

/**
 * What a server starts or talks to, how it is held and where the user logs in, as one value: another one is another
 * server, whatever its name. One that leaves its sandbox is another one, too.
 */
export function serverDigest({ command, args, env, cwd, url, headers, type, sandbox, oauth }: McpServer): string {
  return createHash("sha256")
    .update(
      JSON.stringify([command, args ?? [], env ?? {}, cwd, url, headers ?? {}, type, sandbox === true, oauth ?? {}]),
    )
    .digest("hex");
}
