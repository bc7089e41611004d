import { saysOtherLetters } from "@haft/host/process";

/** Variables that change how readers print; with an unusual value they name files. */
const COSMETIC =
  /^(LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|CI|NODE_ENV|TERM|DEBUG|VERBOSE)$/;
const PLAIN_VALUE = /^[\w.,+@-][\w.,+@:-]*$|^$/;

/**
 * Variables that tell shells, loaders, interpreters and common programs to run or load something, or where to look for it. If a script sets
 * one of them, nothing certain is known about the commands after it.
 */
const DECISIVE =
  /^(PATH|PWD|OLDPWD|DIRSTACK|_|FUNCNAME|GROUPS|PIPESTATUS|COPROC.*|CDPATH|HOME|ENV|IFS|SHELL|SHELLOPTS|BASHOPTS|BASH.*|PS[0-4]|PROMPT_COMMAND|GLOBIGNORE|GLOBSORT|EXECIGNORE|FUNCNEST|TMPDIR|TEXTDOMAIN.*|OPTIND|POSIX.*|_POSIX.*|TZDIR|I18NPATH|INPUTRC|EXINIT|.*_?RSH|HIST.*|COMP_.*|LD_.*|DYLD_.*|GLIBC_.*|MALLOC_.*|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RESOLV_.*|RES_OPTIONS|LOCALDOMAIN|GETCONF_DIR|GIT_.*|SSH_.*|GPG_.*|GNUPGHOME|.*PAGER|.*EDITOR|VISUAL|BROWSER|LESS.*|MORE|MAN.*|MAGIC|TERMINFO.*|TERMCAP|TERMPATH|XDG_.*|NODE_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA.*|_JAVA.*|JDK_.*|CLASSPATH|MAVEN_.*|GRADLE_.*|GO.*|CARGO.*|RUST.*|CC|CXX|MAKE.*|MFLAGS|AWKPATH|AWKLIBPATH|RIPGREP_.*|GREP_.*|JQ_.*|TAR_.*|TAPE|ZIP.*|UNZIP.*|GZIP.*|XZ_.*|RSYNC_.*|CURL_.*|WGET.*|.*_PROXY|.*_proxy|DOCKER_.*|KUBECONFIG|PS_.*|TREE_.*|LS_.*|QUOTING_STYLE|TIME_STYLE|BLOCK_SIZE|PIP_.*|OPENSSL_.*|SQLITE.*|BAT_.*|E[XZ]A_.*|BC_.*|DEBUGINFOD.*|ZSTD.*|BZIP.*|XML_.*|SGML_.*|LSOF.*|GROFF.*|TROFF.*|LIBMOUNT.*|GAWK.*|AWK.*|DIFF.*|ACK.*|AG_.*|FD_.*|SSL_.*|NSS_.*|KRB5.*|BFD.*|PKG_.*|ZDOTDIR|SYSTEMD_.*|DPKG_.*|APT_.*|RPM.*|POPT.*|HOMEBREW_.*|SUDO_.*|DISPLAY|DBUS_.*|ANT_.*|KOTLIN.*|RAR|HTML_TIDY|HELM_.*|PG[A-Z]+|PSQL.*|GCC_.*|COMPILER_PATH|CCC_.*|R_HOME|R_ARCH|PHPRC|PHP_INI.*|DOTNET_.*|HG[A-Z]+|[A-Z]+ENV_.*|(ASDF|MISE|RTX|VOLTA|PROTO|FNM|NVM|SDKMAN|COREPACK)_.*)$/;

/** Program settings whose variable names may be in upper or lower case. */
const SETTING = /^(npm|pnpm|yarn|corepack)_/i;

/**
 * Whether a variable, once set, may decide what the commands after it do. The readers are a closed set, so a variable that none of them
 * reads is harmless to them. An absent `value` is not known.
 */
export const isDecisive = (name: string, value: string | undefined): boolean =>
  !isTame(name, value) &&
  (isComputed(name)
    ? !/^-?\d+$/.test(value ?? "")
    : COSMETIC.test(name)
      ? value === undefined || !PLAIN_VALUE.test(value) || saysOtherLetters(name, value)
      : DECISIVE.test(name) || SETTING.test(name));

