import {
  type Absent,
  defineTool,
  type EffectContext,
  fail,
  type HeldChanges,
  type HeldNote,
  type OfferContext,
  type Problem,
  state,
  text,
  write,
} from "@haft/core/tool";

const ACTIONS = ["list", "show", "commit", "discard"] as const;

const input = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ACTIONS,
      description: "list: all. show: one as a diff. commit: apply it. discard: delete it.",
    },
    id: { type: "string", minLength: 1, description: "The id in the command's result. Needed except for list." },
  },
  required: ["action"],
  additionalProperties: false,
} as const;

/** The output of HeldChanges for programs. */
interface HeldChangesOutput {
  readonly action: (typeof ACTIONS)[number];
  /** For a list, all held changes; otherwise the one that the action was about. */
  readonly held: readonly HeldNote[];
  /** `show`: the changes as text. */
  readonly diff?: string;
  /** `commit`: the paths that were changed. */
  readonly changed?: readonly string[];
  /** Paths that others have changed since; they were left unchanged. */
  readonly conflicts?: readonly string[];
}

/** HeldChanges: lists, shows, commits and discards the changes of commands in their copy of the workspace. */
export const heldChanges = defineTool({
  name: "HeldChanges",
  rules: { groups: ["plan"] },
  title: "Held changes",
  searchHint: "held kept aside changes dry run diff commit apply discard throw away",
  description: [
    "Changes that commands made in a copy of the workspace and that are not real yet: after a dry run or a timeout, or waiting for a yes.",
    "Use show before commit. Commit applies exactly that diff, and can be undone.",
  ].join("\n"),
  input,
  can: ["state", "write"],
  when: ({ ports }: OfferContext): true | Absent =>
    ports.has("held") ? true : { absent: "this host cannot hold changes back" },
  limits: { resultChars: 30_000 },
  effects: async ({ action, id = "" }, { ports }) => {
    const look = state("held", { change: action === "discard" });
    if (action !== "commit") return [look];
    const { paths = [] } = (await ports.held?.find(id)) ?? {};
    return [look, ...paths.map(({ path, change }) => write(path, change))];
  },
  async validate({ action, id }, { ports }): Promise<Problem | undefined> {
    if (action === "list") return undefined;
    const ids = ports.held?.list().map((one) => one.id) ?? [];
    if (id !== undefined && ids.includes(id)) return undefined;
    const message = id === undefined ? `${action} needs an id.` : `There are no held changes "${id}".`;
    const hint = ids.length === 0 ? "There are no held changes in this session." : `Held changes: ${ids.join(", ")}.`;
    return { code: "validation_failed", message, hint };
  },
  async object({ action, id = "" }, { ports }) {
    if (action !== "commit") return undefined;
    const doubt = (await ports.held?.find(id))?.paths.find((path) => path.doubt !== undefined)?.doubt;
    return doubt === undefined ? undefined : { behavior: "ask", reason: doubt };
  },
  async preview({ action, id = "" }, { ports }) {
    const detail = action === "list" ? undefined : await ports.held?.find(id);
    return detail ? detail.show() : { kind: "text", text: `${action} ${id}`.trim() };
  },
  describe: ({ action, id }) => ({
    title: id ? `Held changes ${id}${action ? `: ${action}` : ""}` : "Held changes",
    activity: action === "commit" ? "Applying held changes" : "Looking at held changes",
  }),
  async run({ action, id = "" }, { ports }): Promise<HeldChangesOutput> {
    const held = heldOf(ports);
    if (action === "list") return { action, held: held.list() };
    const detail =
      (await held.find(id)) ??
      fail("file_not_found", `The held changes ${id} are gone.`, "List the held changes with the action list.");
    const { digest, paths: _, show: __, conflicts, ...note } = detail;
    const about = { action, held: [note], conflicts };
    switch (action) {
      case "show":
        return { ...about, diff: await held.diff(id) };
      case "commit":
        return { ...about, changed: await held.commit(id, digest) };
      case "discard":
        await held.discard(id);
        return about;
    }
  },
  toModel: (output) => [text(wordsOf(output))],
});

const heldOf = ({ held }: EffectContext["ports"]): HeldChanges =>
  held ??
  fail("tool_unavailable", "This host cannot hold changes back.", "Make the change itself with a separate call.");

const lineOf = ({ id, call, tool, why }: HeldNote): string => `${id}  of call ${call} (${tool}): ${why}`;

function wordsOf({ action, held, diff = "", changed = [], conflicts = [] }: HeldChangesOutput): string {
  const left =
    conflicts.length === 0
      ? ""
      : `\nOthers have changed these since, and they ${action === "show" ? "would be" : "were"} left alone: ${conflicts.join(", ")}.`;
  if (action === "list") return held.length === 0 ? "There are no held changes." : held.map(lineOf).join("\n");
  const id = held[0]?.id ?? "";
  if (action === "show") return `${diff || "Nothing would be changed."}${left}`;
  if (action === "discard") return `Discarded the held changes ${id}.`;
  return `${changed.length === 0 ? "Nothing was changed." : `Applied:\n${changed.map((path) => `  ${path}`).join("\n")}`}${left}`;
}
