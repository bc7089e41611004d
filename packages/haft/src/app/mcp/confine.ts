import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Policy } from "@haft/core/policy";
import { type Bound, HaftError, read, run, write } from "@haft/core/tool";
import { createConfiner, createTierProbe, fencedBy, type McpManagerOptions, type StateFolder } from "@haft/tools";

type Confine = NonNullable<McpManagerOptions["confine"]>;

/**
 * Starts servers in the sandbox: without network, the workspace writable, what is private hidden, and what a rule
 * forbids cut out. Nothing is looked at before the first such server. `undefined` where nothing can be confined.
 */
export function confineServers(state: StateFolder | undefined, policy: () => Policy): Confine | undefined {
  if (!state) return undefined;
  let fence: ReturnType<typeof fencedBy> | undefined;

  function open(): ReturnType<typeof fencedBy> {
    const { root, cwd, home, additional } = policy().workspace;
    const quarantine = join(state!.workspace(cwd), "quarantine");
    mkdirSync(quarantine, { recursive: true, mode: 0o700 });
    const probe = createTierProbe({ workspaces: [root, cwd, ...additional], home });
    return fencedBy(createConfiner({ probe, workspace: () => policy().workspace, quarantine, state: state!.root }));
  }

  return async (server, plain) => {
    fence ??= open();
    const bound = boundOf(server.name, plain, policy());
    return fence(plain, { command: plain.argv.join(" "), cwd: plain.cwd, env: server.env ?? {}, bound });
  };
}

/** The person has agreed to its start; of the policy only what is cut out counts, and what is forbidden altogether. */
function boundOf(server: string, { argv, cwd }: { argv: readonly string[]; cwd: string }, policy: Policy): Bound {
  const { root } = policy.workspace;
  const effects = [
    run({ argv, text: argv.join(" "), cwd }),
    read("/", { tree: true }),
    write(root, "modify", { tree: true }),
  ];
  const tool = { name: `mcp__${server}`, origin: "mcp" as const, server };
  const { decision, reason, grant } = policy.with({ mode: "default" }).decide({ tool, input: {}, effects });
  if (decision !== "deny") return { effects, holes: grant.holes };
  throw new HaftError({
    code: "denied_by_rule",
    message: `The MCP server "${server}" is not started: ${reason}`,
    hint: "Change the rule, or start the server without its sandbox.",
  });
}
