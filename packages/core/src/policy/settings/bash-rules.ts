import type { RuleSource } from "../rule/rule.ts";
import type { Settings, SettingsLayer } from "./model.ts";

/**
 * What the settings of the shell mean as rules, so that they are explained, ordered and overruled like any other:
 * deny and ask rules, forbidden commands, protected paths and critical removals stay as they are.
 *
 * `layers` in order of strength, without what they may not say; `settings` is all of them together.
 */
export function bashRules(layers: readonly SettingsLayer[], settings: Settings): readonly RuleSource[] {
  const unasked = layers.find(({ settings: { bash } }) => bash?.confirmDangerousCommands !== undefined);
  const rule = ({ origin, file }: SettingsLayer, text: string): RuleSource => ({
    behavior: "allow",
    origin,
    file,
    text,
  });
  return [
    ...(unasked && settings.bash?.confirmDangerousCommands === false ? [rule(unasked, "Bash")] : []),
    ...layers.flatMap((layer) =>
      (layer.settings.bash?.dangerousCommandWhitelist ?? []).map((entry) => rule(layer, commandRule(entry))),
    ),
  ];
}

/** An entry means the command with any arguments, unless it says itself where they may differ. */
const commandRule = (entry: string): string => (entry.includes("*") ? `Bash(${entry})` : `Bash(${entry} *)`);
