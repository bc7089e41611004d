import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHaft } from "../../src/app/create-haft.ts";
import type { HaftOptions } from "../../src/app/haft.ts";

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../mcp/test/servers/${name}.mjs`, import.meta.url));

/** A fixture server as settings write it. */
export const serverEntry = (name: "friendly" | "rough", ...args: string[]) => ({
  command: process.execPath,
  args: [fixture(name), ...args],
});

/** A workspace, a home and a state folder of their own. Files are given by their place below the base. */
export function mcpWorkspace(files: Readonly<Record<string, unknown>> = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-mcp-app-")));
  const cwd = join(base, "work");
  mkdirSync(cwd);
  mkdirSync(join(base, "home"));
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), typeof value === "string" ? value : JSON.stringify(value));
  }
  const open = (options: HaftOptions = {}) =>
    createHaft({
      cwd,
      home: join(base, "home"),
      stateDir: join(base, "state"),
      env: { PATH: process.env.PATH },
      ...options,
    });
  return { base, cwd, open, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}

/** The user's own settings in such a workspace. */
export const USER_SETTINGS = "home/.config/haft/settings.json";
