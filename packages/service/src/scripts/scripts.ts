import { join } from "node:path";
import { type Clock, fail, type ScriptAnswer, type ScriptEnd, type ScriptOptions, type Scripts } from "@haft/core/tool";
import { createInterpreter, type Interpreter } from "./interpreter.ts";
import { openScriptRecord, type RecordedScript, type ScriptRecord } from "./record.ts";
import { createReplay, type Replay } from "./replay.ts";

/** The interpreters of a session, one for each agent, with a way to close them. */
export interface ScriptHost extends Scripts {
  /**
   * The session is ending: a script that waits stays in the record as it is, and can be resumed by a later process. It
   * learns nothing of the end.
   */
  park(): void;
  close(): Promise<void>;
}

interface Agent {
  readonly record: ScriptRecord;
  interpreter?: Interpreter;
}

/** `folder`: where the records are stored; without it variables are lost with the process. */
export const createScripts = (options: { folder: string | undefined; clock: Clock }): ScriptHost =>
  new RecordedScripts(options);

class RecordedScripts implements ScriptHost {
  readonly #folder: string | undefined;
  readonly #clock: Clock;
  readonly #agents = new Map<string, Agent>();
  /** An interpreter that was started ahead, for the first agent that needs one. */
  #spare: Interpreter | undefined;
  #isParked = false;

  constructor({ folder, clock }: { folder: string | undefined; clock: Clock }) {
    this.#folder = folder;
    this.#clock = clock;
  }

  async run(code: string, options: ScriptOptions): Promise<ScriptEnd> {
    const agent = this.#agentOf(options.agent);
    if (options.reset) await this.#empty(agent);
    const past = agent.interpreter ? undefined : agent.record.scripts.find(({ isEnded }) => !isEnded);
    if (past && !options.resume) refuseInterrupted(past);
    if (options.resume && !past) fail("invalid_input", "No script was interrupted.", "Run a script without `resume`.");
    try {
      return await this.#live(agent, past?.code ?? code, options, past);
    } catch (thrown) {
      // The interpreter was ended in the middle: its state is not known any more, except from the record.
      if (!this.#isParked) await this.#empty(agent);
      throw thrown;
    }
  }

  prepare(): void {
    if (this.#agents.size === 0) this.#spare ??= createInterpreter();
  }

  park(): void {
    this.#isParked = true;
  }

  async close(): Promise<void> {
    const all = [this.#spare, ...[...this.#agents.values()].map(({ interpreter }) => interpreter)];
    await Promise.all(all.map((interpreter) => interpreter?.close()));
  }

  #agentOf(id: string): Agent {
    const known = this.#agents.get(id);
    if (known) return known;
    const name = id.replaceAll(/[^\w-]/g, "_").slice(0, 80);
    const made: Agent = { record: openScriptRecord(this.#folder && join(this.#folder, `${name}.jsonl`)) };
    this.#agents.set(id, made);
    return made;
  }

  async #empty(agent: Agent): Promise<void> {
    agent.record.clear();
    const { interpreter } = agent;
    delete agent.interpreter;
    await interpreter?.close();
  }

  /** The interpreter in the state after all scripts of the record. */
  async #restored(agent: Agent, signal: AbortSignal): Promise<Interpreter> {
    if (agent.interpreter) return agent.interpreter;
    const interpreter = this.#spare ?? createInterpreter();
    this.#spare = undefined;
    agent.interpreter = interpreter;
    for (const script of agent.record.scripts.filter(({ isEnded }) => isEnded))
      await interpreter.run({ ...again(script, signal), call: answersOnly(createReplay(script)) });
    return interpreter;
  }

  async #live(agent: Agent, code: string, options: ScriptOptions, past?: RecordedScript): Promise<ScriptEnd> {
    const { record } = agent;
    const interpreter = await this.#restored(agent, options.signal);
    const replay = past && createReplay(past);
    const { now, seed } = past ?? { now: this.#clock.now(), seed: Math.floor(Math.random() * 2 ** 31) };
    if (!past) record.append({ t: "run", code, now, seed });
    let calls = 0;
    const end = await interpreter.run({
      ...{ code, now, seed, signal: options.signal },
      call: async (n, tool, input) => {
        calls += 1;
        const known = replay?.answer(n, tool, input);
        if (known) return known;
        if (this.#isParked) return NEVER;
        const answer = await options.call(tool, input, (onlyReads) => record.append({ t: "started", n, onlyReads }));
        // The end of the session is not an answer: the resumed script makes the call again, unless it had started.
        if (this.#isParked && "error" in answer && ENDINGS.includes(answer.error.name)) return NEVER;
        record.append({ t: "answered", n, tool, input, answer });
        return answer;
      },
    });
    record.append({ t: "end" });
    if (past) past.isEnded = true;
    return { ...end, calls, replayed: replay?.replayed ?? 0 };
  }
}

/** The answer to a call whose session has ended. */
const NEVER = new Promise<never>(() => {});

/** Errors of a call that ends because its session does. */
const ENDINGS: readonly string[] = ["cancelled", "needs_approval"];

const again = ({ code, now, seed }: RecordedScript, signal: AbortSignal) => ({ code, now, seed, signal });

const answersOnly =
  (replay: Replay) =>
  (number: number, tool: string, input: unknown): Promise<ScriptAnswer> =>
    replay.answer(number, tool, input) ??
    fail("conflict", "The variables of earlier scripts cannot be restored.", "Start over with reset: true.");

const refuseInterrupted = ({ answered }: RecordedScript): never =>
  fail(
    "conflict",
    `The last script was interrupted after ${answered.length} answered calls, when Haft ended.`,
    "Call REPL with resume: true to go on where it stopped, or with reset: true to start over.",
  );
