import { saysOtherLetters } from "../host/process/letters.ts";

/** Variables that change how readers print; with an unusual value they name files. */
const COSMETIC =
  /^(LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|CI|NODE_ENV|TERM|DEBUG|VERBOSE)$/;
const PLAIN_VALUE = /^[\w.,+@-][\w.,+@:-]*$|^$/;

/**
 * Variables by which shells, loaders, interpreters and common programs are told to run or load something, or where to look
 * for it. A script that sets one of them says nothing certain about the commands after it.
 */
const DECISIVE =
  /^(PATH|PWD|OLDPWD|DIRSTACK|_|FUNCNAME|GROUPS|PIPESTATUS|COPROC.*|CDPATH|HOME|ENV|IFS|SHELL|SHELLOPTS|BASHOPTS|BASH.*|PS[0-4]|PROMPT_COMMAND|GLOBIGNORE|GLOBSORT|EXECIGNORE|FUNCNEST|TMPDIR|TEXTDOMAIN.*|OPTIND|POSIX.*|_POSIX.*|TZDIR|I18NPATH|INPUTRC|EXINIT|.*_?RSH|HIST.*|COMP_.*|LD_.*|DYLD_.*|GLIBC_.*|MALLOC_.*|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RESOLV_.*|RES_OPTIONS|LOCALDOMAIN|GETCONF_DIR|GIT_.*|SSH_.*|GPG_.*|GNUPGHOME|.*PAGER|.*EDITOR|VISUAL|BROWSER|LESS.*|MORE|MAN.*|MAGIC|TERMINFO.*|TERMCAP|TERMPATH|XDG_.*|NODE_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA.*|_JAVA.*|JDK_.*|CLASSPATH|MAVEN_.*|GRADLE_.*|GO.*|CARGO.*|RUST.*|CC|CXX|MAKE.*|MFLAGS|AWKPATH|AWKLIBPATH|RIPGREP_.*|GREP_.*|JQ_.*|TAR_.*|TAPE|ZIP.*|UNZIP.*|GZIP.*|XZ_.*|RSYNC_.*|CURL_.*|WGET.*|.*_PROXY|.*_proxy|DOCKER_.*|KUBECONFIG|PS_.*|TREE_.*|LS_.*|QUOTING_STYLE|TIME_STYLE|BLOCK_SIZE|PIP_.*|OPENSSL_.*|SQLITE.*|BAT_.*|E[XZ]A_.*|BC_.*|DEBUGINFOD.*|ZSTD.*|BZIP.*|XML_.*|SGML_.*|LSOF.*|GROFF.*|TROFF.*|LIBMOUNT.*|GAWK.*|AWK.*|DIFF.*|ACK.*|AG_.*|FD_.*|SSL_.*|NSS_.*|KRB5.*|BFD.*|PKG_.*|ZDOTDIR|SYSTEMD_.*|DPKG_.*|APT_.*|RPM.*|POPT.*|HOMEBREW_.*|SUDO_.*|DISPLAY|DBUS_.*|ANT_.*|KOTLIN.*|RAR|HTML_TIDY|HELM_.*|PG[A-Z]+|PSQL.*|GCC_.*|COMPILER_PATH|CCC_.*|R_HOME|R_ARCH|PHPRC|PHP_INI.*|DOTNET_.*|HG[A-Z]+|[A-Z]+ENV_.*|(ASDF|MISE|RTX|VOLTA|PROTO|FNM|NVM|SDKMAN|COREPACK)_.*)$/;

/** Settings of programs that take the names of variables in letters of either sort. */
const SETTING = /^(npm|pnpm|yarn|corepack)_/i;

/**
 * Whether a variable, once set, may decide what the commands after it do. The readers are a closed set: what none of them looks
 * at is harmless to them. `value` absent: not known.
 */
export const isDecisive = (name: string, value: string | undefined): boolean =>
  !isTame(name, value) &&
  (isComputed(name)
    ? !/^-?\d+$/.test(value ?? "")
    : COSMETIC.test(name)
      ? value === undefined || !PLAIN_VALUE.test(value) || saysOtherLetters(name, value)
      : DECISIVE.test(name) || SETTING.test(name));

const isTame = (name: string, value: string | undefined): boolean => TAMED[name]?.test(value ?? "?") ?? false;

/** Values that many set to have a program do less than it would. */
const TAMED: Readonly<Record<string, RegExp | undefined>> = {
  PAGER: /^(cat)?$/,
  GIT_PAGER: /^(cat)?$/,
  MANPAGER: /^cat$/,
  SYSTEMD_PAGER: /^(cat)?$/,
  GIT_OPTIONAL_LOCKS: /^0$/,
  GIT_TERMINAL_PROMPT: /^0$/,
  // Where temporary files are anyway.
  TMPDIR: /^\/tmp\/?$/,
  TZ: /^[A-Za-z]+(\/[A-Za-z][A-Za-z_+-]*){1,2}$/,
};

