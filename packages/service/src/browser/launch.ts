import { join } from "node:path";
import { HaftError } from "@haft/core/tool";
import type { Reach } from "@haft/host";
import { type LoopbackProxy, startLoopbackProxy } from "@haft/host/net";
import type { BrowserContext } from "playwright-core";
import { type Downloads, openDownloads } from "./downloads.ts";
import { type Logins, newProfile } from "./profile.ts";

/** Options for starting a browser. */
export interface LaunchOptions {
  readonly executable: string;
  /** Hosts to which its pages may connect. */
  readonly reach: Reach;
  readonly logins?: Logins;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A running browser. */
export interface Running {
  readonly context: BrowserContext;
  readonly proxy: LoopbackProxy;
  readonly downloads: Downloads;
  close(): Promise<void>;
}

const LAUNCH_MS = 30_000;

/** A host name that can never exist (RFC 6761). */
export const NOWHERE = "haft.invalid";

/** The browser itself contacts nobody, and no page gets past the proxy. */
const FLAGS = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-quic",
  "--disable-domain-reliability",
  "--no-pings",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  // The browser's own services get an address that does not exist.
  ...["autofill-server", "gaia", "google-apis", "google-base", "lso", "optimization-guide-service-get-hints"].map(
    (service) => `--${service}-url=https://${NOWHERE}`,
  ),
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** Starts a browser with an empty profile. It ends with this process, because its pipe to us closes then. */
export async function launch({ executable, reach, logins, env }: LaunchOptions): Promise<Running> {
  const { chromium } = await import("playwright-core");
  const profile = newProfile();
  const downloadsPath = join(profile.folder, "haft-downloads");
  const proxy = await startLoopbackProxy(reach);
  try {
    const context = await chromium.launchPersistentContext(profile.folder, {
      executablePath: executable,
      headless: true,
      // Chromium refuses to use its own sandbox as root.
      chromiumSandbox: process.getuid?.() !== 0,
      args: FLAGS,
      proxy: { server: `http://127.0.0.1:${proxy.port}`, username: proxy.user, password: proxy.password },
      // Keeps the user's keys out of its environment.
      env: {
        PATH: env.PATH ?? "",
        HOME: profile.folder,
        TMPDIR: profile.folder,
        LANG: env.LANG ?? "C.UTF-8",
        ...(env.TZ ? { TZ: env.TZ } : {}),
      },
      serviceWorkers: "block",
      acceptDownloads: true,
      downloadsPath,
      viewport: { width: 1280, height: 800 },
      timeout: LAUNCH_MS,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    if (logins) await context.addCookies([...logins.load()]);
    const end = async (): Promise<void> => {
      if (logins)
        await context
          .cookies()
          .then((cookies) => logins.save(cookies as never))
          .catch(() => {});
      await context.close().catch(() => {});
      await proxy.close();
      profile.remove();
    };
    let ended: Promise<void> | undefined;
    const close = (): Promise<void> => (ended ??= end());
    // A browser that crashes leaves its profile behind.
    context.on("close", () => void close().catch(() => {}));
    return { context, proxy, downloads: openDownloads(downloadsPath), close };
  } catch (thrown) {
    await proxy.close();
    profile.remove();
    throw new HaftError({
      code: "tool_unavailable",
      message: `The browser ${executable} did not start: ${firstLine(thrown)}`,
      hint: "Tell the user: `haft doctor` says what is wrong with it.",
    });
  }
}

const firstLine = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split("\n", 1)[0]?.slice(0, 300) ?? "";
