import { connect, defineTool, type RunRequest, run } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { testMachine, verdict } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import { createExecutor, type Machine } from "./index.ts";

const command = run({ argv: ["cat"], text: "cat a", cwd: "/w", basis: "proved", opaque: false });
const ended = { timedOut: false, cancelled: false, output: "", stdout: "", stderr: "", durationMs: 1, left: false };

/** A call of a tool that runs a command on a host that tells what folders and programs are. */
async function call({
  where = "/w",
  identity = () => "same",
  meanwhile,
  script = { command: "cat a" },
  ...changes
}: Partial<Machine> & Host = {}) {
  const Shell = defineTool({
    name: "Shell",
    description: "Runs.",
    input: { type: "object", properties: {} } as const,
    can: ["run"],
    effects: () => [{ ...command, script: digest({ command: "cat a", env: { A: "1" } }) }],
    async run(_, ctx) {
      meanwhile?.();
      return (await ctx.ports.processes.run({ env: { A: "2" }, ...script, cwd: where })).exitCode;
    },
  });
  const started: unknown[] = [];
  const processes = {
    run: async (request: { bound?: unknown }) => {
      started.push(request.bound);
      return { ...ended, exitCode: started.length === 1 ? 7 : 0, missing: [connect("a.org")], denied: "no network" };
    },
    identify: async () => identity(),
    digest,
  };
  const { machine } = testMachine([Shell], { ports: { ...memoryPorts(), processes }, ...changes });
  const [outcome] = await createExecutor(machine).run([{ id: "1", tool: "Shell", input: {} }]);
  return { started, result: outcome!.result };
}

const digest = ({ command, env = {} }: Script) => JSON.stringify([command, Object.keys(env)]);

type Script = Pick<RunRequest, "command" | "env">;

interface Host {
  readonly script?: Script;
  readonly where?: string;
  readonly identity?: () => string;
  readonly meanwhile?: () => void;
}

describe("a command is what was decided on", () => {
  it("G15 it starts when nothing has changed", async () => {
    expect((await call()).started).toHaveLength(1);
  });

  it("G15 it does not when a folder or a program is another one now, or it would start elsewhere", async () => {
    let looks = 0;
    const swapped = await call({ identity: () => `look ${++looks}` });
    const elsewhere = await call({ where: "/else" });
    for (const { started, result } of [swapped, elsewhere]) {
      expect([started.length, result.error?.code]).toEqual([0, "conflict"]);
      expect(result.error?.message).toContain("Nothing was run");
    }
  });

  it("G15 it does not when the tool runs another script than it named, or with other variables", async () => {
    for (const script of [{ command: "cat b" }, { command: "cat a " }, { command: "cat a", env: { A: "1", B: "" } }]) {
      const { started, result } = await call({ script });
      expect([started.length, result.error?.code]).toEqual([0, "undeclared_effect"]);
      expect(result.error?.message).toContain(`a script or variables that it had not declared: ${script.command}`);
    }
  });

  it("G15 it does not when the rules say something else by then", async () => {
    for (const later of ["ask", "deny"] as const) {
      let now: "allow" | typeof later = "allow";
      const policy: Machine["policy"] = () => ({
        ...{ mode: "default", generation: now },
        decide: (situation) => verdict(now, situation),
      });
      const meanwhile = () => {
        now = later;
      };
      const { started, result } = await call({ policy, meanwhile });
      expect([started.length, result.error !== undefined], later).toEqual([0, true]);
    }
  });
});

describe("a command with an access that a sandbox refused", () => {
  const answers = (behavior: "allow" | "deny"): Pick<Machine, "approvals"> =>
    ({
      approvals: { ask: async () => ({ status: "answered", requestId: "r", by: "user", answer: { behavior } }) },
    }) as Pick<Machine, "approvals">;

  it("G15 runs once more with exactly that, after a person's yes, and not a third time", async () => {
    const { started, result } = await call(answers("allow"));
    expect(result.output).toBe(0);
    expect(started).toMatchObject([
      { effects: [{ do: "run" }] },
      { effects: [{ do: "run" }, { do: "connect", host: "a.org" }] },
    ]);
  });

  it("G15 stays refused after a no, with nobody there, and where the policy denies it", async () => {
    const denies: Machine["policy"] = () => ({
      mode: "default",
      generation: 1,
      decide: (situation) =>
        verdict(situation.effects.some(({ do: what }) => what === "connect") ? "deny" : "allow", situation),
    });
    for (const changes of [answers("deny"), {}, { ...answers("allow"), policy: denies }]) {
      const { started, result } = await call(changes);
      expect([started.length, result.output]).toEqual([1, 7]);
    }
  });
});
