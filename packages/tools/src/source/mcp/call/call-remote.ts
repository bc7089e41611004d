import { type CallContext, HaftError } from "@haft/core/tool";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { haftErrorIn, rootOf } from "../../../host/net/cause.ts";
import type { Connection } from "../connection/connection.ts";
import { httpStatusOf, type Live } from "../connection/open.ts";
import { taskCarriedBy } from "../connection/task-answers.ts";
import { httpWords, inShort } from "../transport/in-short.ts";
import { type LogTail, withLastWords } from "../transport/log-tail.ts";
import { CUT } from "../transport/unanswered.ts";
import { fitted, hasPictures, type McpOutput, outputOf } from "./content.ts";
import { CallDeadline, type CallLimits } from "./deadline.ts";
import { answerInRounds, isQuestion } from "./rounds.ts";
import { callAsTask, cannotRunTasks, canRunTasks, followTask, type TaskCall } from "./task.ts";

/** A tool on its server. */
export interface RemoteCall {
  readonly server: string;
  readonly tool: string;
  readonly inputSchema: object;
  /** Whether it runs as a task of the protocol of 2025-11-25: only so, or where its server can. */
  readonly asTask?: "required" | "optional";
  readonly connection: Connection;
  readonly log: LogTail;
  readonly limits: CallLimits;
}

/** Our own clock stops calls; the SDK's shall never be first. The largest time that a timer holds. */
export const NEVER_MS = 2_147_483_647;

/**
 * Runs a tool on its server, connecting first where that is needed.
 *
 * @throws HaftError `mcp_error` when the server reports a failure (its words are kept as output), breaks the protocol or
 * ends in the middle; `timeout` when it is silent for too long.
 */
export function callRemote(remote: RemoteCall, input: unknown, ctx: CallContext): Promise<McpOutput> {
  return remote.connection.request(ctx.signal, (live) => callOnce(remote, live, input, ctx));
}

async function callOnce(remote: RemoteCall, live: Live, input: unknown, ctx: CallContext): Promise<McpOutput> {
  const { server, tool, connection, limits, log } = remote;
  const since = log.said;
  const what = `${tool} on the MCP server "${server}"`;
  const deadline = new CallDeadline(what, limits, ctx.signal, () => log.text(since));
  try {
    const answer = await connection.during(ctx, deadline, () => answered(remote, live, input, ctx, deadline));
    const output = outputOf(answer);
    const shown = hasPictures(output.content) ? { ...output, content: await fitted(output.content) } : output;
    if (answer.isError !== true) return shown;
    throw reportedFailure(what, shown);
  } catch (thrown) {
    deadline.signal.throwIfAborted();
    throw explained({ server, log, what, during: `it ran ${tool}`, cureOf }, live, thrown, since);
  } finally {
    deadline.stop();
  }
}

/** A failure that the server reports. What its message says already is not repeated in the output. */
function reportedFailure(what: string, output: McpOutput): HaftError {
  const words = output.content.flatMap((block) => (block.type === "text" ? [block.text.trim()] : [])).join("\n");
  const others = output.content.filter(({ type }) => type !== "text");
  const isShort = words.length <= MOST_REASON_CHARS;
  const reason = isShort ? words : `${words.slice(0, MOST_REASON_CHARS).toWellFormed()} [cut]`;
  const message = words === "" ? `${what} failed and did not say why.` : `${what} failed: ${reason}`;
  return new HaftError({ code: "mcp_error", message }, { output: isShort ? { ...output, content: others } : output });
}

/** Characters of a reported failure that its message carries. A longer report is whole in the output. */
const MOST_REASON_CHARS = 2_000;

async function answered(
  remote: RemoteCall,
  live: Live,
  input: unknown,
  ctx: CallContext,
  deadline: CallDeadline,
): Promise<CallToolResult> {
  const { server, tool, connection } = remote;
  const { signal } = deadline;
  const onprogress = (progress: News): void => {
    deadline.alive();
    tellProgress(ctx, tool, progress);
  };
  const onStatus = (text: string | undefined): void => tellStatus(ctx, deadline, text);
  const task: TaskCall = { server, tool, connection, signal, timeout: NEVER_MS, onStatus };
  if (isTaskHere(remote, live)) return callAsTask(live.client, task, input, onprogress);
  const named = { name: tool, arguments: input as Record<string, unknown> };
  const options = {
    ...{ timeout: NEVER_MS, signal, onprogress },
    // Without the definition the SDK would judge the answer by the tool's output schema, and throw a good answer away.
    toolDefinition: { name: tool, inputSchema: remote.inputSchema as { type: "object" } },
  };
  const said = await live.call(named, options);
  const answer = isQuestion(said) ? await answerInRounds(live, said, named, options) : said;
  const started = taskCarriedBy(answer);
  return started === undefined ? answer : followTask(started, task);
}

