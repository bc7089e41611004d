import { isNumber, only } from "../word/value.ts";
import type { ReaderGrammar } from "./grammar.ts";
import { options } from "./options.ts";

const HELP = "--help --version";
const NAMES_HOST = /@(?!localhost|[\d.]+(:|$)|\[)/;
const PLUS_OR_NAME = /^([^+]|\+[dDLcw]\d*$)/;
const PLAIN_SOCKET = /^[46]?(tcp|udp)?(@(localhost|[\d.]+|\[[\da-f:]+\]))?(:[\w,-]+)?$/i;
/** `TZ="../x" 10:00`, but not `TZ="Europe/Paris" now`. */
const NAMES_ZONE = /TZ="(?![A-Z]\w*(\/[A-Z][\w+-]*){0,2}")/i;
const PS_OPERAND = /^(?!.*environ)([\d,]+|[a-df-z]+|[\w%]+(,[\w%]+)+)$/i;
const PS_COLUMNS = /^(-[oO]|--format)$/;
/** Words of a filter for sockets: any other word with letters is a host, and causes a name lookup. */
const SOCKET_FILTER =
  /^(state|exclude|all|connected|synchronized|bucket|big|established|syn-(sent|recv)|fin-wait-[12]|time-wait|closed?|close-wait|last-ack|listen(ing)?|closing|dst|src|[ds]port|and|or|not|[!=<>()]|[=!<>]=|n?eq|[gl][et]|:[\w-]+|[\d./]+(:\d+)?|\[[\da-f:]+\](\/\d+)?(:\d+)?)$/i;
const plain: ReaderGrammar = { operands: "none", options: options(HELP) };

