import { Compile } from "typebox/schema";
import type { JsonSchema } from "../standard.ts";
import { resolveRef } from "./ref.ts";
import { isRecord, listOf, mapOf, setKey, someSchema } from "./walk.ts";

/** Returns the value itself if nothing changes, else a copy: an input is never modified. */
export type Transform = (value: unknown) => unknown;

type Decode = (value: unknown) => unknown;

/**
 * The changes that a schema makes to a value besides checking it, or nothing. `defaults` fills missing values and runs
 * before the check; `codecs` runs TypeBox decoders, innermost first, on values that have passed it.
 */
export function compileTransform(root: JsonSchema, kind: "defaults" | "codecs"): Transform | undefined {
  const concerns = (node: JsonSchema) => (kind === "defaults" ? node.default : decoderOf(node)) !== undefined;
  if (!someSchema(root, concerns)) return undefined;
  const walk = new TransformBuilder(root, kind).of(root);
  if (kind === "codecs" || root.default === undefined) return walk;
  return (value) => walk(value === undefined ? copy(root.default) : value);
}

class TransformBuilder {
  readonly #root: JsonSchema;
  readonly #kind: "defaults" | "codecs";
  readonly #made = new Map<JsonSchema, { run: Transform }>();

  constructor(root: JsonSchema, kind: "defaults" | "codecs") {
    this.#root = root;
    this.#kind = kind;
  }

  /** A schema that is still being built (a recursive one) is called through its box later. */
  of(schema: unknown): Transform {
    if (!isRecord(schema)) return same;
    const known = this.#made.get(schema);
    if (known) return (value) => known.run(value);
    const box = { run: same };
    this.#made.set(schema, box);
    const steps = this.#steps(schema).filter((step) => step !== same);
    if (steps.length > 0) box.run = (value) => steps.reduce((current, step) => step(current), value);
    return box.run;
  }

  #steps(schema: JsonSchema): Transform[] {
    const decode = this.#kind === "codecs" ? decoderOf(schema) : undefined;
    return [
      typeof schema.$ref === "string" ? this.of(resolveRef(this.#root, schema.$ref)) : same,
      ...listOf(schema, "allOf").map((part) => this.of(part)),
      this.#branches([...listOf(schema, "anyOf"), ...listOf(schema, "oneOf")]),
      this.#object(schema),
      this.#list(schema),
      decode ?? same,
    ];
  }

  /** The first branch that fits decides, as it does in the check. */
  #branches(branches: readonly unknown[]): Transform {
    const runs = branches.map((branch) => this.of(branch));
    if (runs.every((run) => run === same)) return same;
    const { $defs, definitions } = this.#root;
    const options = branches.filter(isRecord).map((branch) => ({
      run: this.of(branch),
      fits: Compile({ ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}), ...branch }),
    }));
    return (value) => {
      for (const { run, fits } of options) {
        const next = this.#kind === "defaults" ? run(value) : value;
        if (fits.Check(next)) return this.#kind === "defaults" ? next : run(value);
      }
      return value;
    };
  }

  #object(schema: JsonSchema): Transform {
    const fields = Object.entries(mapOf(schema, "properties")).map(([key, child]) => ({
      key,
      run: this.of(child),
      fallback: this.#kind === "defaults" ? this.#defaultOf(child) : undefined,
    }));
    const active = fields.filter(({ run, fallback }) => run !== same || fallback !== undefined);
    const rest = this.of(schema.additionalProperties);
    if (active.length === 0 && rest === same) return same;
    const named = new Set(fields.map(({ key }) => key));
    return (value) => {
      if (!isRecord(value)) return value;
      const edit = new Edit(value);
      for (const { key, run, fallback } of active) {
        const held = Object.hasOwn(value, key) ? value[key] : undefined;
        if (held !== undefined) edit.set(key, run(held));
        else if (fallback !== undefined) edit.set(key, run(copy(fallback)));
      }
      if (rest !== same) for (const key of Object.keys(value)) if (!named.has(key)) edit.set(key, rest(value[key]));
      return edit.value;
    };
  }

  #list(schema: JsonSchema): Transform {
    const head = [...listOf(schema, "prefixItems"), ...listOf(schema, "items")].map((item) => this.of(item));
    const rest = this.of(Array.isArray(schema.items) ? schema.additionalItems : schema.items);
    if (rest === same && head.every((run) => run === same)) return same;
    return (value) => {
      if (!Array.isArray(value)) return value;
      const changed = value.map((item, index) => (head[index] ?? rest)(item));
      return changed.every((item, index) => item === value[index]) ? value : changed;
    };
  }

  #defaultOf(child: unknown): unknown {
    if (!isRecord(child)) return undefined;
    if (child.default !== undefined) return child.default;
    const target = typeof child.$ref === "string" ? resolveRef(this.#root, child.$ref) : undefined;
    return isRecord(target) ? target.default : undefined;
  }
}

/** An object that is copied at its first change (copy on write). */
class Edit {
  value: Record<string, unknown>;
  readonly #original: Record<string, unknown>;

  constructor(value: Record<string, unknown>) {
    this.value = value;
    this.#original = value;
  }

  set(key: string, next: unknown): void {
    if (Object.hasOwn(this.#original, key) && this.#original[key] === next) return;
    if (this.value === this.#original) this.value = { ...this.#original };
    setKey(this.value, key, next);
  }
}

const same: Transform = (value) => value;

/** A default is data of the schema: each call gets its own copy. */
const copy = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? structuredClone(value) : value;

function decoderOf(schema: JsonSchema): Decode | undefined {
  const codec = schema["~codec"];
  return isRecord(codec) && typeof codec.decode === "function" ? (codec.decode as Decode) : undefined;
}
