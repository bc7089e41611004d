import type { NamedAsker } from "@haft/core/approval";
import type { Registry } from "@haft/core/registry";
import type { SettingsHooks } from "@haft/plugins/hook";
import type { Approvals } from "../approval/open-approvals.ts";
import { checkOptions } from "../check-options.ts";
import { type EventHub, eventHub } from "../event-hub.ts";
import type { HaftOptions } from "../haft.ts";
import { type NoticeBoard, noticeBoard, warnProcess } from "../notice.ts";
import type { openQueue } from "../queue/open-queue.ts";
import type { SessionState } from "../session/session-ports.ts";
import { dialectFor } from "../setup/dialect.ts";
import { type LivePolicy, livePolicy } from "../setup/live-policy.ts";
import { loadAlone, mayRun, openRegistry, switchesOf, type ToolSwitches, withOwnTools } from "../setup/offering.ts";
import { type OwnStores, openStores } from "../setup/open-stores.ts";
import { checkRuntime } from "../setup/runtime.ts";
import { enterSession, type SessionUser } from "../setup/session-users.ts";
import { readSetup, type Setup } from "../setup/setup.ts";
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
  /** The mark of this Haft as a user of the session. */
  readonly user: SessionUser;
  readonly choice: Choice;
  readonly dialect: Awaited<ReturnType<typeof dialectFor>>;
  /** The events of calls, for the hooks of the settings and for the host. */
  readonly hub: EventHub;
  /** Ends the hooks' part of it. */
  readonly watched: { close(): void } | undefined;
  readonly approvals: Approvals;
}

/** The model and the tools, as last chosen. */
export interface Choice {
  model: string | undefined;
  switches: ToolSwitches;
}

/**
 * Opens settings, policy, world, tools, session and approvals: each room once, after those that it needs. `called`: the only
 * tool that will be called.
 */
export async function openFoundation(given: HaftOptions, called?: string): Promise<Foundation> {
  await checkOptions(given);
  const notices = noticeBoard();
  notices.watch(given.onNotice ?? warnProcess);
  checkRuntime();
  const options = await withOwnTools(given);
  const { setup, own } = await openStores(await readSetup(options));
  const live = await livePolicy(setup);
  const alone = called === undefined ? undefined : await loadAlone(called);
  const world = await (options.host
    ? (await import("../setup/host-world.ts")).openHostWorld(setup, options.host)
    : openWorld(setup, live.now, notices.post, { runs: alone === undefined || mayRun(alone) }));
  const registry = await openRegistry(options, alone);
  const { hookCallbacks } = options;
  const hooks =
    setup.settings.hooks || hookCallbacks
      ? (await import("../setup/session-hooks.ts")).sessionHooks(setup, registry, live.now, notices.post, hookCallbacks)
      : WITHOUT_HOOKS;
  const { session, settings } = setup;
  const model = options.model ?? settings.model ?? options.fallbackModel;
  const choice: Choice = { model, switches: switchesOf(settings) };
  const dialect = await dialectFor(options.dialect ?? settings.dialect, () => choice.model);
  const user = enterSession(session.id, session.dir);
  const queue =
    options.queue === undefined
      ? undefined
      : await (await import("../queue/open-queue.ts")).openQueue(options.queue, setup, live.now);
  const hub = eventHub();
  const kit = alone ? (await import("./call-kit.ts")).callAlone : (await import("./session-kit.ts")).wholeSession;
  const state = kit.openSessionState(setup, live, world, notices.post);
  const watched = await watchedBy(setup, hooks, hub);
  const approvals = await approvalsOf(setup, own, { kit, world, hooks, notices });
  return {
    ...{ setup, own, live, notices, world, queue, kit, state, registry, hooks },
    ...{ user, choice, dialect, hub, watched, approvals },
  };
}

/** Tells the hooks of the settings, then the host, about calls. */
async function watchedBy({ settings, options, cwd }: Setup, hooks: SettingsHooks, hub: EventHub) {
  const listens = settings.hooks || options.hookCallbacks;
  const watched = listens
    ? (await import("../session/hooked-events.ts")).listenForHooks(hub, hooks.runHooks, { settings, options, cwd })
    : undefined;
  if (options.onEvent) hub.on(options.onEvent);
  return watched;
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
