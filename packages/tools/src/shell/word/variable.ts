import type { Scope } from "../scope.ts";
import type { Session } from "../session.ts";
import { ANY_WORD, isNumber, join, NUMBER, text, type Value } from "./value.ts";

/** What a variable or a special parameter holds. What the script did not set comes from the environment. */
export function variable(name: string, scope: Scope, session: Session): Value {
  const set = scope.variables.get(name) ?? inherited(name, scope, session);
  const loose = session.loose.get(name);
  return loose === undefined ? set : join(set, loose);
}

function inherited(name: string, scope: Scope, session: Session): Value {
  if (/^\d/.test(name)) return scope.args?.[Number(name) - 1] ?? ANY_WORD;
  if (/^([?#$!]|RANDOM|SECONDS|LINENO|UID|EUID|PPID|BASHPID)$/.test(name)) return NUMBER;
  if (name === "HOME") return text(session.context.home);
  if (name === "PWD") return scope.folders === undefined ? { kind: "one", head: "/" } : text(...scope.folders);
  const known = session.context.env;
  return known !== undefined && Object.hasOwn(known, name) ? text(known[name]!) : ANY_WORD;
}

/** Notes that an expansion gave a variable a value: from now on either may stand there. */
export function loosen(name: string, value: Value, session: Session): void {
  const before = session.loose.get(name);
  session.loose.set(name, before === undefined ? value : join(before, value));
}

/**
 * Whether a variable may stand in arithmetic, where the shell evaluates its content as an expression, substitutions
 * included. The environment comes from the user, so what the script never set is taken for a number or nothing.
 */
export function mayCompute(name: string, scope: Scope, session: Session): boolean {
  const set = scope.variables.get(name);
  const loose = session.loose.get(name);
  if (/^\d/.test(name)) return isNumber(variable(name, scope, session));
  return (set === undefined || isNumber(set)) && (loose === undefined || isNumber(loose));
}
