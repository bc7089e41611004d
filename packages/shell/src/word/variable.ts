import { isComputed, isDecisive } from "../environment.ts";
import type { Scope } from "../scope.ts";
import type { Session } from "../session.ts";
import {
  ANY_WORD,
  ANY_WORDS,
  isNumber,
  join,
  MAYBE_NUMBER,
  NUMBER,
  only,
  sameValue,
  text,
  type Value,
} from "./value.ts";

/** The value of a variable or special parameter. If the script did not set it, it comes from the environment. */
export function variable(name: string, scope: Scope, session: Session): Value {
  const assigned = scope.variables.get(name);
  const set =
    assigned === undefined ? inherited(name, scope, session) : COUNTING.test(name) ? join(assigned, NUMBER) : assigned;
  const loose = session.loose.get(name);
  return loose === undefined ? set : join(set, loose);
}

/** Variables that the shell itself counts, whatever was assigned. */
const COUNTING = /^([?#$!]|S?RANDOM|SECONDS|LINENO|E?UID|PPID|BASHPID|EPOCHSECONDS|OPTIND)$/;

/** Variables that the shell itself fills with text, also from the script: the last word of a command, a pattern match. */
const FILLED =
  /^(_|BASH_(?!VERSINFO$|SUBSHELL$|LINENO$|MONOSECONDS$).*|FUNCNAME|DIRSTACK|PWD|OLDPWD|OPTARG|REPLY|MAPFILE|COPROC.*|COMP_.*|READLINE_.*)$/;

function inherited(name: string, scope: Scope, session: Session): Value {
  if (/^\d/.test(name)) return scope.args?.[Number(name) - 1] ?? ANY_WORD;
  if (name === "@" || name === "*") return ANY_WORDS;
  // Empty if no background command was started.
  if (name === "!") return MAYBE_NUMBER;
  if (COUNTING.test(name)) return NUMBER;
  if (name === "HOME") return text(session.context.home);
  if (name === "PWD") return scope.folders === undefined ? { kind: "one", head: "/" } : text(...scope.folders);
  // The previous folder, or the last word of the previous command, whatever the environment says.
  if (FILLED.test(name)) return ANY_WORD;
  const known = session.context.env;
  return known !== undefined && Object.hasOwn(known, name) ? text(known[name]!) : ANY_WORD;
}

/** Notes that an expansion assigned a variable: from now on it may have either value. */
export function loosen(name: string, value: Value, session: Session): void {
  if (isComputed(name) && !isNumber(value)) session.unknown(`bash evaluates what ${name} is set to.`);
  if (isDecisive(name, only(value))) {
    session.tainted ??= `${name} decides what commands do.`;
    session.unknown(session.tainted);
  }
  const before = session.loose.get(name);
  const after = before === undefined ? value : join(before, value);
  if (before !== undefined && sameValue(before, after)) return;
  session.loose.set(name, after);
  session.changes++;
}

/**
 * Whether a variable may be used in arithmetic. There the shell evaluates its content as an expression, including substitutions. The
 * environment comes from the user, so a variable that the script never set counts as a number or nothing.
 */
export function mayCompute(name: string, scope: Scope, session: Session): boolean {
  const set = scope.variables.get(name);
  const loose = session.loose.get(name);
  if (/^\d/.test(name)) return isNumber(variable(name, scope, session));
  if (set === undefined && FILLED.test(name)) return false;
  return (set === undefined || isNumber(set)) && (loose === undefined || isNumber(loose));
}
