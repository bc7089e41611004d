import type { Broker } from "@haft/core/approval";
import { fail } from "@haft/core/tool";
import { createMailbox } from "../../agent/context/mailbox.ts";
import type { Approvals, OpenApprovals } from "../approval/open-approvals.ts";
import type { SessionKit } from "./session-kit.ts";

/**
 * For one call of a tool that only works on files, programs and the network: it reaches no notes, skills, agents or
 * servers, so none of these is opened.
 */
export const callAlone: SessionKit = {
  openSessionState: (_, live) => ({
    mailbox: createMailbox(),
    link: undefined,
    memoryPrompt: () => undefined,
    ports: () => ({}),
    missing: {},
    setMode: (mode) => live.change((policy) => policy.with({ mode })),
    strangers: { note() {}, sources: () => [] },
    endRun() {},
    park() {},
    close: async () => {},
  }),
  openExtensions: () => ({
    skills: {
      port: undefined,
      refresh() {},
      endRun() {},
      commands: () => ({ list: () => [], expand: missing }),
    },
    refresh: async () => {},
    discover: async () => {},
    close: async () => {},
  }),
  openAgents: () => ({
    port: undefined,
    attach() {},
    adopt: missing,
    asMain: missing,
    list: () => [],
    setModel() {},
    metered: (model) => model,
    spent: () => ({ tokens: 0 }),
    close: async () => {},
  }),
  openMcp: () => ({
    add: missing,
    remove: async () => false,
    disconnect: missing,
    connect: missing,
    relist: async () => {},
    list: () => [],
    logs: missing,
    settled: async () => {},
    awaitTool: async () => {},
    whyMissing: () => undefined,
    prompts: async () => ({ prompts: [], problems: [] }),
    prompt: missing,
    follow: () => undefined,
    onResource: () => () => {},
    ready: missing,
    resources: missing,
    resource: missing,
    live: missing,
    request: missing,
    read: missing,
    close: async () => {},
  }),
  deferralOf: () => undefined,
  loginProblems: () => [],
  initialToolList: () => ({ ready: async () => {}, quiet: () => undefined }),
  openApprovals: openedByQuestion,
  openInstructions: () => missing,
  askedCalls: () => ({ asked: missing, has: missing, spend: missing }),
};

/** Approvals that are opened by the first question of the call. */
function openedByQuestion(options: OpenApprovals): Approvals {
  const listeners: Parameters<Broker["watch"]>[0][] = [];
  let opened: Promise<Approvals> | undefined;
  const open = async (): Promise<Approvals> => {
    const approvals = (await import("../approval/open-approvals.ts")).openApprovals(options);
    for (const listener of listeners) approvals.broker.watch(listener);
    return approvals;
  };
  const later = (act: (approvals: Approvals) => void) => () => void opened?.then(act);
  const close = later((approvals) => approvals.close());
  return {
    broker: {
      async ask(...question) {
        opened ??= open();
        return (await opened).broker.ask(...question);
      },
      useUp: async (id) => (await opened)?.broker.useUp(id),
      watch(listener) {
        listeners.push(listener);
        return () => listeners.splice(listeners.indexOf(listener), 1);
      },
      reconsider: later(({ broker }) => broker.reconsider()),
      pending: () => [],
      ...{ answer: missing, close },
    },
    pending: () => [],
    ...{ answer: missing, close },
  };
}

function missing(): never {
  return fail("tool_unavailable", "This Haft was opened for one call of one tool.", "Open one with createHaft.");
}