/** Variables that bash computes: what is assigned to them it evaluates as arithmetic, substitutions in subscripts included. */
const COMPUTED =
  /^(S?RANDOM|SECONDS|LINENO|HISTCMD|OPTIND|BASHPID|BASH_SUBSHELL|BASH_MONOSECONDS|EPOCHSECONDS|EPOCHREALTIME|E?UID|PPID|COMP_CWORD)$/;

/** Whether bash evaluates what is assigned to a variable. */
export const isComputed = (name: string): boolean => COMPUTED.test(name);

/**
 * Whether a variable in front of one command may decide what it does. Programs look at more variables than anybody has listed, and
 * their names are capitals, or begin with a line; nobody needs other ones there but to say how it is printed.
 */
export const isDecisiveFor = (name: string, value: string | undefined): boolean =>
  isDecisive(name, value) ||
  (!COSMETIC.test(name) && !isTame(name, value) && !MEANINGLESS.test(name) && /^[A-Z_]/.test(name));

/** Names of examples: no program looks at them. */
const MEANINGLESS = /^([A-Z]|FOO|BAR|BAZ)$/;

/**
 * What the runner sets for scripts with a git reader: no lock files, no system configuration, no pager, no file system monitor,
 * no index written back, no signature checks, no objects fetched on the way. `mild` leaves out what commands that change something may need.
 */
export function gitEnvironment(mild: boolean): Readonly<Record<string, string>> {
  return {
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_COUNT: "4",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: "false",
    GIT_CONFIG_KEY_1: "log.showSignature",
    GIT_CONFIG_VALUE_1: "false",
    // `git diff` would write the index whatever is said about locks, and then run a hook.
    GIT_CONFIG_KEY_2: "diff.autoRefreshIndex",
    GIT_CONFIG_VALUE_2: "false",
    // Compared by what they hold, git would go into repositories that only its history knows, and run what they name.
    GIT_CONFIG_KEY_3: "diff.submodule",
    GIT_CONFIG_VALUE_3: "short",
    ...(mild ? {} : { GIT_CONFIG_NOSYSTEM: "1", GIT_ATTR_NOSYSTEM: "1", GIT_NO_LAZY_FETCH: "1" }),
  };
}

/** Of what is installed from a working copy pip asks Mercurial, which would load what the copy names. */
const pip = { PIP_DISABLE_PIP_VERSION_CHECK: "1", HGRCSKIPREPO: "1" } as const;

/** From 3.11 on it then loads nothing from the folder in which it starts, nor does any from one that the person has named. */
const python = { PYTHONSAFEPATH: "1", PYTHONPATH: "", PYTHONINSPECT: "", PYTHONDONTWRITEBYTECODE: "1" } as const;

/** They would fetch what a program was built from. */
const debuginfod = { DEBUGINFOD_URLS: "" } as const;
/** They would fetch the version that is wanted, or note in package.json which one is used. */
const corepack = { COREPACK_ENABLE_NETWORK: "0", COREPACK_ENABLE_AUTO_PIN: "0" } as const;
const rustup = { RUSTUP_AUTO_INSTALL: "0" } as const;

/** What the runner sets for other readers: no configuration that runs something, no look for news on the network, no logs. */
export const READER_ENVIRONMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // ripgrep takes an empty name for "no file".
  rg: { RIPGREP_CONFIG_PATH: "" },
  // The last one keeps a project's settings from having times written to a file.
  npm: {
    ...corepack,
    npm_config_update_notifier: "false",
    npm_config_logs_max: "0",
    npm_config_timing: "false",
    // A project's settings would have a folder made for it.
    npm_config_cache: "/dev/null",
  },
  // It hands no file of the workspace to the user's preprocessor.
  less: { LESSSECURE: "1" },
  // With a width of its own it keeps no formatted page.
  man: { MANWIDTH: "100" },
  nm: debuginfod,
  readelf: debuginfod,
  objdump: debuginfod,
  addr2line: debuginfod,
  "llvm-nm": debuginfod,
  "llvm-readelf": debuginfod,
  "llvm-readobj": debuginfod,
  "llvm-objdump": debuginfod,
  pip,
  pip3: pip,
  python3: python,
  go: { GOTOOLCHAIN: "local" },
  yarn: corepack,
  pnpm: { ...corepack, npm_config_manage_package_manager_versions: "false", pnpm_config_pm_on_fail: "ignore" },
  cargo: rustup,
  rustc: rustup,
  rustfmt: rustup,
  rustdoc: rustup,
  terraform: { CHECKPOINT_DISABLE: "1" },
};

const NEEDED: ReadonlySet<string> = /* @__PURE__ */ new Set(Object.values(READER_ENVIRONMENTS).flatMap(Object.keys));

/** Whether what is known of readers holds without a variable, too. */
export const mayBeLacking = (name: string): boolean =>
  /^[A-Za-z_]\w*$/.test(name) && !isDecisive(name, undefined) && !NEEDED.has(name);
