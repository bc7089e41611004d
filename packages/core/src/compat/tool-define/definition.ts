import type { Entry, ToolOrigin } from "../../registry/index.ts";
import type { JsonSchema } from "../../schema/index.ts";
import { knownDescription } from "../host.ts";

/** One parameter of a tool, for a form or a list. */
export interface ToolParameter {
  readonly name: string;
  readonly type: "string" | "number" | "boolean" | "object" | "array";
  readonly description: string;
  readonly required: boolean;
  readonly enum?: readonly string[];
}

/** A tool as plain data, for a settings page or another process. */
export interface ToolDefinition {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly ToolParameter[];
  readonly enabled: boolean;
  readonly autoExecute: boolean;
  /** Its origin; the same as `source`. */
  readonly category: ToolOrigin;
  readonly icon?: string;
  readonly source: ToolOrigin;
  readonly serverId?: string;
  readonly serverName?: string;
}

/** The id of a tool in this shape: that of a remote tool begins with `mcp:`. */
export const toolIdOf = ({ tool, source }: Entry): string =>
  source.origin === "mcp" ? `mcp:${source.name}:${tool.name}` : tool.name;

/** The name of the tool with an id of this shape. */
export const toolNameOf = (id: string): string => (id.startsWith("mcp:") ? id.slice(id.lastIndexOf(":") + 1) : id);

/** A tool as plain data. */
export function toToolDefinition(
  entry: Entry,
  now: { readonly enabled: boolean; readonly autoExecute?: boolean; readonly description?: string | undefined },
): ToolDefinition {
  const { tool, source } = entry;
  const isRemote = source.origin === "mcp";
  const { icons } =
    (tool as { readonly mcpInfo?: { readonly icons?: readonly { readonly src: string }[] } }).mcpInfo ?? {};
  const icon = source.icon ?? icons?.[0]?.src;
  return {
    id: toolIdOf(entry),
    name: tool.title ?? tool.name,
    description: now.description ?? knownDescription(entry),
    parameters: toToolParameters(tool.input.json),
    enabled: now.enabled,
    autoExecute: now.autoExecute ?? tool.autoExecute ?? false,
    ...{ category: source.origin, source: source.origin },
    ...(icon === undefined ? {} : { icon }),
    ...(isRemote ? { serverId: source.name, serverName: source.name } : {}),
  };
}

type Plain = Readonly<Record<string, unknown>>;
const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The parameters in any JSON Schema of an object: its own, and those of the schemas that it is put together from. */
export function toToolParameters(schema: JsonSchema): readonly ToolParameter[] {
  const found = new Map<string, ToolParameter>();
  const root = schema as Plain;
  const deref = (value: unknown, depth = 0): Plain => {
    if (!isPlain(value)) return {};
    const path = typeof value.$ref === "string" && value.$ref.startsWith("#/") ? value.$ref.slice(2).split("/") : [];
    if (path.length === 0 || depth > 8) return value;
    const target = path.reduce<unknown>((at, key) => (isPlain(at) ? at[key] : undefined), root);
    return { ...deref(target, depth + 1), ...value };
  };
  const collect = (part: Plain, isSure: boolean, depth: number): void => {
    const required = Array.isArray(part.required) ? part.required : [];
    for (const [name, value] of Object.entries(isPlain(part.properties) ? part.properties : {}))
      if (!found.has(name)) found.set(name, parameterOf(name, deref(value), isSure && required.includes(name)));
    if (depth > 4) return;
    for (const key of ["allOf", "anyOf", "oneOf"])
      for (const other of Array.isArray(part[key]) ? part[key] : [])
        collect(deref(other), isSure && key === "allOf", depth + 1);
  };
  collect(deref(root), true, 0);
  return [...found.values()];
}

function parameterOf(name: string, schema: Plain, required: boolean): ToolParameter {
  const values = enumOf(schema);
  return {
    name,
    type: typeOf(schema),
    description: typeof schema.description === "string" ? schema.description : "",
    required,
    ...(values ? { enum: values } : {}),
  };
}

/** The first of several types that is not null. */
function typeOf(schema: Plain): ToolParameter["type"] {
  const own = Array.isArray(schema.type) ? schema.type.find((type) => type !== "null") : schema.type;
  if (own === "integer" || own === "number") return "number";
  if (own === "boolean" || own === "array" || own === "object" || own === "string") return own;
  const values = [schema.const, ...(Array.isArray(schema.enum) ? schema.enum : [])].filter((value) => value != null);
  const [first] = values;
  if (typeof first === "number" || typeof first === "boolean" || typeof first === "string")
    return typeof first as "number" | "boolean" | "string";
  const either = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const some = either.filter(isPlain).find(({ type }) => type !== "null");
  return some ? typeOf(some) : isPlain(schema.properties) ? "object" : "string";
}

function enumOf(schema: Plain): readonly string[] | undefined {
  const either = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isPlain);
  const values = [schema, ...either].flatMap((one) =>
    Array.isArray(one.enum) ? one.enum : one.const === undefined ? [] : [one.const],
  );
  const texts = values.filter((value) => value !== null).map(String);
  return texts.length > 0 ? texts : undefined;
}
