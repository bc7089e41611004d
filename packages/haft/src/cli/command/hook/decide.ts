import { createExecutor, type Machine } from "@haft/core/executor";
import { createRedactor, modeNamed } from "@haft/core/policy";
import { createHost } from "@haft/host/process";
import { openSessionLog } from "@haft/service";
import { bash, powershell } from "@haft/tools/shells";
import { livePolicy } from "../../../app/setup/live-policy.ts";
import { readSetup, type Setup } from "../../../app/setup/setup.ts";
import { modeOf } from "../../mode.ts";
import type { CommonOptions } from "../../options.ts";
import type { ForeignCall, Verdict } from "./agents.ts";
import { canonicalCall, foreignRegistry } from "./foreign-tools.ts";

/**
 * Decides with Haft's rules about a call that another agent is about to make, and records the decision in a session of
 * that agent. Nothing runs.
 *
 * @throws HaftError when settings cannot be read; the caller then treats it as a question.
 */
export async function decideForeign(agent: string, call: ForeignCall, common: CommonOptions): Promise<Verdict> {
  // Without a given mode, the agent's own mode counts: a person has chosen it there.
  const mode = modeOf(common.mode) ?? (call.mode === undefined ? undefined : modeNamed(call.mode));
  const setup = await readSetup({
    cwd: call.cwd ?? common.cwd,
    rules: { allow: common.allow, ask: common.ask, deny: common.deny },
    lookOnly: true,
    session: sessionOf(agent, call),
    ...(mode ? { mode } : {}),
    ...(common.settings === undefined ? {} : { settings: common.settings }),
    ...(common.withoutUserSettings ? { withoutUserSettings: true } : {}),
    ...(common.trust ? { trusted: true } : {}),
  });
  const started = Date.now();
  const { tool, input } = canonicalCall(call.tool, call.input);
  const host = createHost({ cwd: setup.cwd });
  try {
    const { effects, decision, error } = await createExecutor(await machineFor(setup, host)).explain({
      id: "hook",
      tool,
      input,
    });
    const verdict: Verdict =
      decision === undefined
        ? {
            decision: "ask",
            reason: `Haft cannot tell what ${call.tool} would do: ${error?.message ?? "it is not known"}`,
          }
        : { decision: decision.decision, reason: decision.reason };
    record(setup, { tool, input, effects, rule: decision?.rule, durationMs: Date.now() - started }, verdict);
    return verdict;
  } finally {
    await host.close();
  }
}

/**
 * A machine that only decides. Nothing here confines another agent's commands, so no rule counts as enforced by a
 * sandbox.
 */
async function machineFor(setup: Setup, host: ReturnType<typeof createHost>): Promise<Machine> {
  const policy = (await livePolicy(setup)).now().with({ keepsReaders: undefined });
  return {
    registry: foreignRegistry([bash, powershell]),
    available: () => true,
    policy: () => policy,
    ports: host.ports,
    agent: { id: "main" },
    session: { id: setup.session.id },
    cwd: () => setup.cwd,
    home: setup.home,
    offerContext: () => ({
      cwd: setup.cwd,
      agent: { id: "main" },
      platform: process.platform,
      ports: new Set(Object.keys(host.ports)),
      mode: policy.mode,
    }),
  };
}

/** A separate session for each session of the agent. */
const sessionOf = (agent: string, { session = "none" }: ForeignCall): string =>
  `hook-${agent}-${session.replaceAll(/[^A-Za-z0-9_.-]/g, "-")}`.slice(0, 64);

/** Records the decision. It still applies if the record cannot be written. */
function record({ past, cwd, mode, trusted, session }: Setup, call: object, { decision, reason }: Verdict): void {
  if (past === undefined) return;
  try {
    const log = openSessionLog(past.record, { redact: createRedactor(process.env) });
    if (log.head() === undefined) log.append({ t: "session", id: session.id, cwd, mode, trusted, version: 1 });
    const status = decision === "deny" ? "denied" : decision === "ask" ? "asked" : "ok";
    log.append({ t: "call", id: "hook", status, decision, reason, result: { content: [] }, ...call });
    log.close();
  } catch {
    // Another process may be writing, or the disk is full.
  }
}
