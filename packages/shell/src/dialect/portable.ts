import {
  type Command,
  type CommandExpansionPart,
  forEachChild,
  type ParameterExpansionPart,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";

/**
 * Why `sh` may read a script otherwise than bash, or nothing. Nobody has listed all differences between shells. So this names the parts
 * that dash, busybox and bash read alike, and everything else is a difference.
 */
export function unlikeSh(script: ParsedScript): string | undefined {
  const what = difference(script);
  return what === undefined ? undefined : `sh may read ${what} in another way than bash.`;
}

function difference(node: SyntaxNode): string | undefined {
  const own = SAME.has(node.type) ? checked(node) : NAMES[node.type];
  if (own !== undefined || !SAME.has(node.type)) return own ?? "a part of the script";
  let found: string | undefined;
  forEachChild(node, (child) => {
    found ??= difference(child);
  });
  return found;
}

/** Parts of the syntax tree that all these shells have. Each is checked in detail below. */
const SAME: ReadonlySet<SyntaxNode["type"]> = new Set<SyntaxNode["type"]>([
  ...["Script", "Statement", "CompoundList", "AndOr", "Pipeline", "Negation", "Command", "Redirected"],
  ...["Subshell", "BraceGroup", "If", "Elif", "For", "While", "Case", "CaseItem", "Redirect", "FileDescriptor"],
  ...["Word", "Assignment", "Literal", "Glob", "SingleQuoted", "DoubleQuoted", "SimpleExpansion", "ParameterExpansion"],
  ...["Default", "Remove", "CommandExpansion", "ArithmeticExpansion", "ArithmeticBinary", "ArithmeticUnary"],
  ...["ArithmeticTernary", "ArithmeticGroup", "ArithmeticWord"],
] as SyntaxNode["type"][]);

const NAMES: Partial<Record<SyntaxNode["type"], string>> = {
  HereDoc: "a here-document",
  HereString: "a here-string",
  Function: "a function",
  Time: "the word time",
  TestCommand: "[[",
  ArithmeticCommand: "((",
  BraceExpansion: "braces",
  ProcessSubstitution: "a process substitution",
  AnsiCQuoted: "$'",
};

function checked(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case "Pipeline":
      return node.operators.includes("|&") ? "|&" : undefined;
    case "CaseItem":
      return node.terminator === undefined || node.terminator === ";;" ? undefined : "the end of a case";
    case "For":
      return PLAIN_NAME.test(node.name.text) ? undefined : "the variable of a loop";
    case "Command":
      return checkedCommand(node);
    case "Redirect":
      return checkedRedirect(node);
    case "Assignment":
      return node.append || node.index !== undefined || node.value.type !== "Word" ? "an assignment" : undefined;
    case "Word":
      return checkedWord(node);
    case "Glob":
      return node.kind !== "bracket" || /^\[[!\w.-]+\]$/.test(node.text) ? undefined : "a set of a wildcard";
    case "SimpleExpansion":
      return checkedName(node.text.slice(1));
    case "ParameterExpansion":
      return checkedParameter(node);
    case "CommandExpansion":
      return checkedSubstitution(node);
    case "ArithmeticExpansion":
      return /^\$\(\([\w\s+*/%()<>=!&|-]*\)\)$/.test(node.text) ? undefined : "arithmetic";
    default:
      return undefined;
  }
}

const PLAIN_NAME = /^[A-Za-z_]\w*$/;

/** In `sh` an assignment in front of these builtins stays; in bash it does not. */
const SPECIAL = /^(:|\.|break|continue|eval|exec|exit|export|readonly|return|set|shift|times|trap|unset)$/;

const DECLARING = /^(export|readonly)$/;

