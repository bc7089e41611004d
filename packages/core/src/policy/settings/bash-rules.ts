import type { RuleSource } from "../rule/rule.ts";
import type { Settings, SettingsLayer } from "./model.ts";

/**
 * The shell settings as rules, so that they are explained, ordered and overruled like any other. They do not change
 * deny and ask rules, forbidden commands, protected paths and critical removals.
 *
 * `layers` are in order of strength, without the keys that a layer may not set; `settings` is the merged result.
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

/** An entry means the command with any arguments, unless it has a wildcard of its own. */
const commandRule = (entry: string): string => (entry.includes("*") ? `Bash(${entry})` : `Bash(${entry} *)`);
