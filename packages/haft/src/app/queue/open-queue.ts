import type { DispatchedCall, Machine } from "@haft/core/executor";
import type { Policy } from "@haft/core/policy";
import { type Browser, type SeenFile, state } from "@haft/core/tool";
import type { OutgoingCall, QueueHost, QueueOptions } from "@haft/workers";
import type { Setup } from "../setup/setup.ts";
import { loadWorkers } from "./load-workers.ts";
import { remoteBrowser } from "./remote-browser.ts";
import { netOfStore } from "./store-net.ts";

/** A session's way to the workers. */
export interface SessionQueue {
  readonly machine: Pick<Machine, "dispatcher" | "shareLocks" | "shareSlots">;
  /** The browser, if the rules of placement send its calls to workers. */
  readonly browser?: Browser;
  close(): Promise<void>;
}

/** The rules of a caller as a worker gets them. */
export interface SentPolicy {
  readonly rules: Policy["rules"];
  readonly workspace: Policy["workspace"];
  readonly trusted: boolean;
}

/**
 * Connects a session to its queue.
 *
 * @throws HaftError if the package is missing, Redis cannot be reached, or another host has the session.
 */
export async function openQueue(
  given: string | QueueOptions,
  { options, session, trusted, workspace }: Setup,
  policy: () => Policy,
): Promise<SessionQueue> {
  const workers = await loadWorkers();
  const wanted = typeof given === "string" ? { url: given } : given;
  const host = await workers.openQueueHost({
    ...wanted,
    session: session.id,
    isResumed: options.session !== undefined,
    env: options.env ?? process.env,
    netFor: netOfStore,
  });
  const sent = policyTexts(trusted, workers.digestOf);
  const browserCall = { tool: "WebBrowser", effects: [state("browser")], cwd: workspace.root };
  const browser = host.needs(browserCall) ? remoteBrowser() : undefined;
  let locks: ReturnType<QueueHost["shareLocks"]> | undefined;
  return {
    machine: {
      shareLocks(own) {
        locks = host.shareLocks(own, workspace.root);
        return locks;
      },
      dispatcher: {
        earlier: (call, context) => host.earlier(call, context),
        place(call) {
          const needs = isPortable(call) ? host.needs({ ...call, tool: call.tool.name }) : undefined;
          if (!needs || (wanted.withoutWorker === "host" && !needs.isHeld && !host.hasWorker(needs))) return undefined;
          const out = outgoing(call, sent(policy()), workers.retryOf(call.effects), locks?.leasesOf(call.ticket) ?? []);
          return async (context) => {
            const ended = await host.send(out, needs, context);
            if (needs.isHeld) browser?.note(ended.result.output);
            return ended;
          };
        },
      },
    },
    ...(browser ? { browser } : {}),
    close: () => host.close(),
  };
}

/** A dry run, and a command whose changes a person reviews, need the caller's own view of the workspace. */
const isPortable = ({ isDryRun, grant }: DispatchedCall): boolean => !isDryRun && grant.hold !== true;

function outgoing(
  { call, agent, session, tool, input, cwd, effects, approval, contents, seen }: DispatchedCall,
  policy: OutgoingCall["policy"],
  retry: OutgoingCall["retry"],
  tickets: OutgoingCall["tickets"],
): OutgoingCall {
  const touched = new Set(effects.flatMap((effect) => ("path" in effect ? [effect.path] : [])));
  const known = [...seen()].filter(([path]): boolean => touched.has(path)) as [string, SeenFile][];
  return {
    ...{ call, agent, tool: tool.name, input, cwd, effects, retry, policy, seen: known, tickets },
    ...(session.messageId === undefined ? {} : { messageId: session.messageId }),
    ...(approval ? { approvedBy: approval.by } : {}),
    ...(contents ? { contents } : {}),
  };
}

/** The text of a policy, made once for each policy. */
function policyTexts(trusted: boolean, digestOf: (value: unknown) => string) {
  let known: { readonly of: Policy; readonly sent: OutgoingCall["policy"] } | undefined;
  return (policy: Policy): OutgoingCall["policy"] => {
    if (known?.of !== policy) {
      const { rules, workspace } = policy;
      const text = JSON.stringify({ rules, workspace, trusted } satisfies SentPolicy);
      known = { of: policy, sent: { digest: digestOf(text), text } };
    }
    return known.sent;
  };
}
