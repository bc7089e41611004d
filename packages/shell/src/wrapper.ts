import { unlikeSh } from "./dialect/portable.ts";
import { mayBeLacking } from "./environment.ts";
import { parseShell } from "./parse.ts";
import { type OptionTable, options, parseOptions } from "./reader/options.ts";
import { isOneWord, only, text, type Value } from "./word/value.ts";

/** A program that starts the command after its own arguments. */
interface Wrapper {
  readonly options: OptionTable;
  /** Number of its own operands before the command: the duration of `timeout`, the lock file of `flock`. */
  readonly own?: number;
  /** It adds nothing to the effects of the command. Other wrappers make it opaque, but rules still see through them. */
  readonly clear?: true;
  /** Options with which it does change the command: they remove variables that a proof needs, or the name by which a program selects its
   * behaviour. */
  readonly marring?: readonly string[];
  /** `NAME=value` words before the command. */
  readonly assigns?: true;
}

const none = options("");

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: {
    options: options("-i0v -u= -C= -a= --ignore-environment --unset= --chdir= --argv0= --null --debug"),
    clear: true,
    assigns: true,
    marring: ["-i", "-u", "-C", "-a", "-0", "--ignore-environment", "--unset", "--chdir", "--argv0", "--null"],
  },
  timeout: {
    options: options("-v -k= -s= --preserve-status --foreground --kill-after= --signal= --verbose"),
    own: 1,
    clear: true,
  },
  gtimeout: { options: options("-k= -s= --preserve-status --foreground"), own: 1, clear: true },
  nice: { options: options("-n= -# --adjustment="), clear: true },
  stdbuf: { options: options("-i= -o= -e= --input= --output= --error="), clear: true },
  command: { options: options("-p"), clear: true },
  builtin: { options: none, clear: true },
  exec: { options: options("-cl -a="), clear: true, marring: ["-c", "-l", "-a"] },
  time: {
    options: options("-pqva -f= -o= --portability --quiet --verbose --append --format= --output="),
    clear: true,
    marring: ["-o", "--output"],
  },
  nohup: { options: none },
  setsid: { options: options("-cfw --ctty --fork --wait") },
  ionice: { options: options("-t -c= -n=") },
  chrt: { options: options("-bfior"), own: 1 },
  taskset: { options: options("-c"), own: 1 },
  flock: {
    options: options(
      "-sxnueFov -w= -E= --shared --exclusive --nonblock --unlock --close --no-fork --verbose --timeout=",
    ),
    own: 1,
  },
  watch: { options: options("-bcdegtpwx -n= --interval=") },
  strace: { options: options("-fqvtTyrik -e= -o= -p= -s= -u=") },
  ltrace: { options: options("-fS -e= -o= -p=") },
  sudo: { options: options("-AbEHnPSsik -u= -g= -p= -C= -h= -U= -r= -t= -T= -D= -R= --user= --group="), assigns: true },
  doas: { options: options("-nsL -u= -C=") },
  pkexec: { options: options("--user=") },
  chroot: { options: options("--userspec= --groups= --skip-chdir"), own: 1 },
  unshare: { options: options("-rmunipUCf --map-root-user --fork --mount --pid --net --user") },
  nsenter: { options: options("-amunipUCF -t= --target= --all") },
  busybox: { options: none },
  toybox: { options: none },
  caffeinate: { options: options("-dimsu -t=") },
  noglob: { options: none },
  nocorrect: { options: none },
  xargs: {
    options: options(
      "-0rtpxo -I= -L= -n= -P= -s= -d= -E= -a= -i[=] -l[=] -e[=] --null --no-run-if-empty --max-args= --max-procs= --max-lines[=] --replace[=] --eof[=] --delimiter= --arg-file= --verbose --interactive --exit",
    ),
  },
  parallel: { options: options("-0kv -j= -n= -N= -I= -d= --jobs= --halt=") },
  doexec: { options: none, own: 1 },
  setarch: { options: options("-R -B -v"), own: 1 },
  perf: { options: none, own: 1 },
  ...Object.fromEntries(
    "linux32 linux64 numactl prlimit setpriv fakeroot proot chronic unbuffer rlwrap catchsegv valgrind firejail xvfb-run dbus-run-session systemd-run systemd-inhibit torsocks proxychains proxychains4 entr"
      .split(" ")
      .map((name) => [name, { options: none }]),
  ),
};

interface Unwrapped {
  readonly name: string;
  /** The command inside. Empty: it has none. */
  readonly command: readonly Value[];
  readonly assigns: readonly string[];
  /** Why the command inside cannot be proved, whichever it is. */
  readonly why?: string;
  /** Its options are not known, so the start of the command is a guess. */
  readonly isGuess?: true;
}

