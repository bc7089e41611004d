const STARTS =
  /^(select|with|explain|values)\b|^pragma\s+(table_info|index_list|index_info|foreign_key_list|table_list|user_version|schema_version|journal_mode|page_count|page_size|encoding|integrity_check|quick_check|foreign_key_check|database_list|compile_options|collation_list|function_list|freelist_count|application_id|table_xinfo|index_xinfo)\s*(\(\s*['"]?\w+['"]?\s*\))?$/i;
const DOTS =
  /^\.(tables|schema|indexes|indices|databases|headers?|mode|width|nullvalue|separator|dbinfo|stats|timer|eqp|echo)(\s+[\w%'",.|*-]+)*$/i;
/** What reads or writes other files or loads code, although the database itself is opened for reading only. */
const ACTS = /\b(writefile|readfile|edit|load_extension|fsdir|lsdir|zipfile|attach|vacuum|fts3_tokenizer|sqlar_\w+)\b/i;

/** Says why a script for sqlite3 may do more than read the one database, or nothing. */
export function checkSelect(script: string | undefined): string | undefined {
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
  if (!isPlain || ACTS.test(script) || !statements.every((one) => STARTS.test(one)))
    return "The SQL may change something or read elsewhere.";
  return undefined;
}
