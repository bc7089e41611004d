/**
 * Files that editors, agents, shells and services run or obey because of where they are: nobody names them. `held`:
 * programs may not write them without asking either, and no rule lifts that. `asked`: a mode that accepts edits asks before
 * one; changes to it by an approved command are held back. `programs`: asked about, but an approved installer may put
 * it there. `scripts`: asked about if the part that runs changes.
 */
export interface Starters {
  readonly why: string;
  readonly guard: "held" | "asked" | "programs" | "scripts";
  /** Names of folders; several parts mean a folder in a folder. Everything below them belongs to them. */
  readonly folders?: readonly string[];
  /** Names of files; several parts mean a file in a folder of that name. */
  readonly files?: readonly string[];
  /** Ends of names. */
  readonly ends?: readonly string[];
}

const words = (text: string): readonly string[] => text.split(" ");

/** The one table for policy, sandbox, views and the mode `undoable`. */
export const STARTERS: readonly Starters[] = [
  {
    why: "git runs hooks, filters and programs from its configuration",
    guard: "held",
    folders: words(".git .config/git"),
    files: words(".gitconfig .gitmodules"),
  },
  {
    why: "version control runs programs from its configuration",
    guard: "asked",
    folders: words(".hg .jj .svn .bzr"),
  },
  { why: "it configures Haft's rules", guard: "held", folders: words(".config/haft .local/state/haft .haft") },
  {
    why: "agents read settings, hooks, tools and servers from it",
    guard: "held",
    folders: words(".claude .agents"),
    files: words(".mcp.json .claude.json"),
  },
  {
    why: "agents read settings, hooks, tools, servers and instructions from it",
    guard: "asked",
    folders: words(
      ".cursor .gemini .codex .opencode .continue .cline .clinerules .roo .windsurf .kiro .amazonq .augment .junie .goose .openclaw .codeium .trae .qwen .crush .factory",
    ),
    files: words(
      "opencode.json opencode.jsonc .cursorrules .windsurfrules .roorules .roomodes .goosehints .aider.conf.yml .aiderignore .rules .crush.json crush.json AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md .github/copilot-instructions.md",
    ),
  },
  {
    why: "editors run tasks, debuggers, extensions and language servers from it",
    guard: "held",
    folders: words(".vscode .idea .devcontainer"),
    files: words(".devcontainer.json pyrightconfig.json"),
  },
  {
    why: "editors and terminals run it when the folder is opened",
    guard: "asked",
    folders: words(".zed .fleet .vs .helix .nova .settings .theia .gitpod .ona"),
    files: words(
      ".exrc .vimrc .gvimrc .nvimrc .nvim.lua .lvimrc .emacs .dir-locals.el .dir-locals-2.el .kakrc .nanorc .gitpod.yml .gitpod.Dockerfile .lazy.lua .neoconf.json .netrwhist .tmux.conf .tmuxinator.yml .screenrc",
    ),
    ends: words(".code-workspace .sublime-project .sublime-workspace .code-profile"),
  },
  {
    why: "shells run it when they start, or when the folder is entered",
    guard: "held",
    files: words(
      ".bashrc .bash_profile .bash_login .bash_aliases .bash_logout .profile .envrc .zshrc .zprofile .zshenv .zlogin .zlogout",
    ),
  },
  {
    why: "shells and tools run it, or read their environment from it, when the folder is entered",
    guard: "asked",
    folders: words(".direnv .mise .config/mise .asdf .config/fish .config/nushell"),
    files: words(
      ".login .cshrc .tcshrc .kshrc .inputrc .xprofile .xinitrc .direnvrc .mise.toml mise.toml .mise.local.toml mise.local.toml .autoenv .autoenv.zsh .env.zsh",
    ),
  },
  {
    why: "package managers and build tools run programs from it",
    guard: "held",
    folders: words(".husky .cargo .yarn .mvn"),
    files: words(
      ".npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs bunfig.toml .bunfig.toml .bazelrc .bazelversion .bazeliskrc .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml lefthook-local.yml .lefthook-local.yml gradle-wrapper.properties maven-wrapper.properties .ripgreprc",
    ),
  },
  {
    why: "other programs run its files by name, or a shell loads them",
    guard: "programs",
    folders: words("node_modules/.bin vendor/bin .venv/bin venv/bin .venv/Scripts venv/Scripts"),
  },
  { why: "its scripts run when packages are installed", guard: "scripts", files: words("package.json") },
  {
    why: "interpreters, debuggers and clients run it when they start here",
    guard: "asked",
    files: words(
      "conftest.py sitecustomize.py usercustomize.py .pythonrc .pythonrc.py .pythonstartup pyvenv.cfg .gdbinit .gdbearlyinit .lldbinit .irbrc .pryrc .rspec .Rprofile .Renviron .psqlrc .sqliterc .my.cnf .curlrc .wgetrc .mailcap .ghci .ocamlinit .iex.exs .jshellrc .octaverc .perldb .byebugrc .pdbrc .iexrc",
    ),
    ends: words(".pth .desktop .service .timer"),
  },
  {
    why: "a CI service runs it after a push",
    guard: "asked",
    folders: words(".github .gitea .forgejo .circleci .buildkite .woodpecker .teamcity .azuredevops .azure-pipelines"),
    files: words(
      ".gitlab-ci.yml .gitlab-ci.yaml .travis.yml .drone.yml .woodpecker.yml .woodpecker.yaml .cirrus.yml .cirrus.star appveyor.yml .appveyor.yml azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml Jenkinsfile cloudbuild.yaml cloudbuild.yml buildspec.yml buildspec.yaml .readthedocs.yaml .readthedocs.yml .semaphore/semaphore.yml",
    ),
  },
];

/**
 * The folders in Haft's state that hold the copies in which agents work; `*` is any name. Made by the journal. An agent in
 * a copy has a journal of its own, with the copies of the agents below it: at most three levels.
 */
export const AGENT_COPIES: readonly string[] = [1, 2, 3].map(
  (depth) => `.local/state/haft/workspaces/*${"/journal/annex/frozen/agents/*".repeat(depth)}/work`,
);

/** Folders inside these that contain ordinary work. */
export const UNPROTECTED_FOLDERS: readonly string[] = [".claude/worktrees", ".haft/worktrees", ...AGENT_COPIES];

const held = STARTERS.filter(({ guard }) => guard === "held");

/** Folders that no program may write to without asking. */
export const PROTECTED_FOLDERS: readonly string[] = held.flatMap(({ folders = [] }) => folders);
/** Files that no program may write without asking. */
export const PROTECTED_FILES: readonly string[] = held.flatMap(({ files = [] }) => files);
