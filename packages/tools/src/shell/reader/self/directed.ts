import { only, type Value } from "../../word/value.ts";
import { STANDARD } from "./python.ts";

/** A program that a project directs: by files above the folder it may be told to run or fetch another version of itself, or to load something. */
export interface Directed {
  /** The words with which it says its version, and nothing else. */
  readonly words?: RegExp;
  /** What must not lie in the folder itself, with or without an ending. */
  readonly modules?: readonly string[];
  /** What must not lie in the folder or above it. */
  readonly without: readonly string[];
  /** What may lie there unless it has one of these words. */
  readonly unlessWith?: Readonly<Record<string, readonly string[]>>;
  /** With this option it looks at none of these files. */
  readonly insteadOf?: string;
}

const VERSION = /^(-V|--version)$/;
const SHORT = /^(-v|--version)$/;
/** With an escape a word may be written in another way. */
const MANAGER = { "package.json": ["packageManager", "\\u"] };
const rust: Directed = {
  words: /^(-V|--version|-vV|-Vv|--version --verbose|--version -v)$/,
  without: ["rust-toolchain", "rust-toolchain.toml"],
};

/** Programs that rustup starts in the version that is wanted. */
export const startsByRustup = (program: string): boolean => /^(cargo|rustc|rustfmt|rustdoc)$/.test(program);

/** By their names. */
export const DIRECTED: ReadonlyMap<string, Directed> = new Map(
  Object.entries({
    cargo: rust,
    "ast-grep": { without: ["sgconfig.yml", "sgconfig.yaml"] },
    // Of what it prints, much is put in a file where that is said behind a `=`.
    rustc: {
      ...rust,
      words:
        /^(-V|--version|-vV|-Vv|--version (--verbose|-v)|--explain E\d{4}|--print[ =](sysroot|target-list|target-libdir|target-cpus|target-features|host-tuple|cfg))$/,
    },
    rustfmt: rust,
    rustdoc: rust,
    mvn: { words: /^(-v|-version|--version)$/, without: [".mvn"] },
    python3: { without: [], modules: STANDARD },
    dotnet: { words: /^--version$/, without: ["global.json"] },
    yarn: { words: SHORT, without: [".yarnrc", ".yarnrc.yml", ".corepack.env"], unlessWith: MANAGER },
    pnpm: {
      words: SHORT,
      // In the last two it finds its manifest as well.
      without: [
        ".npmrc",
        "pnpm-workspace.yaml",
        ".pnpmfile.cjs",
        ".pnpmfile.mjs",
        ".corepack.env",
        "package.json5",
        "package.yaml",
      ],
      unlessWith: MANAGER,
    },
    bundle: { words: SHORT, without: ["Gemfile", "Gemfile.lock", "gems.rb", "gems.locked", ".bundle"] },
    // It reads this before it looks at its words, and loads the linters that it names.
    "golangci-lint": {
      words: /^--version$/,
      without: [],
      unlessWith: Object.fromEntries(
        ["yml", "yaml", "toml", "json"].map((ending) => [`.golangci.${ending}`, ["custom", "plugins", "\\"]]),
      ),
    },
    // It names another one, wherever that lies, of which an error shows lines.
    yamllint: { without: [".yamllint", ".yamllint.yaml", ".yamllint.yml"], insteadOf: "-d" },
    terraform: { words: /^(version|-version|--version|-v)$/, without: [".terraform-version"] },
    poetry: {
      words: VERSION,
      without: [".poetry"],
      unlessWith: { "pyproject.toml": ["requires-plugins", "\\u", "\\U"] },
    },
  } satisfies Record<string, Directed>),
);

/** Whether a program, with these words, says its version: itself, or the one that a project has chosen. */
export function tellsItsVersion(program: string, args: readonly Value[]): boolean {
  const words = args.map(only);
  return words.every((word) => word !== undefined) && (DIRECTED.get(program)?.words?.test(words.join(" ")) ?? false);
}

/** Whether it does what these words say only where no file of a project directs it. */
export const obeysProject = (program: string, args: readonly Value[]): boolean => {
  const directed = DIRECTED.get(program);
  return directed !== undefined && !args.some((value) => only(value) === directed.insteadOf);
};