/** These are builtins in bash. In other shells they are programs, or builtins with other rules. */
const ONLY_BASH =
  /^(alias|unalias|bg|bind|builtin|caller|compgen|complete|compopt|declare|dirs|disown|enable|fc|fg|help|history|jobs|let|local|logout|mapfile|popd|pushd|readarray|shopt|source|suspend|time|trap|typeset|wait|function|select|coproc|\[\[|\(\()$/;

function checkedCommand({ name, prefix, args }: Command): string | undefined {
  if (name === undefined) return undefined;
  const words = wordsOf(args);
  const called = name.value;
  const assigns = prefix.some(({ type }) => type === "Assignment");
  if (assigns && (SPECIAL.test(called) || called === "command")) return `an assignment in front of ${called}`;
  if (DECLARING.test(called)) return args.every(isSettled) ? undefined : `what is behind ${called}`;
  // `command` also starts builtins, with fewer of their rules.
  const started = called === "command" ? words.find((word) => ONLY_BASH.test(word) || SPECIAL.test(word)) : undefined;
  if (started !== undefined || ONLY_BASH.test(called)) return started ?? called;
  return optionsOf(called, words);
}

/** Options of builtins that only bash has. */
function optionsOf(name: string, words: readonly string[]): string | undefined {
  const first = words[0] ?? "";
  if (name === "read" && words.some((word) => word.startsWith("-") && word !== "-r")) return "the options of read";
  if (name === "printf" && first.startsWith("-")) return "the options of printf";
  if (name === "cd" && /^-(?!$|L$|P$|-$)/.test(first)) return "the options of cd";
  if (name === "unset" && /^-(?!v$|f$)/.test(first)) return "the options of unset";
  return undefined;
}

/** The text of words in which nothing is expanded. */
const wordsOf = (words: readonly { readonly type: string; readonly text: string }[]): readonly string[] =>
  words.map((word) => (word.type === "Word" ? (word as Word).value : word.text));

/** `NAME`, or `NAME=value` with a value that no shell splits. */
const isSettled = (word: Command["args"][number]): boolean =>
  word.type === "Assignment" ? word.value.type === "Word" && isOneText(word.value) : PLAIN_NAME.test(word.text);

/** A word that is one word in every shell, even without splitting or globbing. */
const isOneText = ({ text, parts = [] }: Word): boolean =>
  !text.startsWith("~") && parts.every(({ type }) => /^(Literal|SingleQuoted|DoubleQuoted)$/.test(type));

function checkedRedirect(node: Redirection): string | undefined {
  const { descriptor, target, operator } = node as Extract<Redirection, { type: "Redirect" }>;
  // With two digits some shells read the first one as a word.
  if (descriptor?.type === "FileDescriptor" && descriptor.value > 9) return "the number of a redirection";
  if (operator.startsWith("&")) return operator;
  if (target === undefined || !isOneText(target)) return "the target of a redirection";
  return operator.endsWith("&") && !/^(\d|-)$/.test(target.text) ? operator : undefined;
}

function checkedWord({ text, parts = [] }: Word): string | undefined {
  // In the middle of a word only bash expands it to a home.
  if (/^~[^/]|[=:]~/.test(text)) return "~";
  // `$10`, and `$x[1]`.
  for (const [index, part] of parts.entries()) if (joinsNext(part, parts[index + 1])) return part.text;
  // A word without parts expands nothing, so the parser took these characters for text.
  if (parts.length === 0 && /[`]|\$[\w({'"[@*#?!$-]|[<>]\(/.test(unescaped(text))) return "a word";
  return undefined;
}

const unescaped = (text: string): string => text.replace(/\\[\s\S]/g, "");

const joinsNext = (part: WordPart, next: WordPart | undefined): boolean =>
  part.type === "SimpleExpansion" && next !== undefined && /^[\d[]/.test(next.text) && next.type !== "DoubleQuoted";

/** Variables that bash computes or fills. In another shell they come from the environment. */
const FILLED =
  /^(BASH.*|S?RANDOM|SECONDS|LINENO|HISTCMD|E?UID|GROUPS|EPOCH.*|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|FUNCNAME|DIRSTACK|PIPESTATUS|SHLVL|REPLY|MAPFILE|COPROC.*|COMP_.*|READLINE_.*|_)$/;

const checkedName = (name: string): string | undefined =>
  FILLED.test(name) || !/^([A-Za-z_]\w*|\d|[@*#?$!-])$/.test(name) ? `$${name}` : undefined;

function checkedParameter(part: ParameterExpansionPart): string | undefined {
  const { parameter, text } = part;
  const isKnown = PLAIN_PARAMETER.test(text) || LENGTH.test(text) || WITH_OPERAND.test(text);
  return isKnown && (/^\d+$/.test(parameter) || checkedName(parameter) === undefined) ? undefined : text;
}

const PLAIN_PARAMETER = /^\$\{([A-Za-z_]\w*|\d+|[@*#?$!-])\}$/;
const LENGTH = /^\$\{#([A-Za-z_]\w*|[1-9])\}$/;
/** Quotes in there are quotes in one shell and characters in another, and so is the text that they hide. */
const WITH_OPERAND = /^\$\{([A-Za-z_]\w*|[1-9])(:?[-=+?][\w./:,@%+=-]*|(##?|%%?)[\w./:,@+=*?-]*)\}$/;

/** Between back quotes each shell reads a backslash, a quote or a comment twice, in its own order. */
function checkedSubstitution({ text, script }: CommandExpansionPart): string | undefined {
  if (script === undefined || text.startsWith("$((")) return "a substitution";
  return text.startsWith("`") && /[\\'"#]/.test(text) ? "`" : undefined;
}
