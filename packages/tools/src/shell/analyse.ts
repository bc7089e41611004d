import type { Effect, Files } from "@haft/core/tool";
import type { PlaceQuestions, ShellAnalysis, ShellContext } from "./analysis.ts";
import { gitEnvironment, READER_ENVIRONMENTS } from "./environment.ts";
import { parseShell } from "./parse.ts";
import { hasPlainRefs } from "./reader/git/plain-refs.ts";
import { toplevelsOf } from "./reader/git/toplevel.ts";
import { isSettled } from "./reader/script/database.ts";
import { LOADING_WORDS } from "./reader/script/jq.ts";
import { choiceOfPrograms } from "./reader/self/chosen.ts";
import { isUndirected } from "./reader/self/directed.ts";
import { withNames } from "./reader/shown/deep.ts";
import type { Scope } from "./scope.ts";
import { Session } from "./session.ts";
import { glimpse, glimpseQuoted } from "./unread/glimpse.ts";
import { walkNested, walkScript } from "./walk.ts";

/**
 * Says what a bash script may at most do. Pure, synchronous and total: it never throws, and what it does not understand becomes an
 * `unknown` effect or an opaque `run`. Paths are worked out from the text alone; the caller looks where they lead (for `as`, where
 * present, else `path`). The script must then run as it was analysed: by bash without start-up files, aliases or inherited functions, in
 * `cwd`, with `env` set.
 */
export function analyseShell(script: string, context: ShellContext): ShellAnalysis {
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
  const session = new Session(context, walkNested);
  try {
    const { ok } = walkScript(parsed.script, startOf(script, context), session);
    return conclude(session, ok, script);
  } catch (thrown) {
    return unreadable(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** A script may go from one repository to the next; more often than this it is not followed. */
const MOST_ROUNDS = 3;

/**
 * Analyses a script with what it has git say about its place (`cd "$(git rev-parse --show-toplevel)"`), and with what the programs
 * load that lie in files (`jq -f`). Where something lies is looked up; nothing is shown and nothing runs.
 */
export async function analyseInPlace(script: string, context: ShellContext, files: Looking): Promise<ShellAnalysis> {
  const analysis = await analyseWithFacts(script, context, files);
  if (analysis.opaque) return analysis;
  const choice = await choiceOfPrograms(analysis.effects, context.home, files);
  if (choice === undefined) return analysis;
  const why = `${choice} names a program of the project, which may be started in place of another.`;
  return { ...analysis, effects: [...analysis.effects, { do: "unknown", basis: "proved", why }], opaque: true };
}

async function analyseWithFacts(script: string, context: ShellContext, files: Looking): Promise<ShellAnalysis> {
  const facts: Facts = {
    ...{ toplevels: new Map(), programs: new Set(), databases: new Set() },
    ...{ plainRefs: new Set(), plainNames: new Set(), wholeNames: new Set() },
    ...{ wholeTrees: new Set(), closedTrees: new Set(), undirected: new Map() },
  };
  const plain = analyseShell(script, context);
  let analysis = plain;
  for (let round = 0; round < MOST_ROUNDS && analysis.lacks !== undefined; round++) {
    // Which names branches have is no matter then.
    const { toplevels, closedTrees } = analysis.lacks;
    if (!analysis.opaque && toplevels.length + closedTrees.length === 0) return analysis;
    if (!(await answer(analysis.lacks, facts, files))) return plain;
    analysis = analyseShell(script, { ...context, facts });
  }
  // What changes something might change a repository or a program on the way.
  return analysis.opaque || analysis.effects.some(({ do: word }) => word === "write") ? plain : analysis;
}

/** Where the shell splits a word, or takes it for a pattern. */
const SPLITTING: readonly string[] = [" ", "\t", "\n", "*", "?", "[", "\\", "("];

type Looking = Pick<Files, "locate" | "mentions">;

interface Facts {
  readonly toplevels: Map<string, readonly string[]>;
  readonly programs: Set<string>;
  readonly databases: Set<string>;
  readonly plainRefs: Set<string>;
  readonly plainNames: Set<string>;
  readonly wholeNames: Set<string>;
  readonly wholeTrees: Set<string>;
  readonly closedTrees: Set<string>;
  readonly undirected: Map<string, Set<string>>;
}

/** Looks; says whether every answer is one that lets more be proved. */
async function answer(questions: PlaceQuestions, facts: Facts, files: Looking): Promise<boolean> {
  for (const folder of questions.toplevels) {
    const tops = await toplevelsOf(folder, files);
    if (tops === undefined) return false;
    facts.toplevels.set(folder, tops);
  }
  for (const path of questions.programs) {
    if ((await files.locate(path).catch(() => undefined))?.kind !== "file") return false;
    if ((await files.mentions?.(path, LOADING_WORDS)) !== false) return false;
    facts.programs.add(path);
  }
  for (const path of questions.databases) {
    if (!(await isSettled(path, files))) return false;
    facts.databases.add(path);
  }
  for (const folder of questions.plainRefs) {
    if (!(await hasPlainRefs(folder, files))) return false;
    facts.plainRefs.add(folder);
  }
  for (const folder of questions.plainNames) {
    // Whoever made the files chose their names, and to `sed` a file `-i.ts` among `*.ts` is an option.
    if ((await files.mentions?.(folder, ["/-"], { shallow: true })) !== false) return false;
    facts.plainNames.add(folder);
  }
  for (const kind of ["wholeNames", "wholeTrees"] as const)
    for (const folder of questions[kind]) {
      const isMissing = (await files.locate(folder).catch(() => undefined))?.kind === "missing";
      const shallow = kind === "wholeNames";
      if (!isMissing && (await files.mentions?.(folder, SPLITTING, { shallow })) !== false) return false;
      facts[kind].add(folder);
    }
  for (const tree of questions.closedTrees) {
    if ((await files.mentions?.(tree, [])) !== false) return false;
    facts.closedTrees.add(tree);
  }
  for (const [program, folder] of questions.undirected) {
    if (!(await isUndirected(program, folder, files))) return false;
    facts.undirected.set(program, (facts.undirected.get(program) ?? new Set()).add(folder));
  }
  return true;
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
  // A script that only sets variables or defines functions is run, too.
  if (!session.effects.some(({ do: word }) => word === "run" || word === "unknown"))
    session.add({ do: "run", basis: "proved", argv: [":"], text: script.trim(), cwd: session.context.cwd });
  const { commands, gitFolders } = session;
  const effects = withNames(session.effects);
  const questions = session.lacks.questions();
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
    ...(questions === undefined ? {} : { lacks: questions }),
  };
}

const programOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1);

const isOpaque = (effect: Effect): boolean =>
  effect.do === "unknown" || (effect.do === "run" && effect.opaque === true);
