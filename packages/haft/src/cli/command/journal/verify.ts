import { existsSync, readFileSync } from "node:fs";
import { counted } from "@haft/core/tool";
import { type ChainReport, checkChain } from "@haft/tools";
import { keptHeads } from "../../../app/journal/head.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export interface VerifyRequest {
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly session: string;
  /** Absolute, real. */
  readonly cwd: string;
  /** The session's record. */
  readonly record: string;
  readonly journal: string;
  /** The file in which heads are kept elsewhere, where there is one. */
  readonly heads?: string;
}

const LIMITS =
  "Whoever may write these files may rewrite them whole; only a head that is kept elsewhere (settings: journal.head) shows that, and what became of the last lines.";

/** `haft log verify`: whether the records are the ones that were written. 1 when they are not. */
export async function verify(request: VerifyRequest): Promise<ExitCode> {
  const { terminal, json, session, cwd, heads } = request;
  const kept = heads === undefined ? [] : keptHeads(heads, cwd);
  const head = { record: kept.findLast((one) => one.session === session)?.record, journal: kept.at(-1)?.journal };
  const reports = (["record", "journal"] as const).map((name) => ({
    name,
    path: request[name],
    report: check(request[name], head[name]),
  }));
  const isSound = reports.every(({ report }) => report.broken.length === 0 && report.hasHead !== false);
  if (json)
    await terminal.print(
      `${JSON.stringify({ sound: isSound, session, records: reports.map(({ name, path, report }) => ({ name, path, ...report })) })}\n`,
    );
  else {
    for (const { name, path, report } of reports)
      await terminal.print(`${name} ${path}\n  ${wordsFor(report).join("\n  ")}\n`);
    await terminal.print(`${isSound ? "The records are whole." : "The records are not what was written."} ${LIMITS}\n`);
  }
  return isSound ? EXIT.ok : EXIT.failed;
}

function check(path: string, head: string | undefined): ChainReport {
  // A record that is gone altogether has no lines; a head that was kept then is missing in it.
  return checkChain(existsSync(path) ? readFileSync(path, "utf8") : "", head);
}

function wordsFor({ lines, broken, torn, head, hasHead }: ChainReport): readonly string[] {
  const some = broken.slice(0, 5).join(", ") + (broken.length > 5 ? ` and ${broken.length - 5} more` : "");
  return [
    `${counted(lines, "line")}${head === undefined ? "" : `, head ${head.slice(0, 16)}…`}`,
    ...(broken.length > 0 ? [`something was changed, taken out or put in before line ${some}`] : []),
    ...(torn > 0 ? [`${counted(torn, "line")} torn by a kill`] : []),
    ...(hasHead === false
      ? ["the head that was kept elsewhere is not in it: lines are missing, or it was rewritten"]
      : []),
    ...(hasHead ? ["the head that was kept elsewhere is in it"] : []),
  ];
}
