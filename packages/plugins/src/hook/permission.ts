import {
  type Answer,
  type ApprovalRequest,
  type Asker,
  type NamedAsker,
  permissionUpdateOf,
  suggestionTaken,
} from "@haft/core/approval";
import type { PolicyTool } from "@haft/core/policy";
import type { PermissionAnswer } from "./answer.ts";
import type { Dispatch, Heard, HookNotice } from "./dispatch.ts";
import { commonFields, type Scene } from "./payload.ts";

export interface PermissionOptions {
  readonly dispatch: Dispatch;
  readonly scene: () => Omit<Scene, "agent">;
  readonly transcript: string;
  /** The tool behind a name, as rules know it. */
  readonly identify: (tool: string) => PolicyTool;
  readonly onNotice: (notice: HookNotice) => void;
}

/**
 * PermissionRequest hooks as an asker. A no beats a yes; hooks that say nothing, or fail, leave the question to
 * others. A yes counts as a person's: it answers this ask and changes no rule that denies. If only a person may
 * say yes, the hooks leave the yes to them.
 */
export function permissionAsker({ dispatch, scene, transcript, identify, onNotice }: PermissionOptions): Asker {
  return async (request, signal) => {
    const event = "PermissionRequest";
    const where = { ...scene(), agent: request.agent };
    const { tool, input, effects } = request;
    const identity = identify(tool);
    const heard = await dispatch({
      event,
      names: [identity.name, ...(identity.aliases ?? [])],
      call: { tool: identity, input, effects },
      payload: {
        ...commonFields(event, where, transcript),
        tool_name: tool,
        tool_input: input,
        permission_suggestions: request.suggestions.map(permissionUpdateOf),
      },
      cwd: where.cwd,
      signal,
    });
    for (const { hook, said } of heard)
      if (request.personOnly && said.permission?.behavior === "allow")
        onNotice({ event, hook, kind: "remark", text: PERSON_ONLY });
      else if (unsuggested(said.permission, request)) onNotice({ event, hook, kind: "remark", text: ONLY_SUGGESTED });
    return answerOf(heard, request);
  };
}

/** People are asked only when the hooks have no answer. Host queues show the question at once, and the first answer counts. */
export function hooksFirst(hooks: Asker, people: readonly NamedAsker[]): NamedAsker[] {
  const answers = new WeakMap<ApprovalRequest, Promise<Answer | undefined>>();
  const answer = (request: ApprovalRequest, signal: AbortSignal) => {
    const given = answers.get(request) ?? hooks(request, signal);
    answers.set(request, given);
    return given;
  };
  return [
    { name: HOOK, ask: answer },
    ...people.map(
      ({ name, ask }): NamedAsker => ({
        name,
        async ask(request, signal) {
          const given = await answer(request, signal).catch(() => undefined);
          return given || signal.aborted ? undefined : ask(request, signal);
        },
      }),
    ),
  ];
}

/** The name of the answerer when a hook answered. */
const HOOK = "hook";

function answerOf(heard: readonly Heard[], request: ApprovalRequest): Answer | undefined {
  const stopped = heard.find(({ said }) => said.stop !== undefined);
  if (stopped) return { behavior: "deny", message: stopped.said.stop ?? "", interrupt: true };
  const answers = heard.flatMap(({ hook, said }) => (said.permission ? [{ hook, said: said.permission }] : []));
  const no = answers.find(({ said }) => said.behavior === "deny");
  if (no) {
    const { message, interrupt } = no.said;
    return {
      behavior: "deny",
      message: message ?? `The hook "${no.hook}" refused it.`,
      ...(interrupt === undefined ? {} : { interrupt }),
    };
  }
  const yes = answers.at(-1)?.said;
  if (!yes || request.personOnly) return undefined;
  const input = answers.findLast(({ said }) => said.updatedInput)?.said.updatedInput;
  const remember = suggestionTaken(yes.updatedPermissions ?? [], request.suggestions);
  return { behavior: "allow", ...(input ? { input } : {}), ...(remember ? { remember } : {}) };
}

const PERSON_ONLY = "its yes has no effect here: this needs confirmation";

const ONLY_SUGGESTED =
  "its updatedPermissions are not among the permission_suggestions that it was given, so they are ignored";

function unsuggested(answer: PermissionAnswer | undefined, request: ApprovalRequest): boolean {
  const { updatedPermissions: updates = [] } = answer ?? {};
  return updates.length > 0 && !suggestionTaken(updates, request.suggestions);
}