const isTame = (name: string, value: string | undefined): boolean => TAMED[name]?.test(value ?? "?") ?? false;

/** Values often set to make a program do less. */
const TAMED: Readonly<Record<string, RegExp | undefined>> = {
  PAGER: /^(cat)?$/,
  GIT_PAGER: /^(cat)?$/,
  MANPAGER: /^cat$/,
  SYSTEMD_PAGER: /^(cat)?$/,
  GIT_OPTIONAL_LOCKS: /^0$/,
  GIT_TERMINAL_PROMPT: /^0$/,
  // Temporary files are there anyway.
  TMPDIR: /^\/tmp\/?$/,
  TZ: /^[A-Za-z]+(\/[A-Za-z][A-Za-z_+-]*){1,2}$/,
};

/** Variables that bash computes. It evaluates values assigned to them as arithmetic, including substitutions in subscripts. */
const COMPUTED =
  /^(S?RANDOM|SECONDS|LINENO|HISTCMD|OPTIND|BASHPID|BASH_SUBSHELL|BASH_MONOSECONDS|EPOCHSECONDS|EPOCHREALTIME|E?UID|PPID|COMP_CWORD)$/;

/** Whether bash evaluates values assigned to a variable. */
export const isComputed = (name: string): boolean => COMPUTED.test(name);

/**
 * Whether a variable in front of one command may decide what it does. Programs read more variables than anybody has listed; their names are
 * capitals or begin with an underscore. Other variables are only needed there to say how output is printed.
 */
export const isDecisiveFor = (name: string, value: string | undefined): boolean =>
  isDecisive(name, value) ||
  (!COSMETIC.test(name) && !isTame(name, value) && !MEANINGLESS.test(name) && /^[A-Z_]/.test(name));

/** Example names: no program reads them. */
const MEANINGLESS = /^([A-Z]|FOO|BAR|BAZ)$/;

/**
 * Environment that the runner sets for scripts with a git reader: no lock files, no system configuration, no pager, no file system monitor,
 * no index written back, no signature checks, no objects fetched on the way. `mild` leaves out what commands that change something may
 * need.
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
    // `git diff` would write the index regardless of the lock setting, and then run a hook.
    GIT_CONFIG_KEY_2: "diff.autoRefreshIndex",
    GIT_CONFIG_VALUE_2: "false",
    // Comparing submodules by content, git would enter repositories that only its history knows, and run programs that they name.
    GIT_CONFIG_KEY_3: "diff.submodule",
    GIT_CONFIG_VALUE_3: "short",
    ...(mild ? {} : { GIT_CONFIG_NOSYSTEM: "1", GIT_ATTR_NOSYSTEM: "1", GIT_NO_LAZY_FETCH: "1" }),
  };
}

/** For packages installed from a working copy pip asks Mercurial, which would load extensions that the copy names. */
const pip = { PIP_DISABLE_PIP_VERSION_CHECK: "1", HGRCSKIPREPO: "1" } as const;

/** They would download the source of a program. */
const debuginfod = { DEBUGINFOD_URLS: "" } as const;
/** They would download the wanted version, or record the used one in package.json. */
const corepack = { COREPACK_ENABLE_NETWORK: "0", COREPACK_ENABLE_AUTO_PIN: "0" } as const;
const rustup = { RUSTUP_AUTO_INSTALL: "0" } as const;

/** Environment that the runner sets for other readers: no configuration that runs something, no update checks on the network, no logs. */
export const READER_ENVIRONMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // ripgrep reads an empty name as "no file".
  rg: { RIPGREP_CONFIG_PATH: "" },
  // The last one stops project settings from writing timings to a file.
  npm: {
    ...corepack,
    npm_config_update_notifier: "false",
    npm_config_logs_max: "0",
    npm_config_timing: "false",
    // Project settings could make npm create a folder for it.
    npm_config_cache: "/dev/null",
  },
  // It passes no file of the workspace to the user's preprocessor.
  less: { LESSSECURE: "1" },
  // With a custom width it stores no formatted page.
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

/** Whether the proofs for readers also hold without a variable. */
export const mayBeLacking = (name: string): boolean =>
  /^[A-Za-z_]\w*$/.test(name) && !isDecisive(name, undefined) && !NEEDED.has(name);
