import type { ArithmeticExpression, WordPart } from "unbash";
import type { Scope } from "../scope.ts";
import type { Session } from "../session.ts";
import { isNumber, NUMBER, type Value } from "./value.ts";
import { loosen, mayCompute } from "./variable.ts";

/** Expands a word inside an expression. The caller provides it, as this file cannot import that layer. */
interface Expander {
  string(parts: readonly WordPart[], scope: Scope, session: Session): Value;
}

const ASSIGNING = new Set(["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|=", "++", "--"]);

/**
 * Checks `((...))`, `$((...))` and subscripts. Bash evaluates the content of every variable in them as another expression, and runs
 * substitutions that it finds there: only numbers are allowed.
 */
export function checkArithmetic(
  expression: ArithmeticExpression | undefined,
  scope: Scope,
  session: Session,
  expand: Expander,
): void {
  if (expression === undefined) return;
  const check = (inner: ArithmeticExpression): void => checkArithmetic(inner, scope, session, expand);
  switch (expression.type) {
    case "ArithmeticBinary":
      if (ASSIGNING.has(expression.operator)) assign(expression.left, session);
      check(expression.left);
      check(expression.right);
      return;
    case "ArithmeticUnary":
      if (ASSIGNING.has(expression.operator)) assign(expression.operand, session);
      check(expression.operand);
      return;
    case "ArithmeticTernary":
      check(expression.test);
      check(expression.consequent);
      check(expression.alternate);
      return;
    case "ArithmeticGroup":
      check(expression.expression);
      return;
    case "ArithmeticCommandExpansion":
      if (!isNumber(session.printed(expression.script, scope)))
        session.unknown("Arithmetic evaluates the output of a command.");
      return;
    case "ArithmeticWord":
      checkWord(expression.value, expression.parts, scope, session, expand);
      return;
    default:
      session.unknown("The script computes something that is not understood.");
      return;
  }
}

function checkWord(
  source: string,
  parts: readonly WordPart[] | undefined,
  scope: Scope,
  session: Session,
  expand: Expander,
): void {
  const word = source.trim();
  if (/^(\d+|0[xX][\da-fA-F]+|\d+#\w+)?$/.test(word)) return;
  const name = /^\$?\{?([A-Za-z_]\w*|\d)\}?$/.exec(word)?.[1];
  if (name !== undefined) {
    if (!mayCompute(name, scope, session)) session.unknown(`Arithmetic evaluates what $${name} holds.`);
    return;
  }
  const value = parts === undefined ? undefined : expand.string(parts, scope, session);
  if (value === undefined || !isNumber(value)) session.unknown("Arithmetic evaluates text that is not known.");
}

function assign(target: ArithmeticExpression, session: Session): void {
  if (target.type === "ArithmeticWord" && /^[A-Za-z_]\w*$/.test(target.value.trim())) {
    loosen(target.value.trim(), NUMBER, session);
  }
}
