import { type Behavior, builtinToolNames, type Mode, parseRule } from "@haft/core/policy";
import { parseSettings } from "@haft/core/policy/settings";
import { nearest } from "@haft/core/schema";
import type { Imported, ImportNote, Place, RuleTest, WrittenSettings } from "./imported.ts";

/** Settings under construction, with their notes. */
export interface Draft {
  /** Adds a rule. One that Haft cannot read is left out if it allows, and refuses the import if it restricts. */
  rule(behavior: Behavior, text: string, place: Place): void;
  note(severity: ImportNote["severity"], place: Place, message: string): void;
  test(test: RuleTest): void;
  mode(mode: Mode): void;
  /** Forbids mode bypassPermissions. */
  noBypass(): void;
  directory(path: string): void;
  merge(settings: Pick<WrittenSettings, "policy" | "bash" | "hooks">): void;
  finish(): Imported;
}

/** An empty draft. */
export function createDraft(): Draft {
  const rules: Record<Behavior, Set<string>> = { allow: new Set(), ask: new Set(), deny: new Set() };
  const directories = new Set<string>();
  const notes: ImportNote[] = [];
  const tests: RuleTest[] = [];
  let rest: WrittenSettings = {};
  let defaultMode: Mode | undefined;
  let isBypassOff = false;
  const note: Draft["note"] = (severity, { from, line }, message) => {
    notes.push({ severity, from, ...(line === undefined ? {} : { line }), message });
  };

  return {
    note,
    rule(behavior, text, place) {
      const parsed = parseRule(text, behavior, builtinToolNames);
      if ("rule" in parsed) {
        for (const { message, cure } of parsed.rule.warnings) note("notice", place, `${message} ${cure}`);
        rules[behavior].add(text);
        return;
      }
      const { message, cure } = parsed.problem;
      if (behavior === "allow") note("warning", place, `Left out, so it asks. ${message} ${cure}`);
      else
        note(
          "error",
          place,
          `This ${behavior} cannot be expressed in Haft, and without it more would be allowed. ${message} ${cure}`,
        );
    },
    test: (test) => void tests.push(test),
    mode: (mode) => {
      defaultMode = mode;
    },
    noBypass: () => {
      isBypassOff = true;
    },
    directory: (path) => void directories.add(path),
    merge: (settings) => {
      rest = { ...rest, ...settings };
    },
    finish() {
      const permissions = {
        ...list("allow", rules.allow),
        ...list("ask", rules.ask),
        ...list("deny", rules.deny),
        ...(defaultMode === undefined ? {} : { defaultMode }),
        ...(isBypassOff ? { disableBypassPermissionsMode: "disable" as const } : {}),
        ...list("additionalDirectories", directories),
      };
      const settings = { ...(Object.keys(permissions).length === 0 ? {} : { permissions }), ...rest };
      // The reader of settings decides last: settings that it would refuse must not be returned as a success.
      for (const { severity, path, message } of parseSettings(settings, { origin: "project", file: "import" }).problems)
        if (severity === "error") note("error", { from: path.join(".") }, message);
      const isRefused = notes.some(({ severity }) => severity === "error");
      return { ...(isRefused ? {} : { settings }), notes, tests: isRefused ? [] : tests };
    },
  };
}

/** The result for a file that cannot be read at all. */
export const unreadable = (message: string, line?: number): Imported => ({
  notes: [{ severity: "error", from: "", message, ...(line === undefined ? {} : { line }) }],
  tests: [],
});

/**
 * Refuses a file with a key that is nearly the name of a restricting one. Ignoring it would lose a restriction. The peer
 * may ignore it too, but the author does not want that.
 */
export function refuseMisspelt(
  draft: Draft,
  file: Readonly<Record<string, unknown>>,
  known: readonly string[],
  inside = "",
): void {
  for (const key of Object.keys(file)) {
    const meant = known.includes(key) ? undefined : nearest(key, known);
    if (meant !== undefined)
      draft.note(
        "error",
        { from: `${inside}${key}` },
        `It looks like "${inside}${meant}". Write it that way, or remove it.`,
      );
  }
}

const list = (key: string, values: ReadonlySet<string>): Record<string, string[]> =>
  values.size === 0 ? {} : { [key]: [...values] };
