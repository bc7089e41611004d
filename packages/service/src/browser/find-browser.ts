import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A browser that can be started, or why none is available. */
type FoundBrowser = { readonly executable: string } | { readonly absent: string };

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];

const PLACES: Readonly<Record<string, readonly string[]>> = {
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ],
  win32: [
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
  ],
};

/** Looks for the browser that the user named, else for an installed one. Does not start it. */
export function findBrowser(
  executable: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): FoundBrowser {
  if (!hasDriver()) return { absent: "the package playwright-core is not installed (npm install playwright-core)" };
  if (executable !== undefined)
    return existsSync(executable)
      ? { executable }
      : { absent: `web.browser.executable names ${executable}, which does not exist` };
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder.startsWith("/"));
  const candidates = [
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...(PLACES[process.platform] ?? []),
  ];
  const found = candidates.find((path) => existsSync(path));
  return found === undefined
    ? { absent: "no Chromium or Chrome found: install one, or set web.browser.executable" }
    : { executable: found };
}

function hasDriver(): boolean {
  try {
    import.meta.resolve("playwright-core");
    return true;
  } catch {
    return false;
  }
}