/** Programs that report on the machine, the user and the time, and programs that only use their arguments. */
export const systemReaders: Readonly<Record<string, ReaderGrammar>> = {
  pwd: { operands: "none", options: options("-LP") },
  whoami: plain,
  arch: plain,
  nproc: { operands: "none", options: options("--all --ignore=", HELP) },
  tty: { operands: "none", options: options("-s --silent --quiet", HELP) },
  uname: { operands: "none", options: options("-asnrvmpio --all --kernel-name --machine --operating-system", HELP) },
  // With an operand they set the host name.
  hostname: { operands: "none", options: options("-fsidAI --fqdn --long --short --ip-address --all-ip-addresses") },
  id: { blind: true, operands: "text", options: options("-gGnruz --group --groups --name --real --user", HELP) },
  groups: { blind: true, operands: "text", options: options(HELP) },
  users: plain,
  who: { operands: "none", options: options("-abdHlmpqrsTtuw --all --count --heading", HELP) },
  uptime: { operands: "none", options: options("-ps --pretty --since", HELP) },
  // -s sets the clock, and so does an operand that is not a format.
  date: {
    operands: "text",
    most: 1,
    options: options(
      "-uRI -d= -r=< -I[=] --date= --utc --universal --rfc-email --iso-8601[=] --rfc-3339= --reference=< -jn",
      HELP,
    ),
    refuse: ({ operands, given }) => {
      if (given.some(({ value }) => NAMES_ZONE.test(only(value) ?? ""))) return "A time zone may be a file.";
      const format = operands[0];
      if (format === undefined) return undefined;
      const heads = format.kind === "text" ? format.texts : format.kind === "one" ? [format.head] : [""];
      return heads.every((head) => head.startsWith("+"))
        ? undefined
        : "An operand that is not a format sets the clock.";
    },
  },
  cal: { operands: "text", options: options("-1 -3 -j -y -m -s") },
  ncal: { operands: "text", options: options("-b -h -j -y -w -3") },
  ps: {
    operands: "text",
    // Without a dash, e shows the environments of processes, and so does a column of that name.
    refuse: ({ operands, given }) =>
      operands.every((value) => isNumber(value) || PS_OPERAND.test(only(value) ?? "")) &&
      given.every(({ name, value }) => !PS_COLUMNS.test(name) || /^(?!.*environ)/i.test(only(value) ?? "environ"))
        ? undefined
        : "It may show the environments of processes.",
    options: options(
      "-aAdefFHjlLNTVwxyMZcm -C= -G= -g= -o= -O= -p= -q= -s= -t= -u= -U= --forest --no-headers --headers --sort= --pid= --ppid=",
      "--user= --format= --cols= --width= --deselect",
      HELP,
    ),
  },
  pgrep: {
    operands: "text",
    options: options(
      "-aclfilnovwx -d= -G= -g= -P= -s= -t= -u= -U= --list-name --list-full --full --count --newest --oldest --exact",
    ),
  },
  pstree: { operands: "text", options: options("-aAcglnpsStTuUZ") },
  pidof: { operands: "text", options: options("-cqsx") },
  free: {
    operands: "none",
    options: options(
      "-bkmghltvw -s= -c= --seconds= --count= --bytes --kilo --mega --giga --human --si --total --wide",
      HELP,
    ),
  },
  lscpu: {
    operands: "none",
    options: options("-abcBJxy -e[=] -p[=] --all --online --offline --json --extended[=] --parse[=] --hex", HELP),
  },
  lsblk: {
    operands: "none",
    options: options(
      "-abdfijlmMnpPrsStTzJ -o= -e= -I= -x= --output= --exclude= --include= --sort= --all --bytes --nodeps --fs --json --list --paths",
      "--pairs --noheadings --perms --topology --tree[=] --inverse --scsi --zoned --output-all",
      HELP,
    ),
  },
  lsipc: { operands: "none", options: options("-gmqsbceJlnPrty -i= -o= --global --json --noheadings", HELP) },
  lslocks: { operands: "none", options: options("-biJnru -o= -p= --json --noheadings --bytes --pid= --output=", HELP) },
  ipcs: { operands: "none", options: options("-aqmstpclub -i= --human", HELP, "-V") },
  // Each of its limits sets something.
  prlimit: { operands: "none", options: options("-p= -o= --pid= --output= --noheadings --raw --verbose", HELP) },
  pwdx: { operands: "text", options: options("") },
  runlevel: plain,
  vmstat: { operands: "text", options: options("-asdDtwn") },
  lsof: {
    operands: "text",
    options: options("-abClnNOPRtUvwX -s[=] -i[=] -p= -u= -c= -g= -d= -a"),
    // A host name causes a network lookup. Among options with a plus, +m shows lines of a file, and +r never ends.
    refuse: ({ given, operands }) =>
      operands.every(
        (value) => value.kind === "text" && value.texts.every((one) => !NAMES_HOST.test(one) && PLUS_OR_NAME.test(one)),
      ) &&
      given.every(({ name, value }) => name !== "-i" || value === undefined || PLAIN_SOCKET.test(only(value) ?? "@"))
        ? undefined
        : "It may ask the network for a name, or show another file.",
  },
  ss: {
    operands: "text",
    options: options("-anltuxwpeoims46HOb --all --listening --tcp --udp --unix --numeric --processes"),
    refuse: ({ operands }) =>
      operands.every((value) => (only(value) ?? "?").split(/\s+/).every((word) => SOCKET_FILTER.test(word)))
        ? undefined
        : "It may ask the network for a name.",
  },
  netstat: {
    operands: "none",
    options: options("-aegilnoprstuxW46"),
    refuse: ({ given, has }) =>
      has("-n") || (given.length > 0 && given.every(({ name }) => /^-[sie]$/.test(name)))
        ? undefined
        : "Without -n it asks the network for names.",
  },
  getconf: { operands: "text", options: options("-a") },
  locale: { operands: "text", options: options("-akcm") },
  printenv: { blind: true, operands: "text", options: options("-0 --null", HELP) },
  which: { blind: true, operands: "text", options: options("-as --all") },
  whereis: { operands: "text", options: options("-bms") },
  sleep: { blind: true, operands: "text", options: options(HELP) },
  seq: { blind: true, operands: "text", options: options("-# -w -f= -s= --equal-width --format= --separator=", HELP) },
  dirname: { blind: true, operands: "text", options: options("-z --zero", HELP) },
  basename: { blind: true, operands: "text", options: options("-az -s= --multiple --suffix= --zero", HELP) },
  expr: { blind: true, operands: "text", options: options(HELP) },
  factor: { blind: true, operands: "text", options: options(HELP) },
  numfmt: {
    operands: "text",
    options: options("-d= --to= --from= --suffix= --padding= --format= --field= --header[=] --grouping", HELP),
  },
  logname: plain,
  lsmem: { operands: "none", options: options("-abJnPrS -o= -s[=] --all --bytes --json --summary[=]", HELP) },
  lsns: { operands: "none", options: options("-Jlnru -o= -p= -t= -W --json --list --noheadings --output=", HELP) },
  pathchk: { blind: true, operands: "text", options: options("-pP --portability", HELP) },
  "c++filt": {
    operands: "text",
    options: options("-_ -n -p -t -s= --no-params --types --format=", HELP),
    refuse: ({ operands, given }) =>
      [...operands, ...given.flatMap(({ value }) => value ?? [])].every((value) => /^[^@]/.test(only(value) ?? "@"))
        ? undefined
        : "It reads further arguments from a file named @.",
  },
  pmap: { operands: "text", options: options("-xXdqp -A= --extended --device --quiet --show-path", "-V", HELP) },
  yes: { blind: true, operands: "text", options: options(HELP) },
};

