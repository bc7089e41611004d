import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBrowser } from "@haft/service/web";
import type { Browser } from "playwright-core";

const found = findBrowser(undefined, process.env);

/** The Chromium of this machine, if it has one. */
export const browserProgram = "executable" in found ? found.executable : undefined;

/** The console, built into a folder of its own, and a browser to open it with. */
export interface ConsoleBrowser extends AsyncDisposable {
  readonly folder: string;
  readonly browser: Browser;
}

/** Starts the Chromium of this machine. */
export async function launchBrowser(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: browserProgram!, args: ["--no-sandbox"] });
}

/** Builds the console and starts the browser. */
export async function consoleBrowser(): Promise<ConsoleBrowser> {
  const folder = mkdtempSync(join(tmpdir(), "haft-console-"));
  const { build } = await import("vite");
  const configFile = fileURLToPath(new URL("../vite.config.ts", import.meta.url));
  await build({ configFile, logLevel: "error", build: { outDir: folder } });
  const browser = await launchBrowser();
  return {
    folder,
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Run in a page before its own scripts: its sockets are in `haftSockets`, and what they hear goes to `haftHeard` before
 * the page hears it.
 */
export const hearSockets = `window.haftSockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    window.haftSockets.push(this);
    this.addEventListener("message", ({ data }) => window.haftHeard?.(data));
  }
};`;
