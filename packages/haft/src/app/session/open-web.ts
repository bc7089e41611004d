import { join } from "node:path";
import { openGates, type Policy } from "@haft/core/policy";
import { type Channels, connect, type OfferContext, type Ports } from "@haft/core/tool";
import { type Reach, reachOf } from "@haft/host/reach";
import { createChannels } from "@haft/service/session";
import {
  allowsByRobots,
  createBrowser,
  createDocuments,
  findBrowser,
  openLogins,
  type SessionBrowser,
} from "@haft/service/web";
import type { NoticeListener } from "../notice.ts";
import type { Setup } from "../setup/setup.ts";
import { envOf, privateHostsOf } from "../setup/web-hosts.ts";
import { openSearch, searchOf } from "./search.ts";
import { smallModel } from "./small-model.ts";

/** The ports of the web tools and of messages. */
export interface Web {
  readonly ports: Pick<Ports, "documents" | "model" | "search" | "browser" | "channels">;
  /** Why a port is missing. */
  readonly missing: NonNullable<OfferContext["missing"]>;
  /** Makes a browser for a session of another machine. Its deny rules hold too, and no logins are kept. */
  readonly browserFor?: BrowserMaker;
  close(): Promise<void>;
}

/** Makes a browser for the caller with these rules. */
export type BrowserMaker = (policy?: () => Policy) => SessionBrowser;

/** Opens the parts that the web tools need. Nothing starts before its first use. */
export function openWeb(
  setup: Setup,
  { net, clock }: Pick<Ports, "net" | "clock">,
  policy: () => Policy,
  onNotice: NoticeListener,
): Web {
  const { model, robots = false } = setup.settings.web ?? {};
  const env = envOf(setup.options);
  const documents = createDocuments();
  const found = searchOf(setup);
  const search = "absent" in found ? undefined : openSearch(found, setup.options.host?.net);
  const make = browsersOf(setup, policy);
  const isBrowsing = !("absent" in make);
  const browser = isBrowsing ? make.open() : undefined;
  return {
    ports: {
      documents: {
        page: (html, options) => documents.page(html, options),
        prepare: () => documents.prepare(),
        ...(robots ? { allows: allowsByRobots } : {}),
      },
      ...(model === undefined ? {} : { model: smallModel(model, env) }),
      ...(search ? { search: search.port } : {}),
      ...(browser ? { browser } : {}),
      ...(setup.options.lookOnly ? {} : { channels: channelsOf(setup, { net, clock }, onNotice) }),
    },
    missing: {
      ...("absent" in found ? { search: found.absent } : {}),
      ...(isBrowsing ? {} : { browser: make.absent }),
    },
    ...(isBrowsing ? { browserFor: make.open } : {}),
    async close() {
      await Promise.all([documents.close(), browser?.close(), search?.close()]);
    },
  };
}

/** Makes browsers, for this session or another one, if the machine has a browser and the gate is open. */
function browsersOf(setup: Setup, policy: () => Policy): { readonly open: BrowserMaker } | { readonly absent: string } {
  const { settings, state } = setup;
  const { executable, logins = [] } = settings.web?.browser ?? {};
  if (!openGates(settings.gates).has("WEB_BROWSER_TOOL")) return { absent: "the gate WEB_BROWSER_TOOL is closed" };
  const env = envOf(setup.options);
  const found = findBrowser(executable, env);
  if ("absent" in found) return found;
  const reach = unlessDenied(reachOf(["*", ...privateHostsOf(setup)]), policy);
  return {
    open: (caller) =>
      createBrowser({
        executable: found.executable,
        reach: caller ? unlessDenied(reach, caller) : reach,
        env,
        ...(state && !caller && logins.length > 0
          ? { logins: openLogins(join(state.root, "browser-logins.json"), logins) }
          : {}),
      }),
  };
}

/** Applies deny rules for hosts to the requests of pages, too. */
const unlessDenied = (reach: Reach, policy: () => Policy): Reach => ({
  async resolve(host, port) {
    const effects = [{ ...connect(host), port }];
    const { trace } = policy().decide({ tool: { name: "WebBrowser", origin: "builtin" }, input: {}, effects });
    const isDenied = trace.some(({ step, outcome }) => step === "deny" && outcome === "deny");
    return isDenied ? { refused: `a rule denies ${host}:${port}.` } : reach.resolve(host, port);
  },
});

/** The channels of the settings and of the host. */
const channelsOf = (
  { settings, options }: Setup,
  { net, clock }: Pick<Ports, "net" | "clock">,
  onNotice: NoticeListener,
): Channels =>
  createChannels({
    settings: settings.channels ?? {},
    ...(options.channels ? { drivers: options.channels } : {}),
    env: options.env ?? process.env,
    ...{ net, clock },
    tell: (message) => onNotice({ code: "message", severity: "notice", source: "message", message }),
  });
