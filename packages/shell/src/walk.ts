import type { Effect } from "@haft/core/tool";
import type {
  CommandNode,
  CompoundList,
  ParsedScript,
  PipelineNode,
  Redirected,
  Statement,
  TestExpression,
  Word,
} from "unbash";
import { addListed } from "./assignment/wildcard.ts";
import { isComputed, isDecisive } from "./environment.ts";
import { dropsText, errorIn, parseShell, TWO_BRACKETS } from "./parse.ts";
import { readInto } from "./place/place-effects.ts";
import { isEndless } from "./reader/names/endless.ts";
import { FILE_COMPARISONS, FILE_TESTS } from "./reader/test-command.ts";
import { otherInput, walkRedirects } from "./redirect.ts";
import { type FunctionBody, joinScopes, type Scope, sameScope, withTaint, withVariable } from "./scope.ts";
import type { Session } from "./session.ts";
import { both, type Outcome, orSkipped, type Started, timed, walkCommand } from "./simple.ts";
import { checkArithmetic } from "./word/arithmetic.ts";
import { expandQuoted, expandString, expandWord } from "./word/expand.ts";
import { ANY_WORD, arrayOf, isNumber, isOneWord, join, oneOf, only, type Value } from "./word/value.ts";
import { loosen } from "./word/variable.ts";

const DIRECT: Started = { wrappers: [], assigns: [], by: "shell" };
const PLAIN_NAME = /^[A-Za-z_]\w*$/;

/** Follows all paths of a script. Returns what is known afterwards. */
export function walkScript(script: ParsedScript, scope: Scope, session: Session, started: Started = DIRECT): Outcome {
  const error = errorIn(script);
  if (error !== undefined) {
    session.unknown(error);
    return both(scope);
  }
  const source = script.source ?? scope.source;
  if (dropsText(source, script.commands, script.pos, script.end)) {
    session.unknown("A part of the script could not be read.");
    return both(scope);
  }
  const from = source === scope.source ? scope : { ...scope, source };
  return new Walker(session, started).lines(script.commands, from, source);
}

/** A script in a subshell: its effects count, but not its changes to the shell. */
export function walkNested(session: Session, script: ParsedScript | undefined, scope: Scope): void {
  if (script === undefined) {
    session.unknown("A substitution could not be read.");
    return;
  }
  walkScript(script, scope, session);
}

class Walker {
  readonly #session: Session;
  readonly #started: Started;

  constructor(session: Session, started: Started) {
    this.#session = session;
    this.#started = started;
  }

  /** The statements of a script itself. After an error that ends a line but not the script, the next line follows. */
  lines(statements: readonly Statement[], scope: Scope, source: string): Outcome {
    const { broken } = this.#session;
    const outer = broken.length;
    let outcome = both(scope);
    let end = 0;
    for (const statement of statements) {
      if (source.slice(end, statement.pos).includes("\n"))
        outcome = { ok: outcome.ok, bad: broken.splice(outer).reduce<Scope | undefined>(joinScopes, outcome.bad) };
      end = statement.end;
      const before = joinScopes(outcome.ok, outcome.bad);
      if (before === undefined && broken.length === outer) return outcome;
      if (before !== undefined) outcome = this.list([statement], before);
    }
    broken.splice(outer);
    return outcome;
  }

  list(statements: readonly Statement[], scope: Scope): Outcome {
    let outcome = both(scope);
    for (const statement of statements) {
      const before = joinScopes(outcome.ok, outcome.bad);
      if (before === undefined) return outcome;
      outcome = statement.background ? this.#aside(statement.command, before) : this.#node(statement.command, before);
    }
    return outcome;
  }

