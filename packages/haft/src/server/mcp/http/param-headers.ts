import type { IncomingHttpHeaders } from "node:http";

/** An argument that a tool also wants as a header, for proxies that route requests without reading their bodies. */
interface Declared {
  readonly path: readonly string[];
  readonly header: string;
  readonly isNumber: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** Declarations by schema, computed once. */
const known = new WeakMap<object, readonly Declared[]>();

/**
 * Describes where the `Mcp-Param-*` headers of a call and its arguments disagree; `undefined`: nowhere. A missing
 * argument needs no header. A proxy that routes by the header must not see another value than the tool gets.
 */
export function paramHeaderProblem(schema: object, args: unknown, headers: IncomingHttpHeaders): string | undefined {
  for (const { path, header, isNumber } of declaredIn(schema)) {
    const value = path.reduce<unknown>(
      (node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
      args,
    );
    if (value === undefined || value === null || typeof value === "object") continue;
    const name = `Mcp-Param-${header}`;
    const given = headers[name.toLowerCase()];
    if (typeof given !== "string") return `the body carries ${path.join(".")} but the header ${name} is absent`;
    const said = decoded(given.trim());
    if (said === undefined) return `the header ${name} is not valid Base64`;
    const isSame = isNumber && said !== "" ? Number(said) === value : said === String(value);
    if (!isSame) return `the header ${name} and ${path.join(".")} of the body differ`;
  }
  return undefined;
}

function declaredIn(schema: object): readonly Declared[] {
  const before = known.get(schema);
  if (before) return before;
  const found = declarations(schema as Json, []);
  known.set(schema, found);
  return found;
}

/** Only arguments that are reached through properties alone have one position. */
function declarations(schema: Json, path: readonly string[]): Declared[] {
  if (!isObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([key, property]) => {
    if (!isObject(property)) return [];
    const header = property["x-mcp-header"];
    const here = [...path, key];
    const isNumber = property.type === "integer" || property.type === "number";
    const own =
      typeof header === "string" && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header)
        ? [{ path: here, header, isNumber }]
        : [];
    return [...own, ...declarations(property, here)];
  });
}

/** Values that a header cannot hold directly are encoded as `=?base64?…?=`. */
function decoded(text: string): string | undefined {
  const wrapped = /^=\?base64\?(.*)\?=$/i.exec(text)?.[1];
  if (wrapped === undefined) return text;
  const bytes = Buffer.from(wrapped, "base64");
  if (bytes.toString("base64") !== wrapped) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
