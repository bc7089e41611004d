import { type CallContext, HaftError } from "@haft/core/tool";
import { haftErrorIn, rootOf } from "@haft/host/net";
import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Connection } from "../connection/connection.ts";
import { httpStatusOf, type Live } from "../connection/open.ts";
import { taskCarriedBy } from "../connection/task-answers.ts";
import { isTooLong, isUnusable } from "../transport/answer-id.ts";
import { httpWords, inShort, isMisfit } from "../transport/in-short.ts";
import { type LogTail, withLastWords } from "../transport/log-tail.ts";
import { CUT } from "../transport/unanswered.ts";
import { fitted, hasPictures, type McpOutput, outputOf } from "./content.ts";
import { CallDeadline, type CallLimits } from "./deadline.ts";
import { answerInRounds, isQuestion } from "./input-rounds.ts";
import { callAsTask, cannotRunTasks, canRunTasks, followTask, type TaskCall } from "./task.ts";

/** A tool on its server. */
export interface RemoteCall {
  readonly server: string;
  readonly tool: string;
  readonly inputSchema: object;
  /** Whether it runs as a task of the protocol of 2025-11-25: always, or if its server supports that. */
  readonly asTask?: "required" | "optional";
  readonly connection: Connection;
  readonly log: LogTail;
  readonly limits: CallLimits;
}

/** Our own clock stops calls; the SDK's must never fire first. This is the largest timeout of a timer. */
export const NEVER_MS = 2_147_483_647;

/**
 * Runs a tool on its server, connecting first if needed.
 *
 * @throws HaftError `mcp_error` when the server reports a failure (its words are kept as output), breaks the protocol or exits during the
 * call; `timeout` when it is silent for too long.
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

/** A failure that the server reports. The output does not repeat text that its message already contains. */
function reportedFailure(what: string, output: McpOutput): HaftError {
  const words = output.content.flatMap((block) => (block.type === "text" ? [block.text.trim()] : [])).join("\n");
  const others = output.content.filter(({ type }) => type !== "text");
  const isShort = words.length <= MOST_REASON_CHARS;
  const reason = isShort ? words : `${words.slice(0, MOST_REASON_CHARS).toWellFormed()} [cut]`;
  const message = words === "" ? `${what} failed without a reason.` : `${what} failed: ${reason}`;
  return new HaftError({ code: "mcp_error", message }, { output: isShort ? { ...output, content: others } : output });
}

/** Characters of a reported failure in its message. The output contains a longer report in full. */
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
    // Without the definition the SDK would validate the answer with the tool's output schema, and discard a good answer.
    toolDefinition: { name: tool, inputSchema: remote.inputSchema as { type: "object" } },
  };
  const said = await live.call(named, options);
  const answer = isQuestion(said) ? await answerInRounds(live, said, named, options) : said;
  const started = taskCarriedBy(answer);
  return started === undefined ? answer : followTask(started, task);
}

/** A tool with optional tasks runs as one where that helps: on a server that continues when the connection breaks. */
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

/** The request to a server, in words. */
interface Asked extends Pick<RemoteCall, "server" | "log"> {
  readonly what: string;
  /** The server's activity when it exited. */
  readonly during: string;
  /** The fix, chosen by the failure's message, its HTTP status, and its number or name. */
  cureOf(said: string, status: number | undefined, code: unknown): string;
}

/** Explains an error of the SDK: what failed and why. An error with an HTTP status keeps it. */
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

const NOT_KNOWN = "It may have done part of its work: check before you repeat the call.";

/** A server that refuses gives a reason and a number. An unusable answer arrives after the work was done; a lost answer may, too. */
function cureOf(what: string, status: number | undefined, code: unknown): string {
  if (status === 429 || (status ?? 0) >= 500)
    return "It may have done part of its work. Check, wait a while, then try again.";
  if (isTooLong(what)) return "Ask for less. It may have done its work already.";
  if (isUnusable(what) || isMisfit(what))
    return "It may have done its work already: check before you repeat the call. The server needs a fix.";
  if ((status === undefined && typeof code !== "number") || what.endsWith(CUT)) return NOT_KNOWN;
  return "If the message is about the input, correct it; otherwise go on without this tool, or ask the user.";
}

/** Characters of a server's error that are passed on. The rest of a whole page does not explain more. */
const MOST_ERROR_CHARS = 4_000;

const capped = (text: string): string =>
  text.length <= MOST_ERROR_CHARS ? text : `${text.slice(0, MOST_ERROR_CHARS).toWellFormed()} [cut]`;
