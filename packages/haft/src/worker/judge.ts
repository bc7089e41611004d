import type { Judge } from "@haft/core/executor";
import { createPolicy, type Decision, type Policy } from "@haft/core/policy";
import { isWithinEffects } from "@haft/core/tool";
import { surveysFor } from "@haft/sandbox/system-folders";
import type { Job } from "@haft/workers";
import type { SentPolicy } from "../app/queue/open-queue.ts";

/**
 * Decides about one job: the caller has allowed it, so it runs within the granted effects. The rules of both sides close
 * files to it, and a deny rule of either side refuses it, also one that nothing here can hold. If it would do more here
 * than was granted, the caller is asked.
 */
export function judgeOf(job: Job, theirs: Policy, own: () => Policy): Judge {
  return {
    mode: "default",
    get generation() {
      return `${own().generation} ${job.policy}`;
    },
    decide(situation) {
      const [here, there] = [own().decide(situation), theirs.decide(situation)];
      const denied = [here, there].find(({ decision }) => decision === "deny");
      if (denied) return denied;
      // A person who approved the call has seen the caller's rules, and not those of this worker.
      const unkept = unkeptDeny(here) ?? (job.approvedBy === undefined ? unkeptDeny(there) : undefined);
      if (unkept) return unkept;
      const grant = { effects: situation.effects, holes: [...here.grant.holes, ...there.grant.holes] };
      const decided: Decision = {
        decision: "allow",
        reason: "The caller allowed it.",
        trace: [],
        suggestions: [],
        grant,
      };
      if (isWithinEffects(situation.effects, job.effects))
        return job.contents ? { ...decided, decision: "ask" } : decided;
      const reason = "On this worker, the call has more effects than the caller saw.";
      // An approval of the caller must not cover it.
      return job.contents ? { ...decided, decision: "deny", reason } : { ...decided, decision: "ask", reason };
    },
  };
}

/** The refusal of a call that could break a deny rule, if nothing on this worker keeps it from that. */
function unkeptDeny({ trace }: Decision): Decision | undefined {
  const step = trace.find((one) => one.step === "deny" && one.outcome === "ask" && one.rule);
  if (!step?.rule) return undefined;
  const { rule, note: reason } = step;
  const grant = { effects: [], holes: [] };
  return { decision: "deny", code: "denied_by_rule", reason, rule, trace, suggestions: [], grant };
}

/** The caller's rules, compiled once for all jobs that were decided by them. */
export function sentPolicies(): (digest: string, text: string) => Policy {
  const known = new Map<string, Policy>();
  return (digest, text) => {
    const before = known.get(digest);
    if (before) return before;
    const { rules, workspace, trusted } = JSON.parse(text) as SentPolicy;
    const policy = createPolicy({ rules, workspace, trusted, keepsReaders: surveysFor });
    const [oldest] = known.keys();
    if (known.size >= MOST_POLICIES && oldest !== undefined) known.delete(oldest);
    known.set(digest, policy);
    return policy;
  };
}

const MOST_POLICIES = 50;
