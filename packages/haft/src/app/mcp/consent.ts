import { join } from "node:path";
import type { Broker } from "@haft/core/approval";
import { type AgentRef, connect, type Effect, run } from "@haft/core/tool";
import { describeServer, type McpServer } from "@haft/mcp";
import type { StateFolder } from "@haft/service";
import { openStateFile, type StateFileOptions } from "@haft/service";
import { serverDigest } from "./server-digest.ts";

/** The project's servers that a person has agreed to, each bound to exactly the program it starts. */
export interface Consent {
  has(server: McpServer): boolean;
  give(server: McpServer): void;
  withdraw(name: string): void;
}

/** Consents of one project, by its folder, in the user's state. Without writable state, new ones last as long as the session. */
export function openConsent(state: StateFolder | undefined, root: string, options?: StateFileOptions): Consent {
  const file = openStateFile<string>(state && join(state.workspace(root), "mcp-consent.json"), options);
  return {
    has: (server) => file.get(server.name) === serverDigest(server),
    give: (server) => file.set(server.name, serverDigest(server)),
    withdraw: (name) => file.delete(name),
  };
}

/** Whether a server starts only after a person has approved its command. */
export const needsConsent = (server: McpServer): boolean => server.origin === "project";

const START = "mcp-start-";

/** Whether a question is about the start of a server. No call repeats it: each session asks while it is open. */
export const isStartQuestion = ({ callId }: { readonly callId: string }): boolean => callId.startsWith(START);

/**
 * Shows a person the program that a project's server would start, and stores a yes. If nobody can be asked the answer is
 * no. A no counts for this session only.
 */
export async function askConsent(
  server: McpServer,
  parts: { readonly consent: Consent; readonly broker: Broker; readonly cwd: string; readonly agent: AgentRef },
  signal: AbortSignal,
): Promise<boolean> {
  const { consent, broker, cwd, agent } = parts;
  if (!needsConsent(server) || consent.has(server)) return true;
  const reason = "A project's MCP server needs confirmation before it starts.";
  const outcome = await broker.ask(
    {
      callId: `${START}${server.name}`,
      agent,
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
