const STARTS =
  /^(select|with|explain|values)\b|^pragma\s+(table_info|index_list|index_info|foreign_key_list|table_list|user_version|schema_version|journal_mode|page_count|page_size|encoding|integrity_check|quick_check|foreign_key_check|database_list|compile_options|collation_list|function_list|freelist_count|application_id|table_xinfo|index_xinfo)\s*(\(\s*['"]?\w+['"]?\s*\))?$/i;
const DOTS =
  /^\.(tables|schema|indexes|indices|dump|databases|headers?|mode|width|nullvalue|separator|dbinfo|stats|timer|eqp|echo)(\s+[\w%'",.|*-]+)*$/i;
/** What changes nothing in a database that is open for writing: with brackets most pragmas set something, and `with` may begin a change. */
const STARTS_PLAINLY =
  /^(explain\s+(query\s+plan\s+)?)?(select|values)\b|^pragma\s+\w+$|^pragma\s+(table_x?info|index_x?info|index_list|table_list|foreign_key_list|foreign_key_check|integrity_check|quick_check)\s*\(/i;
const CHANGES = /\b(insert|update|delete|replace|pragma|create|drop|alter|reindex|analyze)\b/i;
/** What reads or writes other files or loads code, although the database itself is opened for reading only. */
const ACTS =
  /\b(writefile|readfile|edit|load_extension|fsdir|lsdir|zipfile|attach|vacuum|fts3_tokenizer|optimize|sqlar_\w+)\b/i;

/** Says why a script for sqlite3 may do more than read the one database, or nothing. `isOpen`: the database could be written to. */
export function checkSelect(script: string | undefined, isOpen: boolean): string | undefined {
  if (script === undefined) return "The SQL is not known before the run.";
  const isPlain = script.split("\n").every((line) => !line.trimStart().startsWith(".") || DOTS.test(line.trim()));
  const statements = script
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("."))
    .join("\n")
    .split(";")
    .map((one) => one.trim())
    .filter(Boolean);
  // A word in a text is refused too: where a text ends is the database's business.
  const isReading = (one: string) =>
    STARTS.test(one) && (!isOpen || STARTS_PLAINLY.test(one) || (/^(explain|with)\b/i.test(one) && !CHANGES.test(one)));
  if (!isPlain || ACTS.test(script) || !statements.every(isReading))
    return "The SQL may change something or read elsewhere.";
  return undefined;
}
