import { type Form, type FormChoice, type FormField, formChoices } from "@haft/core/approval";
import { useId } from "preact/hooks";
import { clean } from "./bits.tsx";

/** More choices than this are a list that opens. */
const MOST_RADIOS = 12;

interface FormProps {
  readonly form: Form;
  readonly value: Readonly<Record<string, unknown>>;
  onChange(value: Readonly<Record<string, unknown>>): void;
}

/** The fields of a question for input. */
export function FormFields({ form, value, onChange }: FormProps) {
  const set = (name: string, next: unknown): void => {
    const { [name]: _, ...others } = value;
    onChange(next === undefined ? others : { ...others, [name]: next });
  };
  return (
    <div class="editor">
      {Object.entries(form.properties).map(([name, field]) => (
        <Field
          key={name}
          title={field.title ?? name}
          isRequired={form.required?.includes(name) === true}
          field={field}
          value={value[name]}
          onSet={(next) => set(name, next)}
        />
      ))}
    </div>
  );
}

interface ControlProps {
  readonly id: string;
  readonly field: FormField;
  readonly value: unknown;
  onSet(value: unknown): void;
}

interface FieldProps extends Omit<ControlProps, "id"> {
  readonly title: string;
  readonly isRequired: boolean;
}

function Field({ title, isRequired, field, value, onSet }: FieldProps) {
  const id = useId();
  const choices = formChoices(field);
  const words = (
    <>
      {clean(title)}
      {!isRequired && <span class="dim"> (optional)</span>}
    </>
  );
  const about = field.description !== undefined && <span class="dim">{clean(field.description)}</span>;
  if (choices && (choices.length <= MOST_RADIOS || field.type === "array"))
    return (
      <fieldset class="field">
        <legend>{words}</legend>
        {about}
        <Choices id={id} field={field} choices={choices} value={value} onSet={onSet} />
      </fieldset>
    );
  return (
    <div class="field">
      <label for={id}>{words}</label>
      {about}
      <Control id={id} field={field} value={value} onSet={onSet} />
    </div>
  );
}

/** All choices in sight, each with its meaning; one or several, and an answer in other words where that is valid. */
function Choices({ id, field, choices, value, onSet }: ControlProps & { readonly choices: readonly FormChoice[] }) {
  const isSeveral = field.type === "array";
  const chosen = (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string");
  const isKnown = (one: string): boolean => choices.some((choice) => choice.value === one);
  const own = chosen.find((one) => !isKnown(one)) ?? "";
  const known = chosen.filter(isKnown);
  const setAll = (next: readonly string[]): void =>
    onSet(next.length === 0 ? undefined : isSeveral ? next : next.at(-1));
  const toggle = (one: string): void => {
    if (!isSeveral) onSet(one);
    else setAll(chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one]);
  };
  return (
    <>
      {choices.map((one) => (
        <label key={one.value} class="choice">
          <input
            type={isSeveral ? "checkbox" : "radio"}
            name={id}
            checked={chosen.includes(one.value)}
            onChange={() => toggle(one.value)}
          />
          <span>
            {clean(one.title)}
            {one.description !== undefined && <span class="dim"> {clean(one.description)}</span>}
          </span>
        </label>
      ))}
      {field.other && (
        <input
          type="text"
          aria-label="Your own answer"
          placeholder="Your own answer"
          value={own}
          onInput={({ currentTarget: { value: typed } }) =>
            setAll([...(isSeveral ? known : []), ...(typed === "" ? [] : [typed])])
          }
        />
      )}
    </>
  );
}

function Control({ id, field, value, onSet }: ControlProps) {
  const choices = formChoices(field);
  if (field.type === "boolean")
    return (
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        onChange={(event) => onSet(event.currentTarget.checked)}
      />
    );
  if (choices)
    return (
      <select
        id={id}
        value={String(value ?? "")}
        onChange={({ currentTarget }) => onSet(currentTarget.value === "" ? undefined : currentTarget.value)}
      >
        <option value="">Choose …</option>
        {choices.map((one) => (
          <option key={one.value} value={one.value}>
            {clean(one.title)}
          </option>
        ))}
      </select>
    );
  const isText = field.type === "string";
  return (
    <input
      id={id}
      type="text"
      inputMode={isText ? "text" : "decimal"}
      value={String(value ?? "")}
      onInput={({ currentTarget: { value: typed } }) =>
        onSet(typed === "" ? undefined : isText || Number.isNaN(Number(typed)) ? typed : Number(typed))
      }
    />
  );
}
