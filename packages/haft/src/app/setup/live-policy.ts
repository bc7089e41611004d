import { createPolicy, type Policy, type Situation, type TraceStep, type Workspace } from "@haft/core/policy";
import { isWithin, type Worktree } from "@haft/core/tool";
import { surveysFor } from "@haft/sandbox/system-folders";
import { type Grants, openGrants } from "../approval/grants.ts";
import { type PrivateReads, privateReads } from "../journal/private-reads.ts";
import { bounded } from "./bounded.ts";
import { invalidSetup } from "./invalid.ts";
import type { Setup } from "./setup.ts";

/** Rules that cover everything that is possible, and whose they are. */
export interface PolicyBound {
  readonly who: string;
  readonly rules: readonly string[];
}

/** The current policy of a session. Answers that people want remembered become part of it. */
export interface LivePolicy {
  now(): Policy;
  /** Replaces the policy, for another mode or other grants. */
  change(next: (policy: Policy) => Policy): void;
  /** Replaces the bounds: whatever no rule of each of them covers is refused. */
  bound(bounds: readonly PolicyBound[]): void;
  /** The folder in which the session works. */
  cwd(): string;
  /** Moves the session to a worktree, or back. In a worktree, the main checkout is read-only. */
  move(to: Worktree | undefined): void;
  readonly remember: Grants["remember"];
  readonly privateReads: PrivateReads;
}

/** @throws HaftError `validation_failed` when a rule is invalid. */
export async function livePolicy(setup: Setup): Promise<LivePolicy> {
  const { inert, mode, workspace, trusted, names: tools, root, userFile, past, remote, options } = setup;
  // The policy itself checks `trusted`: it lists inert rules but applies none.
  const rules = [...setup.rules, ...inert];
  const secrets = privateReads(setup.earlier ?? past?.record);
  let policy = createPolicy({
    ...{ rules, mode, workspace, trusted, tools, sawPrivate: () => secrets.seen() },
    // It looks at folders of this machine.
    ...(options.host ? {} : { keepsReaders: surveysFor }),
  });
  const errors = policy.problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0)
    throw invalidSetup(errors.map(({ rule, message, cure }) => `${rule}: ${message} ${cure}`).join("\n"));
  const { sessionDir, workspaceDir } = past ?? {};
  const grants = await openGrants({ root, userFile, sessionDir, workspaceDir, servers: remote.servers });
  // Added after validation: a tool removed since must not keep a session from resuming.
  if (grants.rules.length > 0) policy = policy.with({ rules: [...rules, ...grants.rules] });
  let bounds: readonly PolicyBound[] = [];
  let within: { readonly from: Policy; readonly policy: Policy } | undefined;
  return {
    now() {
      if (bounds.length === 0) return policy;
      if (within?.from !== policy) {
        const inner = bounds.reduce((outer, { rules, who }) => bounded(outer, rules, who), policy);
        within = { from: policy, policy: inner };
      }
      return within.policy;
    },
    bound(next) {
      bounds = next;
      within = undefined;
    },
    change(next) {
      policy = next(policy);
    },
    cwd: () => policy.workspace.cwd,
    move(to) {
      policy = policy.with(
        to
          ? { workspace: movedTo(workspace, to.path), extra: keepsMain(workspace.root, to.path) }
          : { workspace, extra: undefined },
      );
    },
    privateReads: secrets,
    async remember(request, answer) {
      const kept = await grants.remember(request, answer);
      policy = policy.with({ grant: kept.rules.map(({ text }) => text) });
      return kept;
    },
  };
}

const movedTo = (workspace: Workspace, path: string): Workspace => ({
  ...workspace,
  ...{ root: path, startedIn: path, cwd: path },
  readable: [...(workspace.readable ?? []), workspace.root],
});

/** Work in a worktree leaves the main checkout unchanged. */
const keepsMain =
  (main: string, worktree: string) =>
  ({ effects }: Situation): TraceStep | undefined => {
    const index = effects.findIndex(
      (effect) => effect.do === "write" && isWithin(main, effect.path) && !isWithin(worktree, effect.path),
    );
    if (index < 0) return undefined;
    const note = `The session works in the worktree ${worktree}; the main checkout is read-only. ExitWorktree goes back.`;
    return { step: "flow", outcome: "deny", effect: index, note };
  };
