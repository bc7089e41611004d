import { DEFAULT_MODELS, findLocalServers, type LocalServer, localModels } from "../../../agent/index.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import { paint, type Style } from "../../../draw/style.ts";
import type { Command } from "../../command.ts";
import { EXIT } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

/** `haft models`: lists the models that can be used now. It asks only programs on this machine, or at an address that you set. */
export const models: Command = async (args) => {
  const { common } = readOptions(args, {}, 0);
  const terminal = processTerminal();
  const servers = await findLocalServers(process.env);
  const keys = DEFAULT_MODELS.map(({ model, because }) => ({
    model,
    variable: because,
    isSet: !!process.env[because],
  }));
  if (common.json) {
    const local = servers.map(({ provider, address, models: found, problem }) => ({
      ...{ provider: provider.id, address },
      models: found.map(({ name, about }) => ({ name: `${provider.id}/${name}`, ...(about ? { about } : {}) })),
      ...(problem ? { problem } : {}),
    }));
    await terminal.print(`${JSON.stringify({ keys, local }, null, 2)}\n`);
    return EXIT.ok;
  }
  const names = [...keys.map(({ model }) => model), ...localModels(servers).map(({ name }) => name)];
  const width = Math.max(...names.map((name) => oneLine(name).length));
  const row = (name: string, about: string): string =>
    `  ${oneLine(name).padEnd(width)}  ${paint(terminal.style, "dim", oneLine(about))}`;
  const lines = [
    ...keys.map(({ model, variable, isSet }) => row(model, isSet ? `${variable} is set` : `needs ${variable}`)),
    ...servers.flatMap((server) => drawServer(server, row, terminal.style)),
    "",
    "Choose one with --model NAME or /model NAME. A server elsewhere: see docs/models.md.",
  ];
  await terminal.print(`${["With a key:", ...lines].join("\n")}\n`);
  return EXIT.ok;
};

function drawServer(
  { provider, address, models: found, problem }: LocalServer,
  row: (name: string, about: string) => string,
  style: Style,
): readonly string[] {
  const head = `${provider.title} (${oneLine(address)}): `;
  if (problem) return ["", `${head}${paint(style, "dim", problem)}`];
  if (found.length === 0) return ["", `${head}no model installed`];
  return ["", head.trim(), ...found.map(({ name, about = "" }) => row(`${provider.id}/${name}`, about))];
}
