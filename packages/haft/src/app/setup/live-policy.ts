import { createPolicy, type Policy } from "@haft/core/policy";
import { surveysFor } from "@haft/tools";
import { openGrants } from "../approval/grants.ts";
import { type PrivateReads, privateReads } from "../journal/private-reads.ts";
import { invalidSetup } from "./invalid.ts";
import type { Setup } from "./setup.ts";

/** The policy of a session as it stands now: what people choose to have remembered becomes part of it. */
export interface LivePolicy {
  now(): Policy;
  readonly remember: ReturnType<typeof openGrants>["remember"];
  readonly privateReads: PrivateReads;
}

/** @throws HaftError `validation_failed` when a rule cannot be what it says. */
export function livePolicy(setup: Setup): LivePolicy {
  const { inert, mode, workspace, trusted, names: tools, root, userFile, past, remote } = setup;
  // The policy itself looks at `trusted`: what is inert it names, and follows none of it.
  const rules = [...setup.rules, ...inert];
  const secrets = privateReads(past?.record);
  let policy = createPolicy({
    ...{ rules, mode, workspace, trusted, tools, sawPrivate: () => secrets.seen() },
    keepsReaders: surveysFor,
  });
  const errors = policy.problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0)
    throw invalidSetup(errors.map(({ rule, message, cure }) => `${rule}: ${message} ${cure}`).join("\n"));
  const { sessionDir, workspaceDir } = past ?? {};
  const grants = openGrants({ root, userFile, sessionDir, workspaceDir, servers: remote.servers });
  // Not among the rules that are checked: a tool that is gone since must not keep a session from going on.
  if (grants.rules.length > 0) policy = policy.with({ rules: [...rules, ...grants.rules] });
  return {
    now: () => policy,
    privateReads: secrets,
    async remember(request, answer) {
      const kept = await grants.remember(request, answer);
      policy = policy.with({ grant: kept.rules.map(({ text }) => text) });
      return kept;
    },
  };
}
