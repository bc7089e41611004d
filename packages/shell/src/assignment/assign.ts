import type { Assignment } from "unbash";
import { isComputed, isDecisive } from "../environment.ts";
import { type Scope, withTaint, withVariable } from "../scope.ts";
import type { Session } from "../session.ts";
import { expandString, expandWord } from "../word/expand.ts";
import { ANY_WORD, arrayOf, concat, isNumber, only, type Value } from "../word/value.ts";
import { mayCompute, variable } from "../word/variable.ts";
import { addListed } from "./wildcard.ts";

/** The value that an assignment gives, and the variable that gets it. */
export function assign(assignment: Assignment, scope: Scope, session: Session): { name: string; value: Value } {
  const assigned = assignedBy(assignment, scope, session);
  if (isComputed(assigned.name) && !isNumber(assigned.value))
    session.unknown(`bash evaluates what ${assigned.name} is set to.`);
  return assigned;
}

function assignedBy(assignment: Assignment, scope: Scope, session: Session): { name: string; value: Value } {
  const { name, value, index, append } = assignment;
  if (index !== undefined || session.constants.has(name)) session.mayBreak(scope);
  if (index !== undefined || value.type === "ArrayValue") session.note(session.arrays, name);
  if (index !== undefined && !/^\d+$/.test(index.text)) session.unknown("A subscript is computed from data.");
  if (value.type === "ArrayValue") {
    const members: Value[] = [];
    for (const element of value.elements) {
      // A word in a subscript means a variable, as in arithmetic, except in associative arrays.
      const subscript = /^\[(\w+)\]=/.exec(element.text)?.[1];
      // Its own name means the previous member.
      const isPlain =
        subscript !== undefined &&
        (/^\d+$/.test(subscript) || (subscript !== name && mayCompute(subscript, scope, session)));
      if (/^\[/.test(element.text) && !isPlain) session.unknown("A subscript is computed from data.");
      const values = expandWord(element, scope, session);
      addListed(values, scope, session);
      members.push(...(/^\[/.test(element.text) ? [ANY_WORD] : values));
    }
    const before = append ? variable(name, scope, session) : undefined;
    return { name, value: arrayOf(before === undefined || only(before) === "" ? members : [before, ...members]) };
  }
  const held = expandString(value, scope, session);
  if (index !== undefined || /:~/.test(value.text)) return { name, value: ANY_WORD };
  return { name, value: session.single(name, append ? concat(variable(name, scope, session), held) : held) };
}

/** A variable of the shell itself. If it decides what commands do, everything after it is unproved. */
export function keep(scope: Scope, name: string, value: Value): Scope {
  const next = withVariable(scope, name, value);
  return isDecisive(name, only(value)) ? withTaint(next, `${name} decides what commands do.`) : next;
}
