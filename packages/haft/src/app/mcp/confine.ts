import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Policy } from "@haft/core/policy";
import { type Bound, HaftError, read, run, write } from "@haft/core/tool";
import type { McpManagerOptions } from "@haft/mcp";
import type { StateFolder } from "@haft/service";
import { programPlaces, type StartedProgram } from "./program-places.ts";

type Confine = NonNullable<McpManagerOptions["confine"]>;
type Sandbox = typeof import("@haft/sandbox");

/** The sandbox of servers, for one session. */
export interface ServerSandbox {
  readonly confine: Confine;
  /** Removes the files made for it alone. Keeps what servers were stopped from leaving in the workspace. */
  end(): void;
}

/**
 * Starts servers in the sandbox: without network, the workspace writable, private files hidden, and paths that a rule
 * forbids cut out. A program in a temporary folder is visible there. Nothing is probed before the first such server.
 * `lookOnly`: nothing is written to the state folder. `undefined` where nothing can be confined.
 */
export function confineServers(
  state: StateFolder | undefined,
  policy: () => Policy,
  lookOnly = false,
): ServerSandbox | undefined {
  if (!state) return undefined;
  let base: string | undefined;
  let tiers: { readonly probe: ReturnType<Sandbox["createTierProbe"]>; readonly quarantine: string } | undefined;
  const fences = new Map<string, ReturnType<Sandbox["fencedBy"]>>();

  function openTiers({ createTierProbe }: Sandbox) {
    const { root, cwd, home, additional } = policy().workspace;
    if (lookOnly) base = mkdtempSync(join(tmpdir(), "haft-look-"));
    const quarantine = join(base ?? state!.workspace(cwd), "quarantine");
    mkdirSync(quarantine, { recursive: true, mode: 0o700 });
    return { quarantine, probe: createTierProbe({ workspaces: [root, cwd, ...additional], home }) };
  }

  /** The fence of one program: it sees the workspace and its own files. */
  function fenceOf(program: StartedProgram, sandbox: Sandbox): ReturnType<Sandbox["fencedBy"]> {
    tiers ??= openTiers(sandbox);
    function workspace() {
      const { workspace: plain } = policy();
      // The state folder is hidden, except for the files of plugins: servers and modules of those start there.
      const places = [...programPlaces(program, plain.home), join(state!.root, "plugins")];
      return { ...plain, readable: [...(plain.readable ?? []), ...places.filter(existsSync)] };
    }
    return sandbox.fencedBy(sandbox.createConfiner({ ...tiers, workspace, state: state!.root }));
  }

  const confine: Confine = async (server, plain) => {
    const program = { argv: plain.argv, cwd: plain.cwd, env: plain.env };
    const key = JSON.stringify([plain.argv, plain.cwd]);
    const fence = fences.get(key) ?? fenceOf(program, await import("@haft/sandbox"));
    fences.set(key, fence);
    const bound = boundOf(server.name, plain, policy());
    return fence(plain, { command: plain.argv.join(" "), cwd: plain.cwd, env: server.env ?? {}, bound });
  };
  return {
    confine,
    end() {
      if (base === undefined) return;
      try {
        rmSync(join(base, "quarantine.mask"), { recursive: true, force: true });
        rmdirSync(join(base, "quarantine"));
        rmdirSync(base);
      } catch {
        // Ignored: the folder is not empty.
      }
    },
  };
}

/** The person has agreed to its start. So only the cut-out paths and full denials of the policy count. */
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
