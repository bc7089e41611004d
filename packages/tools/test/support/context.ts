// A scratch folder with the real host ports, and the way from an input to a tool's output without an executor.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import {
  type CallContext,
  contentsText,
  type Display,
  type EffectContext,
  type Files,
  HaftError,
  type Ports,
  type Progress,
  type SeenFile,
  seenAfter,
  type Tool,
} from "@haft/core/tool";
import { createHost, type HostOptions } from "@haft/host/process";
import { createJobs } from "@haft/service/jobs";

/** The result of one call. */
export interface Used<O> {
  readonly output: O;
  readonly text: string;
  readonly display: Display | undefined;
  readonly progress: readonly Progress[];
  readonly titles: readonly string[];
}

export interface World {
  readonly folder: string;
  readonly ports: Ports;
  readonly effectContext: EffectContext;
  /** Schema, `validate`, `run`, `toModel` in turn; a refusal or failure is thrown as a HaftError. */
  use<I, O>(tool: Tool<I, O>, input: I, options?: { readonly signal?: AbortSignal }): Promise<Used<O>>;
  close(): Promise<void>;
}

/** A new world; `close` removes it. */
export async function createWorld(options: HostOptions = {}): Promise<World> {
  const folder = await realpath(await mkdtemp(`${tmpdir()}/haft-world-`));
  const host = createHost({ cwd: folder, ...options });
  const jobs = createJobs({ folder: `${folder}/.jobs` });
  const ports = { ...host.ports, files: remembering(host.ports.files), jobs };
  const locate = ports.files.locate;
  const effectContext = { cwd: folder, home: folder, locate, forbids: () => false, ports };
  return {
    folder,
    ports,
    effectContext,
    async use(tool, input, { signal = new AbortController().signal } = {}) {
      const parsed = await tool.input["~standard"].validate(input);
      if (parsed.issues) throw new HaftError({ code: "invalid_input", message: parsed.issues[0]?.message ?? "" });
      const problem = await tool.validate?.(parsed.value, effectContext);
      if (problem) throw new HaftError({ code: "validation_failed", ...problem });
      const progress: Progress[] = [];
      const context = callContext(effectContext, signal, (update) => progress.push(update));
      const output = (await tool.run(parsed.value, context)) as Awaited<ReturnType<typeof tool.run>> as never;
      const display = tool.toDisplay?.(output, parsed.value) ?? progress.findLast((update) => update.display)?.display;
      const titles = progress.flatMap(({ title }) => (title === undefined ? [] : [title]));
      return { output, text: contentsText(tool.toModel?.(output, context.call) ?? []), display, progress, titles };
    },
    async close() {
      await Promise.all([host.close(), jobs.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function callContext(base: EffectContext, signal: AbortSignal, progress: CallContext["progress"]): CallContext {
  return {
    ...base,
    effects: [],
    call: { id: "c1", tool: "", batch: "b1", turn: 1 },
    agent: { id: "main" },
    session: { id: "s1" },
    signal,
    progress,
    ask: () => Promise.reject(new HaftError({ code: "needs_approval", message: "Nobody is there." })),
    invoke: () => Promise.reject(new HaftError({ code: "tool_unavailable", message: "There is no executor." })),
  };
}

/** The files that the model of the session knows, by real location. Every result counts as having reached it. */
function remembering(files: Files): Files {
  const known = new Map<string, SeenFile>();
  return {
    ...files,
    seen: async (path) => known.get((await files.locate(path)).path),
    async show(path, view) {
      const real = (await files.locate(path)).path;
      known.set(real, seenAfter(known.get(real), view));
    },
  };
}

/** The error of a promise that fails. */
export async function failure(work: Promise<unknown>): Promise<HaftError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (HaftError.is(thrown)) return thrown;
  throw new Error(`Expected a HaftError, got ${String(thrown)}`, { cause: thrown });
}
