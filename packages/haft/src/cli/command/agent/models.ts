import { DEFAULT_MODELS, findLocalServers, hostedModels, type LocalServer, localModels } from "../../../agent/index.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import { paint, type Style } from "../../../draw/style.ts";
import type { Command } from "../../command.ts";
import { EXIT } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

/** `haft models`: lists the models that can be used now. It asks the providers whose keys are set, and programs on this machine. */
export const models: Command = async (args) => {
  const { common } = readOptions(args, {}, 0);
  const terminal = processTerminal();
  const [servers, hosted] = await Promise.all([findLocalServers(process.env), hostedModels(process.env)]);
  const keys = DEFAULT_MODELS.map(({ model, because }) => ({
    ...{ model, variable: because, isSet: !!process.env[because] },
    models: hosted.filter(({ name }) => name !== model && name.startsWith(model.slice(0, model.indexOf("/") + 1))),
  }));
  const compatible = hosted.filter(({ name }) => name.startsWith("compatible/"));
  if (common.json) {
    const local = servers.map(({ provider, address, models: found, problem }) => ({
      ...{ provider: provider.id, address },
      models: found.map(({ name, about }) => ({ name: `${provider.id}/${name}`, ...(about ? { about } : {}) })),
      ...(problem ? { problem } : {}),
    }));
    await terminal.print(`${JSON.stringify({ keys, compatible, local }, null, 2)}\n`);
    return EXIT.ok;
  }
  const names = [...keys.map(({ model }) => model), ...[...hosted, ...localModels(servers)].map(({ name }) => name)];
  const width = Math.max(...names.map((name) => oneLine(name).length));
  const row = (name: string, about: string): string =>
    `  ${oneLine(name).padEnd(width)}  ${paint(terminal.style, "dim", oneLine(about))}`;
  const lines = [
    ...keys.flatMap(({ model, variable, isSet, models: others }) => [
      row(model, isSet ? `${variable} is set` : `needs ${variable}`),
      ...others.map(({ name, about }) => row(name, about)),
    ]),
    ...(compatible.length > 0 ? ["", `OPENAI_BASE_URL (${oneLine(process.env.OPENAI_BASE_URL ?? "")}):`] : []),
    ...compatible.map(({ name }) => `  ${oneLine(name)}`),
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
