import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createExecutor, type Machine } from "@haft/core/executor";
import { createPolicy, type RuleSource } from "@haft/core/policy";
import { createRegistry } from "@haft/core/registry";
import { createClock } from "@haft/core/tool";
import { createFiles, createNet, createState } from "@haft/host";
import { createProcesses } from "@haft/host/process";
import { createMcpManager, type McpManager, type McpManagerOptions, type McpServer } from "../../src/index.ts";

/** The program of a server that is here for tests. */
export const fixture = (name: string): string => fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url));

/** A well-behaved server. */
export const friendly = (more: Partial<McpServer> = {}): McpServer => ({
  name: "friend",
  command: process.execPath,
  args: [fixture("friendly")],
  ...more,
});

/** A server that misbehaves in one way. */
export const rough = (kind: string, more: Partial<McpServer> = {}, arg?: string): McpServer => ({
  name: kind,
  command: process.execPath,
  args: [fixture("rough"), kind, ...(arg === undefined ? [] : [arg])],
  ...more,
});

/** A real registry, policy and executor with an MCP manager, in a folder of its own. */
export interface McpBench extends AsyncDisposable {
  readonly manager: McpManager;
  readonly machine: Machine;
  readonly folder: string;
  call(tool: string, input?: unknown): ReturnType<typeof runOne>;
  names(): string[];
}

export interface BenchOptions extends Partial<McpManagerOptions> {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: "default" | "bypassPermissions";
  readonly approvals?: Machine["approvals"];
  readonly listener?: Machine["listener"];
}

const runOne = async (machine: Machine, tool: string, input: unknown, signal?: AbortSignal) => {
  const [outcome] = await createExecutor(machine).run([{ id: "1", tool, input }], signal ? { signal } : {});
  return outcome!;
};

export function mcpBench(options: BenchOptions = {}): McpBench {
  const { allow = [], deny = [], mode = "bypassPermissions", approvals, listener, ...rest } = options;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-mcp-")));
  const registry = createRegistry();
  const manager = createMcpManager({ registry, cwd: folder, ...rest });
  const rules = [
    ...allow.map((text): RuleSource => ({ behavior: "allow", origin: "user", text })),
    ...deny.map((text): RuleSource => ({ behavior: "deny", origin: "user", text })),
  ];
  const policy = createPolicy({
    rules,
    mode,
    trusted: true,
    workspace: {
      root: folder,
      startedIn: folder,
      cwd: folder,
      home: folder,
      additional: [],
      readable: [],
      platform: "linux",
    },
  });
  const clock = createClock();
  const files = createFiles({ ripgrep: () => Promise.resolve(undefined) });
  const machine: Machine = {
    registry,
    available: ({ tool }, ctx) => tool.when?.(ctx) ?? true,
    policy: () => policy,
    ports: { files, processes: createProcesses(), net: createNet(), clock, state: createState() },
    agent: { id: "main" },
    session: { id: "test" },
    cwd: () => folder,
    home: folder,
    offerContext: () => ({ cwd: folder, agent: { id: "main" }, platform: "linux", ports: new Set(), mode }),
    ...(approvals ? { approvals } : {}),
    ...(listener ? { listener } : {}),
  };
  return {
    manager,
    machine,
    folder,
    call: (tool, input = {}) => runOne(machine, tool, input),
    names: () => registry.entries().map(({ tool }) => tool.name),
    async [Symbol.asyncDispose]() {
      await manager.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether a process runs; one that has ended and was not collected does not. */
export async function isRunning(id: number): Promise<boolean> {
  const { readFile } = await import("node:fs/promises");
  const stat = await readFile(`/proc/${id}/stat`, "latin1").catch(() => "");
  const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  return stat !== "" && state !== "Z" && state !== "X";
}
