import { lastingSource, marketplaceStore, readMarketplace } from "@haft/plugins";
import type { StateFolder } from "@haft/service";
import { oneLine } from "../../../draw/sanitize.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { processTerminal } from "../../terminal/terminal.ts";

export interface MarketplaceWish {
  readonly verb: string | undefined;
  readonly word: string | undefined;
  readonly json: boolean;
  readonly cwd: string;
  readonly home: string;
  readonly state: StateFolder;
}

/** `haft plugin marketplace add|list|remove`: lists of plugins, from which `haft plugin add NAME@MARKET` adds. */
export async function marketplace(wish: MarketplaceWish): Promise<number> {
  const { verb = "list", word } = wish;
  if (verb === "list") return list(wish);
  if (verb !== "add" && verb !== "remove")
    throw new UsageError(`There is no "plugin marketplace ${oneLine(verb)}".`, "Use add, list or remove.");
  if (word === undefined)
    throw new UsageError(
      "Which marketplace?",
      verb === "add" ? "Name a folder, a .tgz file, github:owner/name, or a git address." : "Name one of the list.",
    );
  return verb === "add" ? add(wish, word) : remove(wish, word);
}

async function add({ json, cwd, home, state }: MarketplaceWish, source: string): Promise<number> {
  const store = marketplaceStore(state.root);
  const lasting = lastingSource(source, cwd);
  const { name, plugins } = await readMarketplace(lasting, {
    ...{ cwd, env: { ...process.env, HOME: home }, signal: new AbortController().signal },
  });
  const before = store.list().find((one) => one.name === name);
  if (before && before.source !== lasting)
    throw new UsageError(
      `There already is a marketplace ${name}: ${oneLine(before.source)}.`,
      `Use haft plugin marketplace remove ${name} first, to replace it.`,
    );
  store.write([...store.list().filter((one) => one.name !== name), { name, source: lasting }]);
  const lines = plugins.map((one) => `  ${one.name}@${name}  ${oneLine(String(one.description ?? ""))}`.trimEnd());
  await processTerminal().print(
    json
      ? `${JSON.stringify({ added: name, plugins: plugins.map((one) => one.name) })}\n`
      : `Added: ${name}. It lists:\n${lines.map((line) => `${line}\n`).join("")}`,
  );
  return EXIT.ok;
}

async function list({ json, state }: MarketplaceWish): Promise<number> {
  const all = marketplaceStore(state.root).list();
  await processTerminal().print(
    json
      ? `${JSON.stringify(all)}\n`
      : all.length === 0
        ? "No marketplaces. `haft plugin marketplace add SOURCE` adds one.\n"
        : all.map(({ name, source }) => `${name} (${oneLine(source)})\n`).join(""),
  );
  return EXIT.ok;
}

async function remove({ state }: MarketplaceWish, name: string): Promise<number> {
  const store = marketplaceStore(state.root);
  const all = store.list();
  if (!all.some((one) => one.name === name))
    throw new UsageError(
      `There is no marketplace "${oneLine(name)}".`,
      `Added: ${all.map((one) => one.name).join(", ") || "none"}.`,
    );
  store.write(all.filter((one) => one.name !== name));
  await processTerminal().print(`Removed: ${name}. Its plugins stay installed; they cannot be updated.\n`);
  return EXIT.ok;
}
