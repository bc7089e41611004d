#!/usr/bin/env node
// Plain JavaScript without new syntax: an old Node must get as far as the message below. It imports nothing: importing a
// part of Node loads all of that part, and a short command uses little of it.
if (process.versions.bun) {
  console.error(
    `Haft does not run on Bun; this is Bun ${process.versions.bun}. Bun does not read the pipes through which commands ` +
      "answer, so every command would seem to say nothing. Start it with Node 22.13 or newer.",
  );
  process.exit(2);
}
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    `haft needs Node 22.13 or newer; this is ${process.version}. ` +
      "Install a current Node from https://nodejs.org, or run `nvm install 24`, and try again.",
  );
  process.exit(2);
}

const node = process.getBuiltinModule;
const fs = node("node:fs");
const { join } = node("node:path");
const { dirname, filename, resolve } = import.meta;

const first = process.argv[2] ?? "";
if (first === "--version" || first === "-v") {
  // Answered here because loading the command line would cost many times the answer.
  const { version } = JSON.parse(fs.readFileSync(join(dirname, "../package.json"), "utf8"));
  fs.writeSync(1, `${version}\n`);
} else if (answersHook()) {
  try {
    runBundle(join(dirname, "../dist"), "hook.cjs");
  } catch (error) {
    // Agents go on after any other code.
    console.error(error);
    process.exit(2);
  }
} else if (fs.existsSync(join(dirname, "../dist/cli.cjs"))) runBundle(join(dirname, "../dist"), "cli.cjs");
else {
  console.error("This checkout of Haft is not built. Run `npm run build` in it, and try again.");
  process.exit(2);
}

/** Whether another agent asks about a call of its own: each of its calls waits for the answer, so that has a small bundle. */
function answersHook() {
  return (
    first === "hook" && /^[a-z]+$/.test(process.argv[3] ?? "") && !/^(install|remove|status)$/.test(process.argv[3])
  );
}

/**
 * Runs the bundle with the bytecode that an earlier run of the same command left. Node's own compile cache is taken before
 * a module runs and holds hardly a function of it; this one is taken at the end and holds all that ran. It lies beside the
 * bundle, so that who can change it can change the bundle too; where that folder cannot be written, nothing is kept.
 */
function runBundle(dist, entry) {
  const { Script } = node("node:vm");
  const require = node("node:module").createRequire(filename);
  /** Parts of Node that much code names and few commands use. */
  const seldom = new Set(["node:child_process", "node:net", "node:vm", "node:worker_threads"]);
  const command = /^[a-z]+$/.test(first) ? first : "talk";
  const kept = join(dist, ".bytecode", `${process.version}-${process.arch}`);
  const loaded = new Map();
  const fresh = [];

  const requireFrom = (id) =>
    id.startsWith("./") ? load(id.slice(2)) : seldom.has(id) ? whenUsed(() => node(id)) : require(id);

  const importFrom = (id) => import(id);

  function load(name) {
    const before = loaded.get(name);
    if (before) return before.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const file = join(dist, name);
    const bytecode = join(kept, `${name}.${command}`);
    // The name of a part contains its hash, except for the entry, so an old part is never loaded.
    const cachedData = name === entry ? undefined : readIfThere(bytecode);
    const head = `(function (module, exports, require, __filename, __import, __resolve) {"use strict";`;
    const script = new Script(`${head}${fs.readFileSync(file, "utf8")}\n})`, { filename: file, cachedData });
    if (name !== entry && (!cachedData || script.cachedDataRejected)) fresh.push({ script, bytecode });
    script.runInThisContext()(module, module.exports, requireFrom, file, importFrom, resolve);
    return module.exports;
  }

  const { commandNames } = load(entry);
  const keepFresh = () => {
    const isKnown = command === "talk" || commandNames.includes(command);
    if (isKnown && fresh.length > 0 && !process.env.NODE_DISABLE_COMPILE_CACHE) keep(kept, fresh.splice(0));
  };
  process.once("exit", keepFresh);
  // A server may be ended without a word.
  setTimeout(keepFresh, 10_000).unref();
}

/** A part of Node that is loaded at its first use. */
function whenUsed(part) {
  return new Proxy(
    {},
    {
      get: (_, name) => part()[name],
      has: (_, name) => name in part(),
      ownKeys: () => Reflect.ownKeys(part()),
      getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(part(), name),
    },
  );
}

function readIfThere(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Whole files only: another run may read them at this moment. A folder of somebody else's is left as it is. */
function keep(folder, scripts) {
  try {
    fs.mkdirSync(folder, { recursive: true });
    for (const { script, bytecode } of scripts) {
      const unfinished = `${bytecode}.${process.pid}`;
      fs.writeFileSync(unfinished, script.createCachedData());
      fs.renameSync(unfinished, bytecode);
    }
  } catch {
    // The next start is no faster than this one.
  }
}
