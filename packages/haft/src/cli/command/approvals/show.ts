import { homedir } from "node:os";
import { type Form, questionHead } from "@haft/core/approval";
import { stateFolder } from "@haft/service";
import { endOf } from "../../../app/approval/answer.ts";
import type { FoundApproval } from "../../../app/approval/find.ts";
import { type ApprovalRecord, hasAnswer, isWaiting } from "../../../app/approval/record.ts";
import { journalOf } from "../../../app/journal/open-journal.ts";
import { real } from "../../../app/workspace.ts";
import { drawQuestion } from "../../../draw/question.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import { paint, type Style, wrapped } from "../../../draw/style.ts";
import type { Command } from "../../command.ts";
import { EXIT } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { ruleList } from "./give.ts";
import { approvalNamed, approvalsHere } from "./named.ts";

/** Milliseconds after which a question without a waiting process is no longer listed by default: a week. */
const LISTED_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * `haft approvals list`: lists questions that wait for an answer, in every folder; with `--all` also ended and old ones.
 */
export const list: Command = async (args) => {
  const { common, own } = readOptions(args, { all: "boolean" }, 0);
  const terminal = processTerminal();
  const found = approvalsHere(common).filter(({ record }) => own.all || isListed(record));
  if (common.json) await terminal.print(`${JSON.stringify(found.map(asData))}\n`);
  else if (found.length === 0) await terminal.print("No questions are waiting.\n");
  else await terminal.print(`${found.map((one) => row(one, terminal.style, real(common.cwd))).join("\n")}\n`);
  if (!common.json) await terminal.print(await heldNote(common.cwd));
  return EXIT.ok;
};

/** Held changes of commands wait for a person as well, but no call waits for them: they have their own list. */
async function heldNote(cwd: string): Promise<string> {
  const journal = journalOf(stateFolder(real(homedir())), real(cwd));
  const { length } = journal.history().held;
  await journal.close();
  const what = length === 1 ? "The changes of one command are held" : `The changes of ${length} commands are held`;
  return length === 0 ? "" : `${what}. Apply or discard them: haft held list\n`;
}

/** `haft approvals show ID`: shows the whole question, as the person in front of the agent would see it. */
export const show: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const found = approvalNamed(common, words[0]);
  const terminal = processTerminal();
  const { record } = found;
  if (common.json) await terminal.print(`${JSON.stringify(asData(found))}\n`);
  else {
    const { id, form } = record.request;
    const fill = form ? ` --input ${quoted(JSON.stringify(skeletonOf(form)))}` : "";
    const how =
      record.state === "ended"
        ? []
        : [
            `  haft approvals allow ${shortId(id)}${fill}`,
            `  haft approvals deny ${shortId(id)} --message "why, or what instead"`,
          ];
    await terminal.print(
      `${[drawQuestion(record.request, terminal.style), `  ${stateOf(found)}`, ...alwaysLines(record, terminal.style), ...how].join("\n")}\n`,
    );
  }
  return EXIT.ok;
};

/** The fields of a form to fill in: with the proposed values, else with their types. */
const skeletonOf = ({ properties }: Form): object =>
  Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, field.default ?? `<${field.type ?? "string"}>`]),
  );

/** Quotes a text as one shell word: names and proposals are untrusted, and people paste this. */
const quoted = (text: string): string => `'${oneLine(text).replaceAll("'", "'\\''")}'`;

/** The part of an id that people type; the rest is there for programs. */
const shortId = (id: string): string => id.slice(0, 8);

function alwaysLines({ request: { id, suggestions } }: ApprovalRecord, { width }: Style): string[] {
  return suggestions.map((suggestion, index) => {
    const { scope, rules, covers } = suggestion;
    const isFirst = suggestions.findIndex((other) => other.scope === scope) === index;
    const choice = isFirst ? scope : quoted(ruleList(suggestion));
    const keeps = `${oneLine(rules.join(", "))}${covers === undefined ? "" : ` — ${oneLine(covers)}`}`;
    return wrapped(`  haft approvals allow ${shortId(id)} --always ${choice}   remembers: ${keeps}`, width);
  });
}

const isListed = (record: ApprovalRecord): boolean =>
  record.state !== "ended" && (isWaiting(record) || Date.now() - Date.parse(record.askedAt) < LISTED_MS);

function row(found: FoundApproval, style: Style, cwd: string): string {
  const { request } = found.record;
  const { id, tool, agent } = request;
  const path = agent.path && agent.path.length > 1 ? agent.path.join(" > ") : (agent.name ?? agent.id);
  const who = agent.id === "main" ? "" : ` (${oneLine(path)})`;
  const place = found.cwd === undefined || found.cwd === cwd ? "" : `  ${oneLine(found.cwd)}`;
  return `${paint(style, "bold", shortId(id))}  ${oneLine(tool)}${who}: ${oneLine(questionHead(request))}  ${paint(style, "dim", `${stateOf(found)}${place}`)}`;
}

function stateOf({ folder, record }: FoundApproval): string {
  const { state, askedAt, session } = record;
  if (state === "ended") return `over: ${oneLine(endOf(record))}`;
  const minute = (at: string) => at.slice(0, 16).replace("T", " ");
  const { expiresAt } = record.request;
  const until = expiresAt === undefined ? "" : ` until ${minute(expiresAt)}`;
  const since = `since ${minute(askedAt)}${until}, session ${session}`;
  if (hasAnswer(folder, record.request.id)) return `answered; applies when the call is made again; ${since}`;
  return isWaiting(record)
    ? `waits ${since}`
    : `asked ${since}; nobody waits, so an answer applies when the call is made again`;
}

function asData(found: FoundApproval) {
  const { request, state, outcome, askedAt, session } = found.record;
  return {
    ...request,
    session,
    ...(found.cwd === undefined ? {} : { cwd: found.cwd }),
    askedAt,
    state: state === "open" && !isWaiting(found.record) ? "left" : state,
    answered: hasAnswer(found.folder, request.id),
    ...(outcome === undefined ? {} : { outcome }),
  };
}
