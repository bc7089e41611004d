import type { Effect } from "@haft/core/tool";
import { useState } from "preact/hooks";
import { get, post } from "../lib/api.ts";
import { useLoaded } from "../lib/store.ts";
import { clean, Effects, Failure, Head, place } from "../part/bits.tsx";
import { RuleFields, type RuleLists, rulesFrom } from "../part/rule-fields.tsx";

interface Explanation {
  readonly tool: string;
  readonly decision: string;
  readonly reason: string;
  readonly effects?: readonly Effect[];
  readonly trace: readonly {
    step: string;
    outcome?: string;
    note: string;
    rule?: { rule: string; file?: string; line?: number };
  }[];
  readonly error?: { readonly hint?: string };
}

interface Remark {
  readonly severity: string;
  readonly file: string;
  readonly line?: number;
  readonly rule?: string;
  readonly message: string;
  readonly cure: string;
}

/** The policy explorer: try a call, read why, and check the rules. */
export function PolicyPage() {
  const lint = useLoaded(() => get<{ files: readonly string[]; remarks: readonly Remark[] }>("/api/policy/lint"), []);
  const [tool, setTool] = useState("");
  const [input, setInput] = useState("");
  const [rules, setRules] = useState<RuleLists>({});
  const [explanation, setExplanation] = useState<Explanation>();
  const [error, setError] = useState<string>();

  const explain = async (): Promise<void> => {
    setError(undefined);
    try {
      const body = { tool, input: JSON.parse(input === "" ? "{}" : input) as unknown, ...rulesFrom(rules) };
      setExplanation(await post<Explanation>("/api/policy/explain", body));
    } catch (thrown) {
      setError(thrown instanceof SyntaxError ? "The arguments are not JSON." : (thrown as Error).message);
    }
  };

  return (
    <div class="page">
      <Head title="Policy" />
      <div class="columns">
        <section>
          <h2>Try a call</h2>
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault();
              void explain();
            }}
          >
            <label>
              <span>Tool</span>
              <input
                type="text"
                required
                placeholder="Bash"
                value={tool}
                onInput={(event) => setTool(event.currentTarget.value)}
              />
            </label>
            <label>
              <span>Arguments</span>
              <textarea
                rows={4}
                spellcheck={false}
                placeholder='{"command": "git push"}'
                value={input}
                onInput={(event) => setInput(event.currentTarget.value)}
              />
            </label>
            <details>
              <summary>With these additional rules</summary>
              <RuleFields value={rules} onChange={setRules} />
            </details>
            <button type="submit" class="allow">
              Explain
            </button>
          </form>
          <Failure error={error} />
        </section>
        <section aria-live="polite">
          <h2>Decision</h2>
          {!explanation && <p class="dim">Nothing runs here: this only shows the decision of the rules.</p>}
          {explanation && (
            <>
              <p class="decision">
                <b class={`decision-${explanation.decision}`}>{explanation.decision}</b> {place(explanation.reason)}
              </p>
              {explanation.error?.hint !== undefined && <p class="dim">{clean(explanation.error.hint)}</p>}
              <Effects effects={explanation.effects ?? []} />
              <ol class="trace">
                {explanation.trace.map((step, at) => (
                  <li key={at}>
                    <b>{step.step}</b>{" "}
                    {step.outcome !== undefined && <span class={`decision-${step.outcome}`}>{step.outcome}</span>}{" "}
                    {place(step.note)}
                    {step.rule && !step.note.includes(step.rule.rule) && (
                      <code>
                        {clean(step.rule.rule)}
                        {step.rule.file !== undefined &&
                          ` ${clean(step.rule.file)}${step.rule.line === undefined ? "" : `:${step.rule.line}`}`}
                      </code>
                    )}
                  </li>
                ))}
              </ol>
            </>
          )}
        </section>
      </div>
      <section>
        <h2>Settings files</h2>
        <Failure error={lint.error} />
        {lint.data?.files.length === 0 && <p class="dim">No settings file is in force.</p>}
        <ul class="plain-list">
          {lint.data?.files.map((file) => (
            <li key={file}>
              <code>{place(file)}</code>
            </li>
          ))}
        </ul>
        {lint.data && lint.data.remarks.length === 0 && lint.data.files.length > 0 && (
          <p>No remarks: every rule can match.</p>
        )}
        <ul class="plain-list">
          {lint.data?.remarks.map(({ severity, file, line, message, cure }, at) => (
            <li key={at} class={`notice notice-${severity}`}>
              <code>
                {place(file)}
                {line === undefined ? "" : `:${line}`}
              </code>{" "}
              {clean(message)} <span class="dim">{clean(cure)}</span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
