// Writes packages/haft/settings.schema.json, which editors complete settings by, and the table of keys in docs/settings.md.
// `npm run -s settings-reference` writes them, with `-- --check` it only says whether they are fresh (exit code 1 when not).
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SETTINGS_SCHEMA } from "@haft/core/policy/settings";

const SCHEMA_FILE = fileURLToPath(new URL("../packages/haft/settings.schema.json", import.meta.url));
const GUIDE_FILE = fileURLToPath(new URL("../docs/settings.md", import.meta.url));
/** The table stands between these lines of the guide. */
const [BEGIN, END] = ["<!-- keys -->\n", "<!-- /keys -->"];
/** Longer parts that stand at several places are written once, under $defs. */
const SHARED_CHARS = 400;

/** The schema as text: what several keys share is written once. */
export function schemaText(schema = SETTINGS_SCHEMA) {
  const uses = new Map();
  const count = (value) => {
    if (typeof value !== "object" || value === null) return;
    uses.set(value, (uses.get(value) ?? 0) + 1);
    if (uses.get(value) === 1) Object.values(value).forEach(count);
  };
  count(schema);
  const names = new Map();
  for (const [value, times] of uses)
    if (times > 1 && isShape(value) && JSON.stringify(value).length > SHARED_CHARS)
      names.set(value, `shared${names.size + 1}`);
  const written = (value, isTop = false) => {
    if (typeof value !== "object" || value === null) return value;
    if (!isTop && names.has(value)) return { $ref: `#/$defs/${names.get(value)}` };
    if (Array.isArray(value)) return value.map((inner) => written(inner));
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, written(inner)]));
  };
  const $defs = Object.fromEntries([...names].map(([value, name]) => [name, written(value, true)]));
  return `${JSON.stringify({ ...written(schema, true), $defs }, null, 2)}\n`;
}

/** A list of properties is none, and may have a property of that name. */
const isShape = ({ type, anyOf }) => typeof type === "string" || Array.isArray(anyOf);

/** The keys as rows of a table, in the order of the schema. */
export function keyTable(schema = SETTINGS_SCHEMA) {
  const rows = Object.entries(schema.properties)
    .filter(([name]) => name !== "$schema")
    .flatMap(([name, shape]) => rowsOf(name, shape));
  return `| Key | Meaning |\n|---|---|\n${rows.map(([key, what]) => `| \`${key}\` | ${what} |`).join("\n")}\n`;
}

/** The table does not list the keys below these: another table does. */
const ELSEWHERE = {
  hooks: " See [hooks.md](hooks.md).",
  mcpServers: " See [mcp-client.md](mcp-client.md).",
  "tools.Bash": "",
  toolAgentSettings: "",
};
/** Second spellings, which the words of the first name. */
const SPELLINGS = new Set(["tools.bash", "tools.profile", "tools.allow", "tools.deny"]);

function rowsOf(key, shape) {
  if (SPELLINGS.has(key)) return [];
  if (key in ELSEWHERE) return [[key, `${wordsOf(shape)}${ELSEWHERE[key]}`]];
  const forms = shape.anyOf ?? [shape];
  const below = forms.flatMap((form) => [
    ...Object.entries(form.properties ?? {}).map(([name, inner]) => [`${key}.${name}`, inner]),
    ...(form.additionalProperties && typeof form.additionalProperties === "object"
      ? [[`${key}.NAME`, form.additionalProperties]]
      : []),
  ]);
  return [[key, wordsOf(shape)], ...below.filter(([, inner]) => inner.description).flatMap((row) => rowsOf(...row))];
}

function wordsOf({ description, enum: values, anyOf = [] }) {
  const words = values ?? anyOf.flatMap((form) => form.enum ?? []);
  const choice = words.length === 0 ? "" : ` One of ${words.map((word) => `\`${word}\``).join(" ")}.`;
  return `${description}${choice}`.replaceAll("|", "\\|");
}

function guideText() {
  const guide = readFileSync(GUIDE_FILE, "utf8");
  const [from, to] = [guide.indexOf(BEGIN), guide.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${GUIDE_FILE} has no place for the table of keys.`);
  return `${guide.slice(0, from + BEGIN.length)}${keyTable()}${guide.slice(to)}`;
}

const files = [
  [SCHEMA_FILE, schemaText],
  [GUIDE_FILE, guideText],
];
if (process.argv.includes("--check")) {
  const stale = files.filter(([file, text]) => readFileSync(file, "utf8") !== text());
  for (const [file] of stale) console.error(`${file} is not fresh: npm run settings-reference`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else for (const [file, text] of files) writeFileSync(file, text());
