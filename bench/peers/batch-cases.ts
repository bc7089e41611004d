/** Generated batches of tool calls, in the proportions that recordings of coding agents show. */

/** A call with the time that it takes. */
export interface BatchCall {
  readonly tool: string;
  readonly input: object;
  readonly ms: number;
}

export interface RecordedBatch {
  readonly calls: readonly BatchCall[];
}

/** Sizes of batches, and how often each occurs among 500. */
const SIZES: readonly (readonly [number, number])[] = [
  [2, 314],
  [3, 147],
  [4, 18],
  [5, 14],
  [6, 5],
  [9, 2],
];

/** Kinds of calls: weight, least and most milliseconds, and the call on a file or folder. */
const KINDS: readonly {
  readonly weight: number;
  readonly ms: readonly [number, number];
  readonly call: (name: string) => readonly [string, object];
}[] = [
  { weight: 24, ms: [2, 30], call: (name) => ["Read", { file_path: `/home/user/src/${name}.ts` }] },
  { weight: 6, ms: [50, 500], call: (name) => ["Grep", { pattern: name, path: "/home/user/src" }] },
  { weight: 6, ms: [50, 500], call: (name) => ["Glob", { pattern: `**/*${name}*` }] },
  { weight: 12, ms: [60, 400], call: (name) => ["Bash", { command: `ls -la src/${name} | head -20` }] },
  { weight: 9, ms: [60, 400], call: (name) => ["Bash", { command: `grep -rn "${name}" src | head -10` }] },
  { weight: 7, ms: [60, 300], call: (name) => ["Bash", { command: `cat src/${name}.ts | wc -l` }] },
  { weight: 6, ms: [70, 900], call: (name) => ["Bash", { command: `find src -name "*${name}*" -type f` }] },
  { weight: 3, ms: [70, 300], call: () => ["Bash", { command: "git status --short && git log --oneline -5" }] },
  { weight: 8, ms: [800, 20_000], call: () => ["Bash", { command: "npm test 2>&1 | tail -20" }] },
  {
    weight: 3,
    ms: [60, 400],
    call: (name) => ["Bash", { command: `mkdir -p build/${name} && touch build/${name}/x` }],
  },
  { weight: 9, ms: [10, 400], call: (name) => ["Write", { file_path: `/home/user/docs/${name}.md`, content: "x" }] },
  { weight: 8, ms: [2, 20], call: (name) => ["TodoWrite", { todos: [todo(name)] }] },
];

const NAMES = ["agent", "cache", "client", "config", "events", "index", "parser", "queue", "server", "store", "view"];

const todo = (name: string): object => ({ content: `Look at ${name}`, status: "pending", activeForm: "Looking" });

/** The same batches for every run. */
export function generateBatches(count: number): readonly RecordedBatch[] {
  const next = random(20_260_101);
  const pick = <T>(list: readonly T[], weightOf: (one: T) => number): T => {
    let left = next() * list.reduce((sum, one) => sum + weightOf(one), 0);
    for (const one of list) {
      left -= weightOf(one);
      if (left < 0) return one;
    }
    return list.at(-1)!;
  };
  return Array.from({ length: count }, () => {
    const [size] = pick(SIZES, ([, often]) => often);
    // Calls of one message are mostly of one kind.
    const usual = pick(KINDS, ({ weight }) => weight);
    const calls = Array.from({ length: size }, (): BatchCall => {
      const { ms, call } = next() < 0.5 ? usual : pick(KINDS, ({ weight }) => weight);
      const [tool, input] = call(pick(NAMES, () => 1));
      return { tool, input, ms: Math.round(ms[0] * (ms[1] / ms[0]) ** next()) };
    });
    return { calls };
  });
}

/** A small generator of numbers from 0 to 1 (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
