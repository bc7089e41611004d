import { defaultModel, MODEL_CURE } from "../../../agent/index.ts";
import type { Haft } from "../../../app/haft.ts";
import { UsageError } from "../../exit-code.ts";

/** The model requested outside the settings: by option, or in the environment. */
export const wishedModel = ({ model }: { readonly model?: string }): string | undefined =>
  model ?? process.env.HAFT_MODEL;

/** A model and, if the person did not name it, why it was chosen. */
export interface ChosenModel {
  readonly name: string;
  readonly because?: string;
}

/** The model of the session: the named one, else the one for the available key; `undefined` without either. */
export function chosenModel({ model }: Pick<Haft, "model">): ChosenModel | undefined {
  if (model) return { name: model };
  const chosen = defaultModel(process.env);
  return chosen && { name: chosen.model, because: `${chosen.because} is set` };
}

/** The model of the session. @throws UsageError if there is none. */
export function modelOf(haft: Pick<Haft, "model">): string {
  const chosen = chosenModel(haft);
  if (chosen) return chosen.name;
  throw new UsageError("No model is configured.", `${MODEL_CURE} haft call, batch, explain and replay need no model.`);
}
