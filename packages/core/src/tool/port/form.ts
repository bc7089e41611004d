/** One field of a form, in MCP's format. */
export interface FormField {
  /** `string`, `integer`, `number`, `boolean`, or `array` for several choices. Any other type counts as a text. */
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly enumNames?: readonly string[];
  readonly oneOf?: readonly TitledChoice[];
  readonly items?: { readonly enum?: readonly string[]; readonly anyOf?: readonly TitledChoice[] };
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
  /** The choices are suggestions: any other text is valid, too. */
  readonly other?: true;
}

interface TitledChoice {
  readonly const: string;
  readonly title?: string;
  readonly description?: string;
}

/** The form: a flat list of fields. It is plain data, and a JSON schema. */
export interface Form {
  readonly type: "object";
  readonly properties: Readonly<Record<string, FormField>>;
  readonly required?: readonly string[];
}

/** One of the allowed values of a field, with its label. */
export interface FormChoice {
  readonly value: string;
  readonly title: string;
  readonly description?: string;
}

/** The choices of a field; `undefined`: any value is allowed. */
export function formChoices({ enum: plain, enumNames, oneOf, items }: FormField): readonly FormChoice[] | undefined {
  const titled = oneOf ?? items?.anyOf;
  if (titled)
    return titled.map(({ const: value, title = value, description }) => ({
      ...{ value, title },
      ...(description === undefined ? {} : { description }),
    }));
  return (plain ?? items?.enum)?.map((value, index) => ({ value, title: enumNames?.[index] ?? value }));
}

/**
 * The error in a value for a field, in words for the person who entered it; `undefined`: none. The sender of the form
 * checks patterns: it wrote the expression, which may run forever.
 */
export function fieldProblem(field: FormField, value: unknown): string | undefined {
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be yes or no";
    case "integer":
    case "number":
      return numberProblem(field, value);
    case "array":
      return listProblem(field, value);
    default:
      return textProblem(field, value);
  }
}

/** The error in a filled form as a whole: a field that is missing, not asked for, or of the wrong type. */
export function formProblem({ properties, required = [] }: Form, content: unknown): string | undefined {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return "the answer must be an object";
  const missing = required.find((name) => !Object.hasOwn(content, name));
  if (missing !== undefined) return `"${missing}" is missing`;
  for (const [name, value] of Object.entries(content)) {
    if (!Object.hasOwn(properties, name)) return `"${name}" was not asked for`;
    const problem = fieldProblem(properties[name]!, value);
    if (problem !== undefined) return `"${name}" ${problem}`;
  }
  return undefined;
}

/** The default values of a form. */
export const formDefaults = ({ properties }: Form): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]])),
  );

function numberProblem({ type, minimum, maximum }: FormField, value: unknown): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  return maximum !== undefined && value > maximum ? `must be at most ${maximum}` : undefined;
}

function listProblem(field: FormField, value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be a list";
  const wrong = value.map((one) => choiceProblem(field, one)).find((problem) => problem !== undefined);
  if (wrong !== undefined) return wrong;
  if (new Set(value).size < value.length) return "names one choice twice";
  if (value.length < (field.minItems ?? 0)) return `must name at least ${field.minItems}`;
  return value.length > (field.maxItems ?? Number.POSITIVE_INFINITY)
    ? `must name at most ${field.maxItems}`
    : undefined;
}

function textProblem(field: FormField, value: unknown): string | undefined {
  const wrong = choiceProblem(field, value);
  if (wrong !== undefined) return wrong;
  const text = String(value);
  const { length } = [...text];
  if (length < (field.minLength ?? 0)) return `must have at least ${field.minLength} characters`;
  if (length > (field.maxLength ?? Number.POSITIVE_INFINITY)) return `must have at most ${field.maxLength} characters`;
  const format = FORMATS.get(field.format ?? "");
  return format && !format.fits(text) ? `must be ${format.is}` : undefined;
}

function choiceProblem(field: FormField, value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string";
  const choices = formChoices(field);
  if (!choices || field.other || choices.some((one) => one.value === value)) return undefined;
  return `must be one of ${choices.map((one) => one.value).join(", ")}`;
}

/** The formats that the protocol knows. They catch a typing error; they do not check whether an address exists. */
const FORMATS: ReadonlyMap<string, { readonly is: string; fits(text: string): boolean }> = new Map([
  ["email", { is: "an e-mail address", fits: (text: string) => /^[^\s@]+@[^\s@]+$/.test(text) }],
  [
    "uri",
    { is: "an address such as https://example.com", fits: (text: string) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) },
  ],
  ["date", { is: "a date such as 2026-07-28", fits: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text) }],
  [
    "date-time",
    {
      is: "a time such as 2026-07-28T12:00:00Z",
      fits: (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && isDay(text.slice(0, 10)) && isTime(text),
    },
  ],
]);

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));
/** Date reads the 31st of June as the 1st of July. */
const isDay = (text: string): boolean => isTime(text) && new Date(text).toISOString().startsWith(text);