/**
 * Programs that only count as readers when asked for their version or help, without running anything of the folder. A short option is
 * listed only if it is known to mean that: `zsh -V` and `vim -v` continue and read commands from their input, `ninja -v` builds.
 */
export const versionOnly: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    "bash zsh vim nvim nano emacs m4 tee split csplit mkdir cp mv rm ln touch chmod dd install patch zip xargs truncate gdb git docker R ninja":
      ["--version", "--help"],
    "node deno php perl java javac": ["--version", "-v", "-version", "--help", "-h"],
    "npm npx tsc ruby": ["--version", "-v", "--help", "-h"],
    "python python3 pip pip3 make curl wget gh": ["--version", "-V", "--help", "-h"],
    "gcc g++ clang clang++ cc c++ cmake tar gzip unzip rsync ld": ["--version", "--help"],
    "jq rg grep sed awk gawk psql bwrap tmux ssh": ["--version", "-V"],
    // Programs that bundle letters read -version as -v and more: psql then connects, rg searches.
    "find sqlite3 ffmpeg ffprobe openssl": ["--version", "-version"],
    "clang-format cppcheck pandoc podman shellcheck uv aws docker-compose gem bun lua luajit nginx protoc meson": [
      ...["--version", "-v"],
    ],
    "ldd info msgfmt msgcat addr2line c++filt redis-server redis-cli mysql julia ocaml ghc cabal stack dune crystal Rscript":
      ["--version"],
    // Tools for Python, Ruby and JavaScript that read no file of the folder before they answer. pytest, pylint, rubocop and others do.
    "mypy black isort ruff pre-commit virtualenv rake eslint xsltproc taplo buf flatc thrift": ["--version"],
    "hyperfine procs tree-sitter difft delta ncdu gpg gpg2 ltrace perf gcov gprof wat2wasm getopt mktemp sync": [
      "--version",
    ],
    "smartctl hdparm sgdisk xorriso mdadm swift swiftc lldb fzf watch duckdb highlight code cursor ast-grep": [
      "--version",
    ],
    "xz unxz zstd lz4 brotli": ["--version"],
    strace: ["-V", "--version"],
    "ant staticcheck kotlin kotlinc": ["-version"],
  }).flatMap(([names, flags]) => names.split(" ").map((name) => [name, flags] as const)),
);
