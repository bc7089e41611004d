// Builds the packages, unless the build is newer than all its sources. Says so, as it takes a while.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const BUILT = ["core/dist/index.mjs", "haft/dist/index.mjs", "haft/dist/cli.cjs", "haft/dist/console/index.html"];
const SOURCES = [
  "packages/*/src/**/*.{ts,tsx,css}",
  "packages/web/index.html",
  "packages/*/{package.json,*.config.ts}",
  "package-lock.json",
  "scripts/*.*",
];

const changedAt = (path) => statSync(path).mtimeMs;

function isFresh() {
  const built = BUILT.map((path) => `${root}packages/${path}`);
  if (!built.every((path) => existsSync(path))) return false;
  const sources = globSync(SOURCES, { cwd: root, exclude: (path) => path.endsWith(".test.ts") });
  return Math.min(...built.map(changedAt)) > Math.max(...sources.map((path) => changedAt(`${root}${path}`)));
}

if (!isFresh()) {
  console.error("Building Haft. This takes about 20 seconds, and only after a change.");
  const build = ["run", "-s", "build", "--", "--log-level", "error"];
  const npm = process.env.npm_execpath;
  const [program, args] = npm ? [process.execPath, [npm, ...build]] : ["npm", build];
  process.exitCode = spawnSync(program, args, { cwd: root, stdio: "inherit" }).status ?? 1;
}
