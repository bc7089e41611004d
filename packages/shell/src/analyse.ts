import type { Effect } from "@haft/core/tool";
import type { ShellAnalysis, ShellContext } from "./analysis.ts";
import { unlikeSh } from "./dialect/portable.ts";
import { gitEnvironment, READER_ENVIRONMENTS } from "./environment.ts";
import { type LookKind, lookKey } from "./facts/fact.ts";
import { type Looking, look } from "./facts/index.ts";
import { glimpse, glimpseQuoted } from "./opaque-parts/glimpse.ts";
import { sayingWhatShows } from "./opaque-parts/what-shows.ts";
import { parseShell } from "./parse.ts";
import { withNames } from "./reader/output-files/deep.ts";
import type { Scope } from "./scope.ts";
import { Session } from "./session.ts";
import { walkNested, walkScript } from "./walk.ts";

/**
 * Says what a bash script may at most do. Pure, synchronous and total: it never throws, and anything it does not understand becomes an
 * `unknown` effect or an opaque `run`. Paths come from the text alone; the caller resolves them (for `as`, where present, else `path`). The
 * script must then run as it was analysed: by bash without start-up files, aliases or inherited functions, in `cwd`, with `env` set.
 */
export function analyseShell(script: string, context: ShellContext): ShellAnalysis {
  const analysis = withGlimpses(script, context);
  return { ...analysis, effects: sayingWhatShows(analysis.effects) };
}

function withGlimpses(script: string, context: ShellContext): ShellAnalysis {
  const analysis = analyseFrom(script, context);
  if (!analysis.opaque) return analysis;
  const judge = (piece: string, cwd: string): readonly Effect[] | undefined => {
    const { problem, effects } = analyseFrom(piece, { ...context, cwd });
    return problem === undefined ? effects : undefined;
  };
  const isUnread = analysis.effects.some(({ do: word }) => word === "unknown");
  const known = new Set(analysis.effects.map(keyOf));
  const seen = [
    ...(isUnread ? glimpse(script, context.cwd, judge) : []),
    ...glimpseQuoted(script, analysis.effects, context.cwd, judge),
  ].filter((effect) => !known.has(keyOf(effect)));
  return seen.length === 0 ? analysis : { ...analysis, effects: [...analysis.effects, ...seen] };
}

const keyOf = (effect: Effect): string =>
  effect.do === "run" ? `run ${effect.text}` : JSON.stringify({ ...effect, of: undefined });

function analyseFrom(script: string, context: ShellContext): ShellAnalysis {
  const parsed = parseShell(script);
  if ("problem" in parsed) return unreadable(parsed.problem);
  const other = context.inOtherShell ? unlikeSh(parsed.script) : undefined;
  if (other !== undefined) return unreadable(other);
  const session = new Session(context, walkNested);
  try {
    const { ok } = walkScript(parsed.script, startOf(script, context), session);
    return conclude(session, ok, script);
  } catch (thrown) {
    return unreadable(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Looks that narrow what counts as read, for a command that only reads anyway. */
const BOUNDING: ReadonlySet<LookKind> = new Set(["toplevel", "closedTree"]);

/** A script may go from one repository to the next. The analysis follows at most this many rounds. */
const MOST_ROUNDS = 3;

/**
 * Analyses a script with what it has git say about its place (`cd "$(git rev-parse --show-toplevel)"`), and with the program files that its
 * programs load (`jq -f`). It only looks up where files are; it shows nothing and runs nothing.
 */
export async function analyseInPlace(script: string, context: ShellContext, files: Looking): Promise<ShellAnalysis> {
  const facts = new Map<string, readonly string[]>();
  const plain = analyseShell(script, context);
  let analysis = plain;
  for (let round = 0; round < MOST_ROUNDS && analysis.lacks !== undefined; round++) {
    // Branch names do not matter then.
    if (!analysis.opaque && !analysis.lacks.some(({ kind }) => BOUNDING.has(kind))) return analysis;
    for (const question of analysis.lacks) {
      const answer = await look(question, files);
      if (answer === undefined) return plain;
      facts.set(lookKey(question), answer);
    }
    analysis = analyseShell(script, { ...context, facts });
  }
  // A change might alter a repository or a program on the way.
  return analysis.opaque || analysis.effects.some(({ do: word }) => word === "write") ? plain : analysis;
}

function unreadable(problem: string): ShellAnalysis {
  return { effects: [{ do: "unknown", basis: "proved", why: problem }], commands: [], opaque: true, problem };
}

const startOf = (source: string, context: ShellContext): Scope => ({
  source,
  folders: [context.cwd],
  variables: new Map(),
  functions: new Map(),
  args: undefined,
  moved: [],
  tainted: undefined,
});

function conclude(session: Session, end: Scope | undefined, script: string): ShellAnalysis {
  // A script that only sets variables or defines functions also counts as run.
  if (!session.effects.some(({ do: word }) => word === "run" || word === "unknown"))
    session.add({ do: "run", basis: "proved", argv: [":"], text: script.trim(), cwd: session.context.cwd });
  const { commands, gitFolders } = session;
  const effects = withNames(session.effects);
  const opaque = effects.some(isOpaque);
  const endsIn = end?.folders?.length === 1 ? end.folders[0] : undefined;
  const acts = opaque || effects.some(({ do: word }) => word === "write");
  const readers = new Set(commands.flatMap(({ argv, verdict }) => (verdict === "reads" ? [programOf(argv[0]!)] : [])));
  const env: Record<string, string> = gitFolders.size > 0 ? { ...gitEnvironment(acts) } : {};
  for (const name of readers) if (name === "rg" || !acts) Object.assign(env, READER_ENVIRONMENTS[name]);
  return {
    effects,
    commands,
    opaque,
    ...(endsIn === undefined ? {} : { endsIn }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(gitFolders.size === 0 ? {} : { gitFolders: [...gitFolders] }),
    ...(session.lacks.size === 0 ? {} : { lacks: [...session.lacks.values()] }),
  };
}

const programOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1);

const isOpaque = (effect: Effect): boolean =>
  effect.do === "unknown" || (effect.do === "run" && effect.opaque === true);
