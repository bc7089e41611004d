import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { type Mode, modeNamed, modes } from "@haft/core/policy";
import { DEFAULT_MODELS } from "../agent/index.ts";
import type { AgentSession } from "../session/index.ts";

const MODE_TEXTS: Readonly<Record<Mode, string>> = {
  default: "Asks before anything changes",
  acceptEdits: "Edits files in the workspace without asking",
  plan: "Reads only, and makes a plan",
  dontAsk: "Refuses calls that no rule allows",
  undoable: "Does not ask about changes that can be undone",
  bypassPermissions: "Asks almost nothing",
};

/** The modes of a session. Older editors know only these. */
export const modesOf = ({ haft }: AgentSession): SessionModeState => ({
  currentModeId: haft.mode,
  availableModes: modes.map((id) => ({ id, name: id, description: MODE_TEXTS[id] })),
});

/** The settings of a session that a person can change in the editor. */
export function configOf({ haft, model }: AgentSession, env: Readonly<Record<string, string | undefined>>) {
  const withKeys = DEFAULT_MODELS.filter(({ because }) => env[because]).map((one) => one.model);
  const models = [...new Set([...(model ? [model.name] : []), ...withKeys])];
  const options: SessionConfigOption[] = [
    {
      ...{ type: "select", id: "mode", name: "Mode", category: "mode", currentValue: haft.mode },
      options: modes.map((value) => ({ value, name: value, description: MODE_TEXTS[value] })),
    },
  ];
  if (model)
    options.push({
      ...{ type: "select", id: "model", name: "Model", category: "model", currentValue: model.name },
      options: models.map((value) => ({ value, name: value })),
    });
  return options;
}

/** Changes a setting. @throws HaftError for a value that there is not. */
export async function changeSetting(session: AgentSession, id: string, value: unknown): Promise<boolean> {
  const mode = typeof value === "string" ? modeNamed(value) : undefined;
  if (id === "mode" && mode) await session.setMode(mode);
  else if (id === "model" && typeof value === "string") await session.setModel(value);
  else return false;
  return true;
}
