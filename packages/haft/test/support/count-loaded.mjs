// Given to Node with `--import`: says at the end how many source files of ours it has loaded, and which.
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const loaded = new Set();
registerHooks({
  load(url, context, next) {
    if (/\/packages\/[^/]+\/src\//.test(url)) loaded.add(url);
    return next(url, context);
  },
});
process.once("exit", () => writeFileSync(process.env.HAFT_LOADED, JSON.stringify([...loaded])));