  #body(list: CompoundList, scope: Scope): Outcome {
    return this.list(list.commands, scope);
  }

  #aside(node: Statement["command"], scope: Scope): Outcome {
    this.#node(node, scope);
    return both(scope);
  }

  #node(node: Statement["command"], scope: Scope): Outcome {
    if (node.type !== "AndOr") return this.#pipeline(node, scope);
    let outcome = this.#pipeline(node.commands[0]!, scope);
    for (const [index, operator] of node.operators.entries()) {
      const from = operator === "&&" ? outcome.ok : outcome.bad;
      if (from === undefined) continue;
      const next = this.#pipeline(node.commands[index + 1]!, from);
      outcome =
        operator === "&&"
          ? { ok: next.ok, bad: joinScopes(outcome.bad, next.bad) }
          : { ok: joinScopes(outcome.ok, next.ok), bad: next.bad };
    }
    return outcome;
  }

  #pipeline(node: PipelineNode, scope: Scope): Outcome {
    if (node.type !== "Pipeline") return this.#command(node, scope);
    const prefixes = node.prefixes.filter(({ type }) => type !== "Time");
    if (prefixes.length < node.prefixes.length)
      return new Walker(this.#session, timed(this.#started)).#pipeline({ ...node, prefixes }, scope);
    const isNegated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
    if (node.commands.length === 0) {
      this.#session.unknown("A pipeline is empty.");
      return both(scope);
    }
    if (node.commands.length === 1) {
      const outcome = this.#command(node.commands[0]!, scope);
      return isNegated ? { ok: outcome.bad, bad: outcome.ok } : outcome;
    }
    const outer = this.#session.piped;
    for (const [index, command] of node.commands.entries()) {
      this.#command(command, scope);
      // With `|&` stderr goes into the pipe, too.
      const { prints } = this.#session;
      const isKnown = command.type === "Command" && node.operators[index] === "|";
      this.#session.piped = isKnown || isEndless(prints) ? prints : undefined;
    }
    this.#session.piped = outer;
    return both(scope);
  }

  #command(node: CommandNode, scope: Scope): Outcome {
    switch (node.type) {
      case "Command":
        return walkCommand(node, scope, this.#session, this, this.#started);
      case "Redirected":
        return this.#redirected(node, scope);
      case "Subshell":
        if (scope.source.startsWith("((", node.pos)) this.#session.unknown(TWO_BRACKETS);
        this.#session.deeper(() => this.#body(node.body, scope));
        return both(scope);
      case "BraceGroup":
        return this.#session.deeper(() => this.#body(node.body, scope));
      case "If":
        return this.#session.deeper(() => this.#if(node, scope));
      case "While":
        return this.#loop(scope, (from) => {
          const clause = this.#body(node.clause, from);
          const [enter, leave] = node.kind === "while" ? [clause.ok, clause.bad] : [clause.bad, clause.ok];
          if (leave !== undefined) this.#session.jumps.push(leave);
          return enter === undefined ? undefined : this.#after(this.#body(node.body, enter));
        });
      case "Select":
        // The typed answer, one line of input.
        loosen("REPLY", ANY_WORD, this.#session);
        return this.#for(node.name, undefined, node.wordlist, node.body, scope);
      case "For":
        return this.#for(node.name, node.wordlist, node.wordlist, node.body, scope);
      case "ArithmeticFor":
        this.#compute(node.initialize, scope);
        return this.#loop(scope, (from) => {
          this.#compute(node.test, from);
          this.#compute(node.update, from);
          return this.#after(this.#body(node.body, from));
        });
      case "Case":
        return this.#case(node, scope);
      case "TestCommand":
        this.#test(node.expression, scope);
        return both(scope);
      case "ArithmeticCommand":
        this.#compute(node.expression, scope);
        return both(scope);
      case "Function":
        return this.#define(node, scope);
      default:
        this.#session.unknown(`The script uses ${node.type}, which is not followed.`);
        return both(withTaint(scope, `The script uses ${node.type}.`));
    }
  }

  #redirected(node: Redirected, scope: Scope): Outcome {
    walkRedirects(node.redirects, scope, this.#session);
    const back = otherInput(node.redirects, this.#session);
    const outcome = orSkipped(this.#command(node.command, scope), scope);
    back();
    return outcome;
  }

  #after(outcome: Outcome): Scope | undefined {
    return joinScopes(outcome.ok, outcome.bad);
  }

  #if(node: Extract<CommandNode, { type: "If" }>, scope: Scope): Outcome {
    const ends: Outcome[] = [];
    let from: Scope | undefined = scope;
    for (const branch of [node, ...node.elif]) {
      if (from === undefined) break;
      const clause = this.#body(branch.clause, from);
      if (clause.ok !== undefined) ends.push(this.#body(branch.then, clause.ok));
      from = clause.bad;
    }
    if (from !== undefined)
      ends.push(node.else === undefined ? { ok: from, bad: undefined } : this.#body(node.else, from));
    return joinOutcomes(ends);
  }

  #case(node: Extract<CommandNode, { type: "Case" }>, scope: Scope): Outcome {
    expandString(node.word, scope, this.#session);
    const ends: Outcome[] = [both(scope)];
    let through: Scope | undefined;
    for (const item of node.items) {
      for (const pattern of item.pattern) expandString(pattern, scope, this.#session);
      const end = this.#session.deeper(() => this.#body(item.body, joinScopes(scope, through) ?? scope));
      ends.push(end);
      through = item.terminator === ";;" || item.terminator === undefined ? undefined : this.#after(end);
    }
    return joinOutcomes(ends);
  }

  #for(
    name: Word,
    known: readonly Word[] | undefined,
    list: readonly Word[] | undefined,
    body: CompoundList,
    scope: Scope,
  ): Outcome {
    const words = (list ?? []).flatMap((word) => expandWord(word, scope, this.#session));
    addListed(words, scope, this.#session);
    const isKnown = known !== undefined && words.length > 0 && PLAIN_NAME.test(name.value);
    const item = isKnown ? oneAmong(words) : ANY_WORD;
    if (!PLAIN_NAME.test(name.value)) this.#session.unknown("The variable of a loop is not plain.");
    if (isComputed(name.value) && !isNumber(item))
      this.#session.unknown(`bash evaluates what ${name.value} is set to.`);
    const why = isDecisive(name.value, only(item)) ? `${name.value} decides what commands do.` : undefined;
    if (why !== undefined) this.#session.unknown(why);
    const start = why === undefined ? scope : withTaint(scope, why);
    const next = withVariable(start, name.value, item.kind === "many" ? { kind: "one", head: "" } : item);
    return this.#loop(
      start,
      (from) => this.#after(this.#body(body, from)),
      (from) => withVariable(from, name.value, this.#session.single(name.value, next.variables.get(name.value)!)),
    );
  }

  /** Walks a loop until another round teaches nothing new; only the findings of the last round stay. */
  #loop(
    scope: Scope,
    round: (from: Scope) => Scope | undefined,
    enter: (from: Scope) => Scope = (from) => from,
  ): Outcome {
    return this.#session.deeper(() => {
      let from = scope;
      for (;;) {
        const mark = this.#session.mark();
        const jumps = this.#session.jumps.length;
        const changes = this.#session.changes;
        const end = round(enter(from));
        const left = this.#session.jumps.slice(jumps).reduce<Scope | undefined>(joinScopes, end);
        const next = joinScopes(from, left) ?? from;
        if (sameScope(next, from) && changes === this.#session.changes) return both(next);
        this.#session.back(mark);
        from = next;
      }
    });
  }

  #define(node: Extract<CommandNode, { type: "Function" }>, scope: Scope): Outcome {
    const name = only({ kind: "text", texts: [node.name.value] });
    if (node.body.type === "CompoundList" || name === undefined || node.name.parts !== undefined) {
      this.#session.unknown("A function could not be read.");
      return both(withTaint(scope, "A function could not be read."));
    }
    if (name === "command_not_found_handle") {
      const why = "A function takes the place of every program that is missing.";
      this.#session.unknown(why);
      return both(withTaint(scope, why));
    }
    const functions = new Map(scope.functions).set(name, node.body as FunctionBody);
    return both({ ...scope, functions });
  }

  /** Calls a function of the script. */
  call(name: string, args: readonly Value[], scope: Scope): Outcome {
    const body = scope.functions.get(name) as Exclude<FunctionBody, "unclear">;
    return this.#session.deeper(() => {
      const { jumps: left, broken } = this.#session;
      const [jumps, breaks] = [left.length, broken.length];
      const inside: Scope = { ...scope, args: positional(args) };
      const outer = this.#session.locals;
      const locals = new Map<string, Value>();
      this.#session.locals = locals;
      const outcome = this.#command(body as Redirected, inside);
      this.#session.locals = outer;
      this.#session.prints = undefined;
      const back = (end: Scope): Scope => ({ ...withOld(end, locals), args: scope.args });
      // An error that ends the line ends the function, too.
      broken.push(...broken.splice(breaks).map(back));
      const early = left.slice(jumps).reduce<Scope | undefined>(joinScopes, undefined);
      const [ok, bad] = [outcome.ok, outcome.bad].map((end) => joinScopes(end, early));
      return { ok: ok && back(ok), bad: bad && back(bad) };
    });
  }

  /** A script that a shell gets on its command line. */
  script(source: string, args: readonly Value[], scope: Scope, started: Started): void {
    const parsed = parseShell(source);
    if ("problem" in parsed) {
      this.#session.unknown(parsed.problem);
      return;
    }
    // Variables of the script may be in the environment or not. Only one thing is certain: they no longer have the user's value.
    const names = [...scope.variables.keys(), ...started.assigns.map((one) => one.split(/[+[=]/)[0]!)];
    const variables = new Map(names.map((name) => [name, ANY_WORD]));
    const inside: Scope = { ...scope, source, variables, functions: new Map(), args: positional(args) };
    const outer = this.#session.locals;
    this.#session.locals = undefined;
    walkScript(parsed.script, inside, this.#session, started);
    this.#session.locals = outer;
    this.#session.prints = undefined;
  }

  #compute(expression: Parameters<typeof checkArithmetic>[0], scope: Scope): void {
    checkArithmetic(expression, scope, this.#session, { string: expandQuoted });
  }

  /** Testing whether a file exists reads something about it. */
  #looksAt(value: Value, scope: Scope): void {
    const at = { folders: scope.folders, moved: scope.moved, start: this.#session.context.cwd };
    const looked: Effect[] = [];
    const problem = readInto(looked, value, at);
    this.#session.add(...looked.map((one) => (one.do === "read" ? ({ ...one, shows: "names" } as const) : one)));
    if (problem !== undefined) this.#session.unknown(problem);
  }

  #test(expression: TestExpression, scope: Scope): void {
    switch (expression.type) {
      case "TestGroup":
        this.#test(expression.expression, scope);
        return;
      case "TestNot":
        this.#test(expression.operand, scope);
        return;
      case "TestLogical":
        for (const operand of expression.operands) this.#test(operand, scope);
        return;
      case "TestUnary": {
        const value = expandString(expression.operand, scope, this.#session);
        const isLookup = expression.operator === "-v" || expression.operator === "-R";
        if (isLookup && !PLAIN_NAME.test(only(value) ?? "")) this.#session.unknown("A test evaluates a subscript.");
        if (FILE_TESTS.test(expression.operator)) this.#looksAt(value, scope);
        return;
      }
      case "TestBinary": {
        const sides = [expression.left, expression.right].map((word) => expandString(word, scope, this.#session));
        const computes = /^-(eq|ne|lt|le|gt|ge)$/.test(expression.operator);
        if (computes && !sides.every(isNumber)) this.#session.unknown("A test evaluates data as arithmetic.");
        if (FILE_COMPARISONS.test(expression.operator)) for (const side of sides) this.#looksAt(side, scope);
        return;
      }
      default:
        this.#session.unknown("A test is not understood.");
        return;
    }
  }
}

/** After a function its local variables have their old values; or, if the function did not end there, their current ones. */
const withOld = (end: Scope, locals: ReadonlyMap<string, Value>): Scope => {
  const variables = new Map(end.variables);
  for (const [name, old] of locals) variables.set(name, join(old, variables.get(name) ?? ANY_WORD));
  return { ...end, variables };
};

const joinOutcomes = (ends: readonly Outcome[]): Outcome =>
  ends.reduce((a, b) => ({ ok: joinScopes(a.ok, b.ok), bad: joinScopes(a.bad, b.bad) }), {
    ok: undefined,
    bad: undefined,
  });

/** The position of parameters is known only if every word stays one. */
const positional = (args: readonly Value[]): Scope["args"] => (args.every(isOneWord) ? args : undefined);

/** The value of a loop variable, which takes the words one by one. */
const oneAmong = (words: readonly Value[]): Value =>
  words.length > 1 && words.some(({ kind }) => kind === "name") ? arrayOf(words) : words.map(single).reduce(join);

/** A wildcard gives one name at a time. */
const single = (value: Value): Value =>
  value.kind === "name" ? { ...value, single: true } : value.kind === "many" && value.tame ? oneOf(value) : value;
