/** Not `integrity_check`: it computes the conditions of the tables, which may call `edit()` although -safe forbids that. */
const STARTS =
  /^(select|with|explain|values)\b|^pragma\s+(table_info|index_list|index_info|foreign_key_list|table_list|user_version|schema_version|journal_mode|page_count|page_size|encoding|foreign_key_check|database_list|compile_options|collation_list|function_list|freelist_count|application_id|table_xinfo|index_xinfo)\s*(\(\s*['"]?\w+['"]?\s*\))?$/i;
const DOTS =
  /^\.(tables|schema|indexes|indices|dump|databases|headers?|mode|width|nullvalue|separator|dbinfo|stats|timer|eqp|echo)(\s+[\w%'",.|*-]+)*$/i;
/** It reads whatever the list of tables calls a table, which may be a view. */
const DUMPS = /^\s*\.dump\b/im;
/** What changes nothing in a database that is open for writing: with brackets most pragmas set something, and `with` may begin a change. */
const STARTS_PLAINLY =
  /^(explain\s+(query\s+plan\s+)?)?(select|values)\b|^pragma\s+\w+$|^pragma\s+(table_x?info|index_x?info|index_list|table_list|foreign_key_list|foreign_key_check)\s*\(/i;
const CHANGES = /\b(insert|update|delete|replace|pragma|create|drop|alter|reindex|analyze)\b/i;
/** What reads or writes other files or loads code, although the database itself is opened for reading only. */
const ACTS = /\b(attach|vacuum|sqlar_\w+)\b/i;
/** Functions and tables of the program that read or write other files, load code, start programs, evaluate a text or tidy up. */
const ACTORS =
  "writefile readfile edit load_extension fsdir lsdir zipfile fts3_tokenizer optimize pragma_optimize sha3_query".split(
    " ",
  );
const CALLS = new RegExp(`\\b(${ACTORS.join("|")})\\b`, "i");
/** Of these, functions and nothing else: behind their name stands a bracket, so a column `edited` is none. */
const FUNCTIONS = /^(edit|optimize)$/;
/** How the words of a schema begin that has one of them: a view can call any. At its end they may be glued to what is no part of it. */
export const CALLED_WORDS: readonly string[] = ACTORS.map((name) => (FUNCTIONS.test(name) ? ` ${name} ` : ` ${name}`));

/** A piece of a query with no word in it that names a table or begins another query. */
const NO_TABLE = `(?:(?!\\b(?:from|join|in|select)\\b)[^"'\`[])*`;
/** Of these the database itself, whose views may call `edit()` and so start a program, decides nothing. */
const SCHEMA_ONLY = new RegExp(
  `^(?:explain\\b.*|pragma\\s+(?!integrity_check|quick_check).*|select\\s${NO_TABLE}(?:\\bfrom\\s+sqlite_(?:master|schema)\\b(?![^]*[,(])${NO_TABLE})?)$`,
  "is",
);
const LITERALS = /\bin\s*\(\s*'[^']*'(?:\s*,\s*'[^']*')*\s*\)|'[^']*'/gi;

/** Whether no more than the list of its tables is read. Texts are taken out; a quote or comment that is left may hide something. */
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

/** Whether no view or index of the database has a say in what a script for sqlite3 does. */
export const asksSchemaOnly = (script: string): boolean =>
  !DUMPS.test(script) && statementsOf(script).every(readsSchemaOnly);

/** Why nothing is known of a database that was not looked at. */
export const MAY_ACT =
  "The database may be changed, or a view of it start a program: a look at it does not show that neither is so.";

/** Says why a script for sqlite3 may itself do more than read the one database, or nothing. `isOpen`: it could be written to. */
export function checkSelect(script: string | undefined, isOpen: boolean): string | undefined {
  if (script === undefined) return "The SQL is not known before the run.";
  const isPlain = script.split("\n").every((line) => !line.trimStart().startsWith(".") || DOTS.test(line.trim()));
  // A word in a text is refused too: where a text ends is the database's business.
  const isReading = (one: string) =>
    STARTS.test(one) && (!isOpen || STARTS_PLAINLY.test(one) || (/^(explain|with)\b/i.test(one) && !CHANGES.test(one)));
  return isPlain && !ACTS.test(script) && !CALLS.test(script) && statementsOf(script).every(isReading)
    ? undefined
    : "The SQL may change something or read elsewhere.";
}
