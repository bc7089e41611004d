import type { NamedAsker } from "@haft/core/approval";
import type { Registry } from "@haft/core/registry";
import type { SettingsHooks } from "@haft/plugins/hook";
import type { Approvals } from "../approval/open-approvals.ts";
import type { HaftOptions } from "../haft.ts";
import { type NoticeBoard, noticeBoard, warnProcess } from "../notice.ts";
import type { openQueue } from "../queue/open-queue.ts";
import type { OwnStores } from "../session/open-stores.ts";
import type { SessionState } from "../session/session-ports.ts";
import { type LivePolicy, livePolicy } from "../setup/live-policy.ts";
import { loadAlone, mayRun, type OwnOptions, openRegistry } from "../setup/offering.ts";
import type { Setup } from "../setup/setup.ts";
import { openWorld, type World } from "../setup/world.ts";
import type { SessionKit } from "./session-kit.ts";

/** The parts of a session that stand on its setup alone. */
export interface Foundation {
  readonly setup: Setup;
  readonly own: OwnStores;
  readonly live: LivePolicy;
  readonly notices: NoticeBoard;
  readonly world: World;
  readonly queue: Awaited<ReturnType<typeof openQueue>> | undefined;
  /** How the rest is opened. */
  readonly kit: SessionKit;
  readonly state: SessionState;
  readonly registry: Registry;
  readonly hooks: SettingsHooks;
  readonly approvals: Approvals;
}

/** Opens policy, world, tools and approvals. `called`: the only tool that will be called. */
export async function openFoundation(
  { setup, own }: Pick<Foundation, "setup" | "own">,
  options: OwnOptions,
  called?: string,
): Promise<Foundation> {
  const live = await livePolicy(setup);
  const notices = noticeBoard();
  notices.watch(options.onNotice ?? warnProcess);
  const alone = called === undefined ? undefined : await loadAlone(called);
  const world = await (options.host
    ? (await import("../setup/host-world.ts")).openHostWorld(setup, options.host)
    : openWorld(setup, live.now, notices.post, { runs: alone === undefined || mayRun(alone) }));
  const queue =
    options.queue === undefined
      ? undefined
      : await (await import("../queue/open-queue.ts")).openQueue(options.queue, setup, live.now);
  const kit = alone ? (await import("./call-kit.ts")).callAlone : (await import("./session-kit.ts")).wholeSession;
  const state = kit.openSessionState(setup, live, world, notices.post);
  const registry = await openRegistry(options, alone);
  const { hookCallbacks } = options;
  const hooks =
    setup.settings.hooks || hookCallbacks
      ? (await import("../setup/session-hooks.ts")).sessionHooks(setup, registry, live.now, notices.post, hookCallbacks)
      : WITHOUT_HOOKS;
  const approvals = await approvalsOf(setup, own, { kit, world, hooks, notices });
  return { setup, own, live, notices, world, queue, kit, state, registry, hooks, approvals };
}

const WITHOUT_HOOKS: SettingsHooks = {
  hooks: [],
  problems: [],
  askers: (people) => people,
  runHooks: async () => ({ context: [] }),
  close() {},
};

async function approvalsOf(
  { options, session }: Setup,
  own: OwnStores,
  { kit, world, hooks, notices }: Pick<Foundation, "kit" | "world" | "hooks" | "notices">,
): Promise<Approvals> {
  const onIgnored = (message: string) =>
    notices.post({ code: "answer_ignored", severity: "warning", source: "approvals", message });
  const table = await own.approvals?.(onIgnored);
  return kit.openApprovals({
    session: { id: session.id, dir: session.dir },
    askers: hooks.askers(askersOf(options.ask)),
    hostAnswers: options.ask === "host",
    clock: world.ports.clock,
    ...(options.approvalTimeoutMs === undefined ? {} : { timeoutMs: options.approvalTimeoutMs }),
    onIgnored,
    ...(table ? { table } : {}),
  });
}

function askersOf(ask: HaftOptions["ask"]): NamedAsker[] {
  return typeof ask === "function" ? [{ name: "user", ask }] : [];
}
