import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { HOOK_AGENTS, type HookAgent, type Verdict } from "./agents.ts";

/** Milliseconds after which a decision becomes a question: agents let a call pass when their own timeout ends. */
const MOST_MS = 8_000;
/** Maximum bytes; a larger message cannot be a call. */
const MOST_BYTES = 20_000_000;

/**
 * `haft hook AGENT`: the program that another agent calls before a tool runs. `install`, `remove` and `status` manage
 * it.
 */
export const hook: Command = async (args) => {
  const { common, own, words } = readOptions(args, { project: "boolean", yes: "boolean" }, 2);
  const [first = "", agentName] = words;
  if (/^(install|remove|status)$/.test(first)) {
    const { change } = await import("./install.ts");
    return change(first as "install" | "remove" | "status", agentName, {
      common,
      isProject: own.project === true,
      isSure: own.yes === true,
    });
  }
  const agent = Object.hasOwn(HOOK_AGENTS, first) ? HOOK_AGENTS[first] : undefined;
  if (!agent || agentName !== undefined)
    throw new UsageError(
      `There is no hook for "${words.join(" ")}".`,
      `Known agents: ${Object.keys(HOOK_AGENTS).join(", ")}.`,
    );
  const answer = await answerFor(agent, first, common);
  const text = answer === undefined ? "" : `${JSON.stringify(answer)}\n`;
  await new Promise((resolve) => process.stdout.write(text, resolve));
  // Pending reads no longer matter.
  process.stdin.destroy();
  return EXIT.ok;
};

async function answerFor(
  agent: HookAgent,
  name: string,
  common: Parameters<typeof import("./decide.ts").decideForeign>[2],
): Promise<object | undefined> {
  let payload: Readonly<Record<string, unknown>> = {};
  const decided = async (): Promise<Verdict> => {
    payload = parsed(await readAll());
    const call = agent.read(payload);
    const { decideForeign } = await import("./decide.ts");
    return decideForeign(name, call, common);
  };
  // Any failure becomes a question: an agent lets a call pass if its hook fails.
  const failed = (thrown: unknown): Verdict => ({
    decision: "ask",
    reason: `Haft could not decide: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
  });
  const over = Promise.withResolvers<Verdict>();
  const timer = setTimeout(() => over.resolve(failed(`it took more than ${MOST_MS / 1000} s.`)), MOST_MS);
  const verdict = await Promise.race([decided().catch(failed), over.promise]);
  clearTimeout(timer);
  return agent.answer(verdict, payload);
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error("The agent's message is not a JSON object.");
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error("The agent's message is too long.");
  }
  return Buffer.concat(chunks).toString("utf8");
}
