import { useState } from "preact/hooks";
import { clean } from "./bits.tsx";

interface EditorProps {
  readonly input: unknown;
  onChange(input: unknown): void;
  onClose(): void;
}

/** Edits the input of a proposed call: texts field by field, everything else as JSON. */
export function InputEditor({ input, onChange, onClose }: EditorProps) {
  const isFields = typeof input === "object" && input !== null && !Array.isArray(input);
  const [json, setJson] = useState(() => JSON.stringify(input, null, 2));
  const [problem, setProblem] = useState<string>();
  const fields = isFields ? Object.entries(input as Record<string, unknown>) : [];
  const texts = fields.filter(([, value]) => typeof value === "string");

  function edit(text: string): void {
    setJson(text);
    try {
      onChange(JSON.parse(text));
      setProblem(undefined);
    } catch {
      setProblem("This is not valid JSON yet; the last valid input is used.");
    }
  }

  return (
    <div class="editor">
      {texts.map(([name, value]) => (
        <label key={name}>
          <span>{clean(name)}</span>
          <textarea
            rows={Math.min(16, String(value).split("\n").length + 1)}
            value={String(value)}
            spellcheck={false}
            onInput={(event) => {
              const next = { ...(input as object), [name]: event.currentTarget.value };
              setJson(JSON.stringify(next, null, 2));
              onChange(next);
            }}
          />
        </label>
      ))}
      <details open={texts.length === 0}>
        <summary>All of it as JSON</summary>
        <textarea
          aria-label="Input as JSON"
          rows={8}
          value={json}
          spellcheck={false}
          onInput={(event) => edit(event.currentTarget.value)}
        />
        {problem !== undefined && <p class="bad">{problem}</p>}
      </details>
      <button type="button" class="quiet" onClick={onClose}>
        Done editing
      </button>
    </div>
  );
}
