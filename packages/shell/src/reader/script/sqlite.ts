/** Not `integrity_check`: it evaluates the conditions of the tables, which may call `edit()` although -safe forbids that. */
const STARTS =
  /^(select|with|explain|values)\b|^pragma\s+(table_info|index_list|index_info|foreign_key_list|table_list|user_version|schema_version|journal_mode|page_count|page_size|encoding|foreign_key_check|database_list|compile_options|collation_list|function_list|freelist_count|application_id|table_xinfo|index_xinfo)\s*(\(\s*['"]?\w+['"]?\s*\))?$/i;
const DOTS =
  /^\.(tables|schema|indexes|indices|dump|databases|headers?|mode|width|nullvalue|separator|dbinfo|stats|timer|eqp|echo)(\s+[\w%'",.|*-]+)*$/i;
/** It reads everything that the list of tables calls a table, and that may be a view. */
const DUMPS = /^\s*\.dump\b/im;
/** Statements that change nothing in a writable database: with brackets most pragmas set something, and `with` may begin a change. */
const STARTS_PLAINLY =
  /^(explain\s+(query\s+plan\s+)?)?(select|values)\b|^pragma\s+\w+$|^pragma\s+(table_x?info|index_x?info|index_list|table_list|foreign_key_list|foreign_key_check)\s*\(/i;
const CHANGES = /\b(insert|update|delete|replace|pragma|create|drop|alter|reindex|analyze)\b/i;
/** Statements that read or write other files or load code, even if the database itself is opened for reading only. */
const ACTS = /\b(attach|vacuum|sqlar_\w+)\b/i;
/** Functions and tables of the program that read or write other files, load code, start programs, evaluate a text or clean up. */
const ACTORS =
  "writefile readfile edit load_extension fsdir lsdir zipfile fts3_tokenizer optimize pragma_optimize sha3_query".split(
    " ",
  );
const CALLS = new RegExp(`\\b(${ACTORS.join("|")})\\b`, "i");
/** The ones among these that are only functions: a bracket follows their name, so a column `edited` does not match. */
const FUNCTIONS = /^(edit|optimize)$/;
/** The beginnings of words in a schema with such a call: a view can call any. Their ends may be joined to unrelated text. */
export const CALLED_WORDS: readonly string[] = ACTORS.map((name) => (FUNCTIONS.test(name) ? ` ${name} ` : ` ${name}`));

/** A piece of a query without a word that names a table or begins another query. */
const NO_TABLE = `(?:(?!\\b(?:from|join|in|select)\\b)[^"'\`[])*`;
/** Statements in which the database itself decides nothing. Its views may call `edit()` and so start a program. */
const SCHEMA_ONLY = new RegExp(
  `^(?:explain\\b.*|pragma\\s+(?!integrity_check|quick_check).*|select\\s${NO_TABLE}(?:\\bfrom\\s+sqlite_(?:master|schema)\\b(?![^]*[,(])${NO_TABLE})?)$`,
  "is",
);
const LITERALS = /\bin\s*\(\s*'[^']*'(?:\s*,\s*'[^']*')*\s*\)|'[^']*'/gi;

/** Whether only the list of its tables is read. Texts are removed first; a remaining quote or comment may hide something. */
const readsSchemaOnly = (statement: string): boolean =>
  !/--|\/\*/.test(statement) && SCHEMA_ONLY.test(statement.replace(LITERALS, "0"));

const statementsOf = (script: string): readonly string[] =>
  script
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("."))
    .join("\n")
    .split(";")
    .map((one) => one.trim())
    .filter(Boolean);

/** Whether no view or index of the database affects a script for sqlite3. */
export const asksSchemaOnly = (script: string): boolean =>
  !DUMPS.test(script) && statementsOf(script).every(readsSchemaOnly);

/** Why nothing is known of an unchecked database. */
export const MAY_ACT =
  "The database may be changed, or a view of it start a program: a look at it does not show that neither is so.";

/** Says why a script for sqlite3 may do more than read the one database, or nothing. `isOpen`: it could be written to. */
export function checkSelect(script: string | undefined, isOpen: boolean): string | undefined {
  if (script === undefined) return "The SQL is not known before the run.";
  const isPlain = script.split("\n").every((line) => !line.trimStart().startsWith(".") || DOTS.test(line.trim()));
  // A word in a text is refused too: the database decides where a text ends.
  const isReading = (one: string) =>
    STARTS.test(one) && (!isOpen || STARTS_PLAINLY.test(one) || (/^(explain|with)\b/i.test(one) && !CHANGES.test(one)));
  return isPlain && !ACTS.test(script) && !CALLS.test(script) && statementsOf(script).every(isReading)
    ? undefined
    : "The SQL may change something or read elsewhere.";
}
