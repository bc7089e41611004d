/** Rules as lines of text, and a mode. */
export interface RuleLists {
  readonly allow?: string;
  readonly ask?: string;
  readonly deny?: string;
  readonly mode?: string;
}

const MODES = ["", "default", "acceptEdits", "undoable", "plan", "dontAsk", "bypassPermissions"];

/** Fields for rules that are tried out, one rule a line. */
export function RuleFields({ value, onChange }: { readonly value: RuleLists; onChange(value: RuleLists): void }) {
  return (
    <div class="rule-fields">
      {(["deny", "ask", "allow"] as const).map((kind) => (
        <label key={kind}>
          <span>{kind}</span>
          <textarea
            rows={2}
            spellcheck={false}
            placeholder={{ deny: "write(.git/**)", ask: "run(git push *)", allow: "Read(src/**)" }[kind]}
            value={value[kind] ?? ""}
            onInput={(event) => onChange({ ...value, [kind]: event.currentTarget.value })}
          />
        </label>
      ))}
      <label>
        <span>mode</span>
        <select value={value.mode ?? ""} onChange={(event) => onChange({ ...value, mode: event.currentTarget.value })}>
          {MODES.map((mode) => (
            <option key={mode} value={mode}>
              {mode === "" ? "as it was" : mode}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** The body of a request for these rules. */
export function rulesFrom({ mode, ...lists }: RuleLists): object {
  const rules = Object.entries(lists).map(([kind, text]) => [
    kind,
    (text as string)
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean),
  ]);
  return { ...Object.fromEntries(rules), ...(mode ? { mode } : {}) };
}
