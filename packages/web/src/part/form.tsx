import { type Form, type FormField, formChoices } from "@haft/core/approval";
import { clean } from "./bits.tsx";

interface FormProps {
  readonly form: Form;
  readonly value: Readonly<Record<string, unknown>>;
  onChange(value: Readonly<Record<string, unknown>>): void;
}

/** The fields of a question for input. */
export function FormFields({ form, value, onChange }: FormProps) {
  return (
    <div class="editor">
      {Object.entries(form.properties).map(([name, field]) => (
        <div key={name} class="field">
          <label for={`field-${name}`}>
            <span>
              {clean(field.title ?? name)}
              {form.required?.includes(name) === true && " *"}
            </span>
          </label>
          {field.description !== undefined && <span class="dim">{clean(field.description)}</span>}
          <Control
            name={name}
            field={field}
            value={value[name]}
            onSet={(next) => onChange({ ...value, [name]: next })}
          />
        </div>
      ))}
    </div>
  );
}

interface ControlProps {
  readonly name: string;
  readonly field: FormField;
  readonly value: unknown;
  onSet(value: unknown): void;
}

function Control({ name, field, value, onSet }: ControlProps) {
  const id = `field-${name}`;
  const choices = formChoices(field);
  const options = choices?.map((one) => (
    <option key={one.value} value={one.value}>
      {clean(one.title)}
    </option>
  ));
  if (field.type === "boolean")
    return (
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        onChange={(event) => onSet(event.currentTarget.checked)}
      />
    );
  if (options && field.type === "array")
    return (
      <select
        id={id}
        multiple
        onChange={(event) => onSet([...event.currentTarget.selectedOptions].map((one) => one.value))}
      >
        {options}
      </select>
    );
  if (options)
    return (
      <select id={id} value={String(value ?? "")} onChange={(event) => onSet(event.currentTarget.value)}>
        <option value="">—</option>
        {options}
      </select>
    );
  const isText = field.type === "string";
  return (
    <input
      id={id}
      type="text"
      inputMode={isText ? "text" : "decimal"}
      value={String(value ?? "")}
      onInput={({ currentTarget: { value: typed } }) => onSet(isText ? typed : Number(typed))}
    />
  );
}
