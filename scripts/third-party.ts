import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Rolldown } from "tsdown";

/** Lays the licences of all packages that moved into a bundle beside it: most ask for that. */
export const thirdParty = (): Rolldown.Plugin => ({
  name: "third-party",
  generateBundle(_, bundle) {
    const folders = new Set<string>();
    for (const part of Object.values(bundle))
      if (part.type === "chunk")
        for (const id of part.moduleIds) if (id.includes("/node_modules/")) folders.add(packageOf(id));
    if (folders.size === 0) return;
    const source = [...new Set([...folders].map(noticeOf))].sort().join(`\n${"-".repeat(80)}\n\n`);
    this.emitFile({ type: "asset", fileName: "third-party-licenses.txt", source });
  },
});

function packageOf(id: string): string {
  for (let folder = dirname(id); ; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    // Some packages mark a folder as modules with a package.json that names nothing.
    if (existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version) return folder;
    if (folder === dirname(folder)) throw new Error(`${id} belongs to no package.`);
  }
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  return `${name} ${version} (${license})\n${file ? `\n${readFileSync(join(folder, file), "utf8").trim()}\n` : ""}`;
}
