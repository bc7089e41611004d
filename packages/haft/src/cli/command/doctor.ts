import { oneLine } from "../../draw/sanitize.ts";
import { type Ink, paint, type Style } from "../../draw/style.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { readOptions } from "../options.ts";
import { processTerminal } from "../terminal/terminal.ts";
import type { Finding } from "./finding.ts";
import { inspect } from "./machine-report.ts";
import { queueFindings } from "./queue/queue-finding.ts";

/**
 * `haft doctor`: shows the features and problems of this machine, with remedies. Exit code 1 if something is broken.
 */
export const doctor: Command = async (args) => {
  const { common } = readOptions(args, {}, 0);
  const terminal = processTerminal();
  const findings = [...(await inspect(common)), ...(await queueFindings(common.queue ?? process.env.HAFT_QUEUE))];
  await terminal.print(
    common.json
      ? `${JSON.stringify({ node: process.version, platform: process.platform, findings }, null, 2)}\n`
      : `${findings.map((finding) => drawFinding(finding, terminal.style)).join("\n")}\n`,
  );
  return findings.some(({ status }) => status === "broken") ? EXIT.failed : EXIT.ok;
};

const inks: Readonly<Record<Finding["status"], Ink>> = { ok: "green", missing: "yellow", broken: "red" };

function drawFinding({ name, status, detail, cure, limits = [] }: Finding, style: Style): string {
  return [
    `${paint(style, inks[status], status.padEnd(7))} ${name}: ${oneLine(detail)}`,
    ...(cure === undefined ? [] : [`        ${oneLine(cure)}`]),
    ...(limits.length === 0 ? [] : ["        Limits:"]),
    ...limits.map((limit) => `        - ${oneLine(limit)}`),
  ].join("\n");
}