/** A tool that need not be a task is one where that helps: a server that goes on when the line to it breaks. */
function isTaskHere({ server, tool, asTask }: RemoteCall, { client, isOutlived }: Live): boolean {
  if (asTask === undefined) return false;
  if (canRunTasks(client)) return asTask === "required" || isOutlived;
  if (asTask === "required") throw cannotRunTasks(server, tool);
  return false;
}

function tellStatus(ctx: CallContext, deadline: CallDeadline, message: string | undefined): void {
  deadline.alive();
  if (message === undefined) return;
  const text = message.slice(0, 200);
  ctx.progress({ title: text, display: { kind: "progress", text } });
}

interface News {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

function tellProgress(ctx: CallContext, tool: string, { progress, total, message }: News): void {
  const text = message?.slice(0, 200) ?? tool;
  ctx.progress({
    ...(message === undefined ? {} : { title: text }),
    metadata: { progress, ...(total === undefined ? {} : { total }) },
    display: { kind: "progress", text, done: progress, ...(total === undefined ? {} : { total }) },
  });
}

/** What was asked of a server, in words. */
export interface Asked extends Pick<RemoteCall, "server" | "log"> {
  readonly what: string;
  /** What it did when it ended. */
  readonly during: string;
  /** What helps, by what is said of the failure, its HTTP status, and its number or name. */
  cureOf(said: string, status: number | undefined, code: unknown): string;
}

/** What the SDK threw, in words that say who failed and why. An error that says its HTTP status keeps it. */
export function explained(asked: Asked, live: Live, thrown: unknown, since: number): HaftError {
  const { server, log, what, during } = asked;
  const own = haftErrorIn(thrown);
  if (own) return own;
  const { code, message } = thrown as { readonly code?: unknown; readonly message?: string };
  const death = live.death();
  if (death !== undefined || code === "CONNECTION_CLOSED") {
    const end = `The MCP server "${server}" ${death ?? "closed the connection"} while ${during}.`;
    const said = withLastWords(end, log, since);
    return new HaftError(
      { code: "mcp_error", message: said, hint: asked.cureOf(end, undefined, undefined) },
      { cause: thrown },
    );
  }
  const status = httpStatusOf(thrown);
  const words = code === undefined ? rootOf(thrown) : (message ?? String(thrown));
  const why = status === undefined ? inShort(words) : httpWords(status, message);
  const said = `${what} failed: ${capped(why)}`;
  return new HaftError(
    {
      code: "mcp_error",
      message: said,
      hint: asked.cureOf(said, status, code),
      ...(code === undefined ? {} : { details: { code } }),
    },
    { cause: thrown },
  );
}

const NOT_KNOWN = "What it has done by then is not known: look before you repeat the call.";

/**
 * A server that refuses says why, with a number. An answer that cannot be used comes after the work was done, and one
 * that was lost on its way may.
 */
function cureOf(what: string, status: number | undefined, code: unknown): string {
  if (status === 429 || (status ?? 0) >= 500)
    return "What it has done is not known. Look, wait a while, then try again.";
  if (/at most \d+ are read/.test(what)) return "Ask it for less. What it was asked to do may be done already.";
  if (/Invalid result for|no message of the protocol|none of JSON-RPC/.test(what))
    return "What it was asked to do may be done already: look before you repeat the call. The server is to be repaired.";
  if ((status === undefined && typeof code !== "number") || what.endsWith(CUT)) return NOT_KNOWN;
  return "Mend the input if these words are about it; else do without this tool, or ask the user.";
}

/** Characters of a server's error that are passed on. The rest of a whole page explains nothing more. */
const MOST_ERROR_CHARS = 4_000;

const capped = (text: string): string =>
  text.length <= MOST_ERROR_CHARS ? text : `${text.slice(0, MOST_ERROR_CHARS).toWellFormed()} [cut]`;
