import { HaftError } from "@haft/core/tool";
import {
  type DefaultModel,
  type Environment,
  MODEL_CURE,
  type Model,
  openModel,
  type ReachableModel,
  reachableModels,
  withEffort,
} from "../agent/index.ts";
import type { Haft } from "../app/haft.ts";
import type { AgentSessionOptions, SessionModel } from "./session.ts";

/** The model of a session, opened at the first prompt, and changed by people. */
export interface ModelChoice {
  /** The chosen model, whether it can be opened or not. */
  chosen(): SessionModel | undefined;
  /** The model for a run: its requests always go to the model that is chosen then. @throws HaftError */
  open(): Promise<Model>;
  change(name: string): Promise<void>;
  /** The models that could be chosen now. Asks programs on this machine. */
  reachable(): Promise<readonly ReachableModel[]>;
}

export interface ModelChoiceOptions extends Pick<AgentSessionOptions, "model" | "openModel" | "wrapModel" | "effort"> {
  readonly haft: Haft;
  readonly env: Environment;
  /** The model for the key in the environment. */
  readonly byKey: DefaultModel | undefined;
}

export function modelChoice({
  haft,
  env,
  byKey,
  model: given,
  wrapModel,
  effort,
  ...options
}: ModelChoiceOptions): ModelChoice {
  let because = given === undefined && haft.model === byKey?.model && byKey ? `${byKey.because} is set` : undefined;
  let opened: Model | undefined;

  const load = async (name: string): Promise<Model> => {
    const own = typeof given === "object" && given.name === name ? given : undefined;
    const model = own ?? (await (options.openModel?.(name) ?? openModel(name, env)));
    const metered = withEffort(haft.metered(model), effort ?? haft.role?.effort);
    return wrapModel?.(metered) ?? metered;
  };
  const current: Model = {
    get name() {
      return opened!.name;
    },
    get withholdsTools() {
      return opened!.withholdsTools ?? false;
    },
    step: (request) => opened!.step(request),
  };

  return {
    chosen() {
      const { model: name } = haft;
      return name === undefined ? undefined : { name, ...(because === undefined ? {} : { because }) };
    },
    async open() {
      opened ??= await load(haft.model ?? missing());
      return current;
    },
    async change(name) {
      opened = await load(name);
      because = undefined;
      haft.setModel(name);
    },
    reachable: () => reachableModels(env),
  };
}

function missing(): never {
  throw new HaftError({
    code: "validation_failed",
    message: "No model is configured.",
    hint: `${MODEL_CURE} haft call, batch, explain and replay work without a model.`,
  });
}

/** The AI SDK prints warnings about models to standard error, which is reserved for our own messages. */
export function quietSdk(): void {
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
}
