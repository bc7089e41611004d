// Installs the programs and clients of others: test/peers, which is linked where the tests look, or the folder given.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = process.argv[2] ?? "test/peers";
const peers = join(root, folder);

const json = (path) => JSON.parse(readFileSync(join(peers, path), "utf8"));
const { dependencies = {}, devDependencies = {} } = json("package.json");
const names = Object.keys({ ...dependencies, ...devDependencies });

/** npm writes down what it has installed. */
function isInstalled() {
  if (!existsSync(join(peers, "node_modules/.package-lock.json"))) return false;
  const [there, wanted] = [json("node_modules/.package-lock.json"), json("package-lock.json")];
  const version = ({ packages }, name) => packages[`node_modules/${name}`]?.version;
  return names.every((name) => version(there, name) === version(wanted, name));
}

if (!isInstalled()) {
  console.error(`Installing ${folder}: programs and clients of others.`);
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts"], { cwd: peers, stdio: "inherit", shell: true });
  if (status !== 0) process.exit(status ?? 1);
}
/** npm would take the program of such a link for its own, and remove both with the next `npm install`. */
const isSecondVersion = (name) => {
  const { bin = {} } = json(`node_modules/${name}/package.json`);
  return Object.keys(bin).some((program) => existsSync(join(root, "node_modules/.bin", program)));
};
const linked = folder === "test/peers" ? names.filter((name) => !isSecondVersion(name)) : [];
for (const name of linked) {
  const link = join(root, "node_modules", name);
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { recursive: true, force: true });
  symlinkSync(relative(dirname(link), join(peers, "node_modules", name)), link);
}