/** Removes a wrapper. Nothing: `name` is not a wrapper, or its options are not known. */
export function unwrap(name: string, args: readonly Value[]): Unwrapped | undefined {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper === undefined) return undefined;
  const parsed = parseOptions(args, wrapper.options, { permute: false });
  if (typeof parsed === "string")
    return {
      name,
      command: guess(name === "env" ? args.map(splitText) : args),
      assigns: [],
      why: parsed,
      isGuess: true,
    };
  const operands = [...parsed.operands];
  // `env -` is `env -i`.
  if (only(operands[0]) === "-")
    return { name, command: guess(args), assigns: [], why: "A dash is an option to some." };
  const own = operands.splice(0, wrapper.own ?? 0);
  const assigns: string[] = [];
  while (wrapper.assigns && /^[A-Za-z_]\w*=/.test(only(operands[0]) ?? "")) assigns.push(only(operands.shift())!);
  if (!own.every(isOneWord)) {
    return { name, command: operands, assigns, why: `The arguments of ${name} are not known before the run.` };
  }
  const command = name === "flock" && only(operands[0]) === "-c" ? viaShell(operands) : operands;
  const isClear =
    wrapper.clear &&
    parsed.given.every(
      (option) => !wrapper.marring?.includes(option.name) || isNeedless(name, option.name, option.value),
    );
  return { name, command, assigns, ...(isClear ? {} : { why: `${name} starts it in a way that is not proved.` }) };
}

/** `env -u NAME` with a variable that does not restrict any reader. */
const isNeedless = (program: string, option: string, value: Value | undefined): boolean =>
  program === "env" && /^(-u|--unset)$/.test(option) && mayBeLacking(only(value) ?? "");

/** `flock FILE -c SCRIPT` hands the script to a shell. */
const viaShell = (command: readonly Value[]): readonly Value[] => [text("sh"), ...command];

/** `env -S'git push'`: the text of -S in the same word. */
const splitText = (value: Value): Value => {
  const glued = /^(?:-[a-zA-Z0]*S|--split-string=)\s*([\s\S]+)$/.exec(only(value) ?? "")?.[1];
  return glued === undefined ? value : text(glued);
};

/** With unknown options the start of the command is a guess. Deny and ask rules get the most likely one. */
function guess(args: readonly Value[]): readonly Value[] {
  const start = args.findIndex((value) => /^[A-Za-z./]/.test(only(value) ?? ""));
  if (start < 0) return [];
  // `env -S "rm -rf x"` splits the word itself.
  const first = only(args[start])!
    .split(/\s+/)
    .map((word) => text(word));
  return [...first, ...args.slice(start + 1)];
}

const SHELLS = new Set(["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"]);
/** Programs that take a shell script after `-c`. */
const STARTERS = new Set(["su", "runuser", "script"]);
const PROVABLE_SHELLS = new Set(["bash", "sh", "dash"]);
const SHELL_OPTIONS = options("-acefhiklmnuvxCE -o= -O= --noprofile --norc --login --posix --restricted");

/** A script on the command line of a shell. */
interface InnerScript {
  readonly script: string;
  readonly args: readonly Value[];
  readonly why?: string;
  /** It contains syntax that the shell reads otherwise than bash. */
  readonly isOther?: true;
}

/** `bash -c '...'` and similar. Nothing: not a shell, or no script on the command line. */
export function innerScript(name: string, args: readonly Value[]): InnerScript | undefined {
  if (STARTERS.has(name)) {
    const at = args.findIndex((value) => /^(-c|--command)$/.test(only(value) ?? ""));
    const inner = at < 0 ? undefined : only(args[at + 1]);
    return inner === undefined
      ? undefined
      : { script: inner, args: [], why: `${name} starts it in a way that is not proved.` };
  }
  if (!SHELLS.has(name)) return undefined;
  const parsed = parseOptions(args, SHELL_OPTIONS, { permute: false });
  if (typeof parsed === "string" || !parsed.has("-c")) return undefined;
  const script = only(parsed.operands[0]);
  if (script === undefined) return undefined;
  const isPlain = parsed.given.every(
    ({ name: option, value }) =>
      /^(-[celux]|--noprofile|--norc|--login)$/.test(option) || (option === "-o" && only(value) === "pipefail"),
  );
  const tree = name === "bash" ? undefined : parseShell(script);
  const other = tree !== undefined && "script" in tree ? unlikeSh(tree.script) : undefined;
  const isKnown = isPlain && PROVABLE_SHELLS.has(name);
  const why = other ?? (isKnown ? undefined : `${name} may read the script in its own way.`);
  return {
    script,
    args: parsed.operands.slice(2),
    ...(why === undefined ? {} : { why }),
    ...(other === undefined ? {} : { isOther: true }),
  };
}
