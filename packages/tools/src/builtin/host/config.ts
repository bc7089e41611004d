import { defineTool, fail, type Setting, state, text } from "@haft/core/tool";
import { needs, portOf } from "../support/session/needs.ts";

const input = {
  type: "object",
  properties: {
    setting: {
      type: "string",
      minLength: 1,
      description: 'The name of a setting: "model". Absent: all of them are listed.',
    },
    value: {
      anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }],
      description: "The new value. Absent: the setting is read.",
    },
  },
  additionalProperties: false,
} as const;

/** The output of a read or a change, for programs. */
interface ConfigOutput {
  readonly settings: readonly Setting[];
  /** The file that was changed. */
  readonly file?: string;
}

/** Config: reads and changes a few settings, none of which loosens protection. */
export const config = defineTool({
  name: "Config",
  title: "Settings",
  searchHint: "config settings read change model option preference",
  description:
    "Reads the few settings of the user that a model may propose to change, or changes one after they agree. Rules, hooks, programs and servers are not among them.",
  input,
  enabled: false,
  offer: "deferred",
  can: ["state"],
  when: needs("settings", "there is no settings file of the user here"),
  effects: ({ value }) => [state("settings", { change: value !== undefined })],
  object: ({ value }) =>
    value === undefined ? undefined : { behavior: "ask", reason: "Only the user can allow a change of settings." },
  validate({ setting, value }, { ports }) {
    if (setting === undefined)
      return value === undefined
        ? undefined
        : { message: "A value needs the name of a setting.", hint: "Also give setting." };
    const wrong = ports.settings?.problem(setting, value);
    return wrong === undefined
      ? undefined
      : { message: wrong, hint: "Call Config without input to list the settings." };
  },
  describe: ({ setting, value }) => ({
    title:
      value === undefined
        ? `Setting ${setting ?? ""}`.trim()
        : `Set ${setting ?? "a setting"} to ${JSON.stringify(value)}`,
    activity: "Looking at settings",
  }),
  async run({ setting, value }, { ports }): Promise<ConfigOutput> {
    const store = portOf(ports, "settings");
    if (setting === undefined) return { settings: store.list() };
    const saved = value === undefined ? {} : await store.set(setting, value);
    const found = store.list().find(({ name }) => name === setting);
    return found
      ? { settings: [found], ...saved }
      : fail("invalid_input", `There is no setting "${setting}".`, "Call Config without input.");
  },
  toModel: ({ settings, file }) => [
    text(
      [
        ...settings.map(({ name, value, meaning }) => `${name} = ${JSON.stringify(value ?? null)}: ${meaning}`),
        ...(file ? [`Written to ${file}. It takes effect in the next session.`] : []),
      ].join("\n"),
    ),
  ],
  toDisplay: ({ settings }) => ({
    kind: "table",
    columns: ["setting", "value", ""],
    rows: settings.map(({ name, value, meaning }) => [name, JSON.stringify(value ?? null), meaning]),
  }),
});
